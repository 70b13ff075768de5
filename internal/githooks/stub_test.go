package githooks

import (
	"math/rand"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestParseStubFindsWhatStubWrote(t *testing.T) {
	const letters = `ab '"\$@` + "`\n\t!*~é#;&|NAME"
	rnd := rand.New(rand.NewSource(1))
	for range testdir.Times(1000, 40) {
		exe := "/"
		for range rnd.Intn(12) {
			exe += string(letters[rnd.Intn(len(letters))])
		}
		for _, name := range Names {
			for _, chained := range []bool{false, true} {
				body := stub(name, exe, chained)
				if got, ok := parseStub(name, body); !ok || got != exe {
					t.Fatalf("parseStub of the stub for %q = %q, %v", exe, got, ok)
				}
				i := rnd.Intn(len(body))
				edited := body[:i] + "x" + body[i:]
				if got, ok := parseStub(name, edited); ok && stub(name, got, chained) != edited {
					t.Fatalf("an edited stub passes as ours:\n%s", edited)
				}
			}
		}
	}
}

func TestParseStubIsPerName(t *testing.T) {
	if _, ok := parseStub("commit-msg", stub("post-commit", "/x", false)); ok {
		t.Error("a stub under another hook's name passes as ours")
	}
	for _, body := range []string{"", "#", header, header + starts, strings.Repeat("'", 300)} {
		if _, ok := parseStub("commit-msg", body); ok {
			t.Errorf("%q passes as ours", body)
		}
	}
}

func TestStubStartsNoOtherProgram(t *testing.T) {
	for _, name := range Names {
		for _, chained := range []bool{false, true} {
			body := strings.Replace(stub(name, "/opt/x", chained), "$(date +%F)", "", 1) // where the program is gone
			for _, bad := range []string{"$(", "\n`", " | ", "basename", "dirname"} {
				shared := chained && readsInput(name) // two that read the same input need a pipe
				if strings.Contains(body, bad) && !shared {
					t.Errorf("the stub of %s contains %q:\n%s", name, bad, body)
				}
			}
			if n := strings.Count(body, "\n"); n > 16 {
				t.Errorf("the stub of %s has %d lines", name, n)
			}
		}
	}
}

func TestCallingLine(t *testing.T) {
	for body, want := range map[string]bool{
		"#!/bin/sh\nentire-plumb hooks git commit-msg \"$@\"\n":       true,
		"lint && '/opt/a b/entire-plumb' hooks git commit-msg \"$@\"": true,
		"if x; then /opt/entire-plumb hooks git commit-msg; fi":       true,
		"# entire-plumb hooks git commit-msg":                         false,
		"entire-plumb hooks git post-commit":                          false,
		"/home/entire-plumb/bin/entire hooks git commit-msg":          false,
		"my-entire-plumb hooks git commit-msg":                        false,
		"entire-plumb hooks git":                                      false,
		"entire-plumb hooks git commit-msg-2":                         false,
	} {
		if _, got := callingLine("commit-msg", body); got != want {
			t.Errorf("callingLine(%q) = %v", body, got)
		}
	}
}
