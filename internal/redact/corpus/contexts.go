package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

type object = map[string]any

// Contexts are the records of Claude Code, Codex and Gemini that secrets stand in.
func Contexts() []Context {
	return []Context{
		{"prompt", prompt}, {"prompt as a list", promptList}, {"answer in a fence", fence}, {"bash command", bashCommand},
		{"cat", cat}, {"grep -n", grepNumbered}, {"git diff", gitDiff}, {"structuredPatch", structuredPatch}, {"edit", edit},
		{"read", read}, {"docker inspect", dockerInspect}, {"mcp", mcp}, {"mcp twice", mcpTwice}, {"yaml", yamlText}, {"toml", tomlText},
		{"env", env}, {"codex arguments", codexArguments}, {"gemini write", geminiWrite}, {"docker logs", dockerLogs},
		{"quoted", quoted}, {"json list", jsonList}, {"markdown table", table}, {"git blame", blame}, {"write", write},
		{"python traceback", traceback}, {"grep -C", grepAround},
	}
}

// encode writes a record as the agents do, HTML as it is.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // these are maps, lists and strings
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func compact(v any) string { return string(encode(v)) }

func indented(v any) string {
	b, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(b))
}

// claude is a record of Claude Code.
func claude(rng *rand.Rand, kind string, message any, more object) []byte {
	record := object{"parentUuid": generate(rng, "uuid"), "isSidechain": false, "type": kind, "message": message, "uuid": generate(rng, "uuid"),
		"timestamp": "2026-11-21T20:26:54.124Z", "cwd": "/repo", "sessionId": generate(rng, "uuid"), "version": "2.1.197", "gitBranch": "main"}
	for key, value := range more {
		record[key] = value
	}
	return encode(record)
}

func toolUse(rng *rand.Rand, name string, input object) []byte {
	content := []any{object{"type": "tool_use", "id": "toolu_" + pick(rng, alphabets["alnum"], 24), "name": name, "input": input}}
	return claude(rng, "assistant", object{"id": "msg_" + pick(rng, alphabets["alnum"], 22), "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": content}, nil)
}

func toolResult(rng *rand.Rand, text any, result any) []byte {
	content := []any{object{"tool_use_id": "toolu_" + pick(rng, alphabets["alnum"], 24), "type": "tool_result", "content": text}}
	return claude(rng, "user", object{"role": "user", "content": content}, object{"toolUseResult": result})
}

func stdout(rng *rand.Rand, text string) []byte {
	return toolResult(rng, text, object{"stdout": text, "stderr": "", "interrupted": false, "isImage": false})
}

// name is what a sample is called in prose.
func (s Sample) words() string { return strings.ReplaceAll(strings.ToLower(s.Name), "_", " ") }

