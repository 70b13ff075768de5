package clients

import (
	"fmt"
	"net/http"
)

// completions is OpenAI's Chat Completions API.
func completions(w http.ResponseWriter, asked request, s step, n int64) {
	var calls []object
	for i, u := range s.Use {
		calls = append(calls, object{"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function",
			"function": object{"name": u.Name, "arguments": string(u.Input)}})
	}
	stop := "stop"
	if len(calls) > 0 {
		stop = "tool_calls"
	}
	in := tokensIn + tokensRead
	usage := object{"prompt_tokens": in, "prompt_tokens_details": object{"cached_tokens": tokensRead}, "completion_tokens": tokensOut,
		"total_tokens": in + tokensOut}
	answer := func(kind string, choices ...object) object {
		return object{"id": fmt.Sprintf("chatcmpl-%d", n), "object": kind, "created": 1, "model": asked.Model, "choices": choices}
	}
	said := object{"role": "assistant", "content": s.Say}
	if len(calls) > 0 {
		said["tool_calls"] = calls
	}
	if !asked.Stream {
		whole := answer("chat.completion", object{"index": 0, "message": said, "finish_reason": stop})
		whole["usage"] = usage
		reply(w, whole)
		return
	}
	const chunk = "chat.completion.chunk"
	last := answer(chunk)
	last["choices"], last["usage"] = []object{}, usage
	events(w, false, answer(chunk, object{"index": 0, "delta": said, "finish_reason": nil}),
		answer(chunk, object{"index": 0, "delta": object{}, "finish_reason": stop}), last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
