package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// furtherContexts are records that the rules were not written by either.
func furtherContexts() []Context {
	in := func(format func(rng *rand.Rand, s Sample) string) func(*rand.Rand, Sample) []byte {
		return func(rng *rand.Rand, s Sample) []byte { return stdout(rng, format(rng, s)) }
	}
	named := func(name, text string) func(*rand.Rand, Sample) string {
		return func(_ *rand.Rand, s Sample) string {
			if s.Name == "" {
				return strings.ReplaceAll(text, "«»", s.Text)
			}
			value := strings.NewReplacer("NAME", s.Name, "name", strings.ToLower(s.Name), "VALUE", s.Value)
			return value.Replace(name)
		}
	}
	return []Context{
		{"declare -x", in(named("declare -x LANG=\"C\"\ndeclare -x NAME=\"VALUE\"\ndeclare -x SHLVL=\"1\"", "$ cat conf\n«»\n$ "))},
		{"powershell", in(named("PS C:\\> $env:NAME = \"VALUE\"", "PS C:\\> type conf\n«»\nPS C:\\> "))},
		{"aligned", in(named("Region:           eu\nNAME:   VALUE\nPort:             80", "File:   conf\n«»\nEnd"))},
		{"log line", in(named("2026-11-21T20:26:53Z INFO main config loaded region=eu NAME=VALUE port=80", "2026-11-21 20:26:53 DEBUG read:\n«»"))},
		{"list", in(named("Settings:\n- **Region**: eu\n- **name**: VALUE\n- **Port**: 80", "Settings:\n\n    «»\n"))},
		{"plan", in(named("  # app.main will be updated\n  ~ resource \"app\" \"main\" {\n      ~ name = \"VALUE\" -> \"changed\"\n    }", "<details>\n<pre>\n«»\n</pre>"))},
		{"struct", in(named("config: {Region:eu name:VALUE Port:80}", "<!--\n«»\n-->"))},
		{"python", in(named("connect(region='eu', name='VALUE', port=80)", "text = '''\n«»\n'''"))},
		{"deleted line", in(named("@@ -1,3 +1,2 @@\n {\n-  \"name\": \"VALUE\",\n   \"port\": 80", "@@ -1,3 +1,2 @@\n # conf\n-«»"))},
		{"three deep", func(rng *rand.Rand, s Sample) []byte {
			inner := compact(object{"event": "call", "input": compact(object{"arguments": compact(structured(s))})})
			return toolResult(rng, inner, "ok")
		}},
		{"notebook", func(rng *rand.Rand, s Sample) []byte {
			var source []string
			for _, line := range s.lines() {
				source = append(source, line+"\n")
			}
			return stdout(rng, indented(object{"cells": []any{object{"cell_type": "code", "metadata": object{}, "source": source}}}))
		}},
		{"asked", func(rng *rand.Rand, s Sample) []byte {
			text := "what is wrong with this?\n" + s.Text
			if s.Name != "" {
				text = fmt.Sprintf([]string{"here is my %s %s, can you set it up?", "why is %s %s not accepted?", "the %s for prod: %s"}[rng.IntN(3)], s.words(), s.Value)
			}
			return claude(rng, "user", object{"role": "user", "content": text}, nil)
		}},
	}
}

// Further gives a record of each kind in contexts that the rules were not written by, and of kinds
// that they were not written by in all contexts.
func Further(kinds []Kind, seed uint64) []Record {
	all := recordsOf(kinds, furtherContexts(), seed)
	return append(all, recordsOf(furtherKinds(), append(furtherContexts(), Contexts()...), seed+1)...)
}