func (s Sample) lines() []string { return strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n") }

// said is how a person puts it.
func said(rng *rand.Rand, s Sample) string {
	if s.Name == "" {
		return []string{"Please look at this:\n\n" + s.Text + "\n\nand make the tests pass.", "I get an error when I use\n" + s.Text}[rng.IntN(2)]
	}
	return []string{
		"My " + s.words() + " is " + s.Value + " - please put it where it belongs.",
		"use " + s.Name + "=" + s.Value + " for the tests",
		"here is the " + s.words() + ": " + s.Value + "\nNow deploy it.",
		"set " + s.Name + " to " + s.Value + ", then run it",
	}[rng.IntN(4)]
}

func prompt(rng *rand.Rand, s Sample) []byte {
	return claude(rng, "user", object{"role": "user", "content": said(rng, s)}, nil)
}

func promptList(rng *rand.Rand, s Sample) []byte {
	return claude(rng, "user", object{"role": "user", "content": []any{object{"type": "text", "text": "<context>\n" + said(rng, s) + "\n</context>"}}}, nil)
}

func fence(rng *rand.Rand, s Sample) []byte {
	text := "The file has this line:\n\n```sh\n" + s.Text + "\n```\n\nI move it to the environment."
	return claude(rng, "assistant", object{"id": "msg_" + pick(rng, alphabets["alnum"], 22), "role": "assistant", "content": []any{object{"type": "text", "text": text}}}, nil)
}

func bashCommand(rng *rand.Rand, s Sample) []byte {
	command := s.Text
	if s.Name != "" {
		command = []string{s.Name + "=" + s.Value + " make test", "export " + s.Name + "='" + s.Value + "' && npm start", "docker run -e " + s.Name + "=" + s.Value + " app"}[rng.IntN(3)]
	} else if rng.IntN(2) == 0 {
		command = "cd /repo && cat > conf <<'EOF'\n" + s.Text + "\nEOF"
	}
	return toolUse(rng, "Bash", object{"command": command, "description": "Run it"})
}

func cat(rng *rand.Rand, s Sample) []byte { return stdout(rng, "# settings\n"+s.Text+"\n# end\n") }

func numbered(s Sample, line func(n int, text string) string) string {
	var out []string
	for i, text := range s.lines() {
		out = append(out, line(7+i, text))
	}
	return strings.Join(out, "\n")
}

func grepNumbered(rng *rand.Rand, s Sample) []byte {
	return stdout(rng, numbered(s, func(n int, text string) string { return fmt.Sprintf("./config/app.env:%d:%s", n, text) }))
}

func grepAround(rng *rand.Rand, s Sample) []byte {
	return stdout(rng, "src/app.conf-6-# before\n"+numbered(s, func(n int, text string) string { return fmt.Sprintf("src/app.conf-%d-%s", n, text) })+"\nsrc/app.conf:20:found")
}

func plus(s Sample) string { return "+" + strings.Join(s.lines(), "\n+") }

func gitDiff(rng *rand.Rand, s Sample) []byte {
	return stdout(rng, "diff --git a/conf b/conf\nindex "+pick(rng, alphabets["hex"], 7)+".."+pick(rng, alphabets["hex"], 7)+" 100644\n--- a/conf\n+++ b/conf\n@@ -1,3 +1,4 @@\n # settings\n"+plus(s)+"\n last\n")
}

func structuredPatch(rng *rand.Rand, s Sample) []byte {
	lines := append(append([]string{" # settings"}, strings.Split(plus(s), "\n")...), "-old", " last")
	return toolResult(rng, "The file /repo/conf has been updated.", object{"filePath": "/repo/conf", "userModified": false,
		"structuredPatch": []any{object{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 4, "lines": lines}}})
}

func edit(rng *rand.Rand, s Sample) []byte {
	return toolResult(rng, "The file /repo/conf has been updated.", object{"filePath": "/repo/conf", "oldString": "old", "newString": s.Text,
		"originalFile": "# settings\nold\n" + s.Text + "\nlast\n", "replaceAll": false})
}

func read(rng *rand.Rand, s Sample) []byte {
	text := "     6→# settings\n" + numbered(s, func(n int, text string) string { return fmt.Sprintf("%6d→%s", n, text) }) + "\n    99→\n"
	return toolResult(rng, text, object{"type": "text", "file": object{"filePath": "/repo/conf", "content": s.Text, "numLines": 3, "startLine": 6, "totalLines": 99}})
}

func dockerInspect(rng *rand.Rand, s Sample) []byte {
	config := object{"Hostname": pick(rng, alphabets["hex"], 12), "Env": []string{"PATH=/usr/bin", "LANG=C"}, "Cmd": []string{"sh", "-c", s.Text}}
	if s.Name != "" {
		config = object{"Hostname": pick(rng, alphabets["hex"], 12), "Env": []string{"PATH=/usr/bin", s.Name + "=" + s.Value}, "Cmd": []string{"run"}}
	}
	return stdout(rng, indented([]any{object{"Id": pick(rng, alphabets["hex"], 64), "Created": "2026-11-21T20:26:54Z", "Config": config}}))
}

// structured is a sample within structured data.
func structured(s Sample) object {
	if s.Name != "" {
		return object{"id": 7, "settings": object{strings.ToLower(s.Name): s.Value, "region": "eu"}}
	}
	return object{"id": 7, "path": "conf", "content": s.Text}
}

func mcp(rng *rand.Rand, s Sample) []byte {
	text := compact(structured(s))
	return toolResult(rng, []any{object{"type": "text", "text": text}}, []any{object{"type": "text", "text": text}})
}

func mcpTwice(rng *rand.Rand, s Sample) []byte {
	text := "Result: " + compact(object{"status": 200, "body": compact(structured(s))})
	return toolResult(rng, []any{object{"type": "text", "text": text}}, "ok")
}

func yamlText(rng *rand.Rand, s Sample) []byte {
	text := "apiVersion: v1\nkind: ConfigMap\ndata:\n  app.conf: |\n    " + strings.Join(s.lines(), "\n    ") + "\n  mode: fast\n"
	if s.Name != "" {
		text = "service:\n  name: app\n  env:\n    REGION: eu\n    " + s.Name + ": " + s.Value + "\n  port: 80\n"
		if strings.ContainsAny(s.Value[:1], "!#%&*>@{[|`-?") || strings.Contains(s.Value, ": ") || strings.Contains(s.Value, " #") {
			text = strings.Replace(text, ": "+s.Value, ": '"+s.Value+"'", 1)
		}
	}
	return toolUse(rng, "Write", object{"file_path": "/repo/app.yaml", "content": text})
}

func tomlText(rng *rand.Rand, s Sample) []byte {
	text := "[service]\nname = \"app\"\nscript = '''\n" + s.Text + "\n'''\nport = 80\n"
	if s.Name != "" {
		text = "[service]\nname = \"app\"\n" + strings.ToLower(s.Name) + " = \"" + s.Value + "\"\nport = 80\n"
	}
	return stdout(rng, text)
}

func env(rng *rand.Rand, s Sample) []byte {
	text := "HOME=/home/me\nLANG=C.UTF-8\n" + s.Text + "\nPATH=/usr/bin\nSHLVL=1\n"
	if s.Name != "" {
		text = "HOME=/home/me\nLANG=C.UTF-8\n" + s.Name + "=" + s.Value + "\nPATH=/usr/bin\nSHLVL=1\n"
	}
	return codex(rng, object{"type": "function_call_output", "call_id": "call_1_0", "output": "Chunk ID: e041d7\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 0\nOutput:\n" + text})
}

func codex(rng *rand.Rand, payload object) []byte {
	return encode(object{"timestamp": "2026-11-21T20:25:47.280Z", "ordinal": 11, "type": "response_item", "payload": payload, "metadata": object{"turn_id": generate(rng, "uuid")}})
}

func codexArguments(rng *rand.Rand, s Sample) []byte {
	command := s.Text
	if s.Name != "" {
		command = s.Name + "=" + s.Value + " npm test"
	}
	return codex(rng, object{"type": "function_call", "name": "exec_command", "arguments": compact(object{"cmd": command, "workdir": "/repo"}), "call_id": "call_1_0"})
}

func geminiWrite(rng *rand.Rand, s Sample) []byte {
	diff := "Index: conf\n===================================================================\n--- conf\tOriginal\n+++ conf\tWritten\n@@ -0,0 +1,2 @@\n" + plus(s) + "\n"
	return encode(object{"id": generate(rng, "uuid"), "type": "gemini", "content": "I write.", "model": "gemini-2.5-pro", "toolCalls": []any{object{
		"id": "write_file_1", "name": "write_file", "args": object{"file_path": "/repo/conf", "content": s.Text + "\n"},
		"result":        []any{object{"functionResponse": object{"name": "write_file", "response": object{"output": "Here is the updated code:\n" + s.Text + "\n"}}}},
		"resultDisplay": object{"fileDiff": diff, "fileName": "conf", "originalContent": "", "newContent": s.Text + "\n"}}}})
}

func dockerLogs(rng *rand.Rand, s Sample) []byte {
	return stdout(rng, "2026-11-21T20:26:53.000000000Z starting\n"+numbered(s, func(n int, text string) string {
		return fmt.Sprintf("web-1  | 2026-11-21T20:26:53.%09dZ %s", n, text)
	}))
}

func quoted(rng *rand.Rand, s Sample) []byte {
	return claude(rng, "user", object{"role": "user", "content": "On Monday Ann wrote:\n> " + strings.Join(s.lines(), "\n> ") + "\nIs that right?"}, nil)
}

func jsonList(rng *rand.Rand, s Sample) []byte {
	entry := object{"name": "conf", "value": s.Text}
	if s.Name != "" {
		entry = object{"name": s.Name, "value": s.Value}
	}
	return stdout(rng, indented(object{"containerDefinitions": []any{object{"environment": []any{object{"name": "REGION", "value": "eu"}, entry}}}}))
}

func table(rng *rand.Rand, s Sample) []byte {
	row := "| " + strings.Join(s.lines(), " |\n| ") + " |"
	if s.Name != "" {
		row = "| `" + s.Name + "` | `" + s.Value + "` |"
	}
	return claude(rng, "assistant", object{"role": "assistant", "content": []any{object{"type": "text", "text": "| name | value |\n|---|---|\n" + row + "\n"}}}, nil)
}

func blame(rng *rand.Rand, s Sample) []byte {
	return stdout(rng, numbered(s, func(n int, text string) string {
		return fmt.Sprintf("%s (Ann Example 2026-11-21 20:26:53 +0100 %d) %s", pick(rng, alphabets["hex"], 8), n, text)
	}))
}

func write(rng *rand.Rand, s Sample) []byte {
	text := s.Text
	if s.Name != "" {
		dotted := strings.ReplaceAll(strings.ToLower(s.Name), "_", ".")
		text = []string{
			dotted + "=" + s.Value,
			`<add key="` + s.Name + `" value="` + s.Value + `"/>`,
			"define('" + s.Name + "', '" + s.Value + "');",
			s.Name + " = os.environ.get('" + s.Name + "', '" + s.Value + "')",
			"[app]\n" + strings.ToLower(s.Name) + " = " + s.Value,
		}[rng.IntN(5)]
	}
	return toolUse(rng, "Write", object{"file_path": "/repo/conf", "content": text + "\n"})
}

func traceback(rng *rand.Rand, s Sample) []byte {
	text := "Traceback (most recent call last):\n  File \"/repo/app.py\", line 7, in <module>\n    " + strings.Join(s.lines(), "\n    ") + "\nValueError: no\n"
	if s.Name != "" {
		text = "Traceback (most recent call last):\n  File \"/repo/app.py\", line 7, in <module>\nKeyError: {'region': 'eu', '" + strings.ToLower(s.Name) + "': '" + s.Value + "'}\n"
	}
	return toolResult(rng, "Exit code 1\n"+text, "Error: Exit code 1\n"+text)
}
