package redact

import (
	"fmt"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestLimit(t *testing.T) {
	var many []Rule
	for i := range 1000 {
		many = append(many, Rule{fmt.Sprint(i), `TICKET-(\d+)`})
	}
	if within, over := Limit(many); len(within) != mostRules || len(over) != 900 || over[0].ID != "100" {
		t.Errorf("%d within, %d over", len(within), len(over))
	}
	for _, expression := range []string{strings.Repeat("a", longestRule+1), `(a{30}b{20}){30}`, `[a-z]{1000}x`, `((((a|b){9}){9}){9}|c){1}d`} {
		if within, over := Limit([]Rule{{"r", expression}}); len(within) != 0 || len(over) != 1 {
			t.Errorf("%.40s is within the limits", expression)
		}
	}
	for _, many := range []string{strings.Repeat("a", longestRule), `[a-z]{300}`} {
		rules := make([]Rule, mostRules)
		for i := range rules {
			rules[i] = Rule{fmt.Sprint(i), many}
		}
		if within, over := Limit(rules); len(within) < 5 || len(within) > 11 || len(within)+len(over) != mostRules {
			t.Errorf("%.40s: %d within", many, len(within))
		}
	}
	ordinary := []Rule{{"ticket", `TICKET-(\d+)`}, {"host", `(?i)\b[a-z0-9-]{1,63}\.corp\.example\b`}, {"bad", `(`}}
	if _, over := Limit(ordinary); len(over) > 0 {
		t.Errorf("%v are over the limits", over)
	}
}

// A rule of others that takes too long is not used any more, and named; the other rules are, and
// so are a user's own.
func TestLateRules(t *testing.T) {
	rules := []Rule{{"slow", `([a-z]+[a-z ]*){20}!`}, {"ticket", `TICKET-(\d+)`}}
	if _, over := Limit(rules); len(over) > 0 {
		t.Fatalf("%v", over)
	}
	words := strings.Repeat("some words without an end ", 2000)
	r, err := New(Options{Rules: rules, Others: true})
	testdir.Must(t, err)
	for range 1000 {
		if len(r.Late()) > 0 {
			break
		}
		r.users(words)
	}
	if late := r.Late(); fmt.Sprint(late) != "[slow]" {
		t.Errorf("late are %v", late)
	}
	if got := r.Text("TICKET-77 " + words); !strings.HasPrefix(got, "TICKET-REDACTED some") {
		t.Errorf("%.40s", got)
	}
	own, err := New(Options{Rules: rules})
	if err != nil || own.clock != nil || len(own.Late()) > 0 {
		t.Error("the user's own rules are limited")
	}
}
