package clients

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

type object = map[string]any

// events writes server-sent events.
func events(w http.ResponseWriter, named bool, all ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		data, _ := json.Marshal(e)
		if named {
			fmt.Fprintf(w, "event: %s\n", e["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

// messages is Anthropic's Messages API.
func messages(w http.ResponseWriter, asked request, s step, n int64) {
	var blocks []object
	if s.Say != "" {
		blocks = append(blocks, object{"type": "text", "text": s.Say})
	}
	for i, u := range s.Use {
		blocks = append(blocks, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%06d%02d", n, i), "name": u.Name, "input": u.Input})
	}
	stop := "end_turn"
	if len(s.Use) > 0 {
		stop = "tool_use"
	}
	usage := object{"input_tokens": tokensIn, "cache_creation_input_tokens": tokensWritten, "cache_read_input_tokens": tokensRead, "output_tokens": tokensOut}
	whole := object{"id": fmt.Sprintf("msg_%08d", n), "type": "message", "role": "assistant", "model": asked.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !asked.Stream {
		reply(w, whole)
		return
	}
	begun := object{"id": whole["id"], "type": "message", "role": "assistant", "model": asked.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage}
	all := []object{{"type": "message_start", "message": begun}}
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
		}
		all = append(all, object{"type": "content_block_start", "index": i, "content_block": start},
			object{"type": "content_block_delta", "index": i, "delta": delta}, object{"type": "content_block_stop", "index": i})
	}
	events(w, true, append(all, object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage}, object{"type": "message_stop"})...)
}

// responses is OpenAI's Responses API.
func responses(w http.ResponseWriter, asked request, s step, n int64) {
	var out []object
	if s.Say != "" {
		out = append(out, object{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", n), "status": "completed",
			"content": []object{{"type": "output_text", "text": s.Say, "annotations": []any{}}}})
	}
	for i, u := range s.Use {
		id := fmt.Sprintf("call_%d_%d", n, i)
		if u.Raw != "" {
			out = append(out, object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": u.Name, "input": u.Raw, "status": "completed"})
			continue
		}
		out = append(out, object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": u.Name, "arguments": string(u.Input), "status": "completed"})
	}
	in := tokensIn + tokensRead
	usage := object{"input_tokens": in, "input_tokens_details": object{"cached_tokens": tokensRead}, "output_tokens": tokensOut,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": in + tokensOut}
	id := fmt.Sprintf("resp_%d", n)
	all := []object{{"type": "response.created", "response": object{"id": id, "object": "response", "status": "in_progress", "model": asked.Model, "output": []any{}}}}
	for i, item := range out {
		all = append(all, object{"type": "response.output_item.added", "output_index": i, "item": item}, object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	events(w, true, append(all, object{"type": "response.completed",
		"response": object{"id": id, "object": "response", "status": "completed", "model": asked.Model, "output": out, "usage": usage}})...)
}

// generate is Google's generateContent.
func generate(w http.ResponseWriter, s step, n int64, stream bool) {
	var parts []object
	if s.Say != "" {
		parts = append(parts, object{"text": s.Say})
	}
	for _, u := range s.Use {
		parts = append(parts, object{"functionCall": object{"name": u.Name, "args": u.Input}})
	}
	in := tokensIn + tokensRead
	whole := object{"candidates": []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": in, "cachedContentTokenCount": tokensRead, "candidatesTokenCount": tokensOut, "totalTokenCount": in + tokensOut},
		"modelVersion":  "fake-model", "responseId": fmt.Sprintf("resp-%d", n)}
	if stream {
		events(w, false, whole)
		return
	}
	reply(w, whole)
}
