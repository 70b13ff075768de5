package redact

import (
	"bytes"
	"encoding/json"
	flags "flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/redact/corpus"
	"entire-plumb/internal/testdir"
)

var allRecords = flags.Bool("all", os.Getenv("ENTIRE_TEST_ALL") != "", "redact all records of the corpus, and not each thirtieth one")

// eachOf is each nth of some, or, with -all, each of those that are played then.
func eachOf[T any](all []T, nth, withAll int) (some []T) {
	if *allRecords {
		nth = withAll
	}
	for i := 0; i < len(all); i += nth {
		some = append(some, all[i])
	}
	return some
}

// documented compares figures of all records with those of docs/redaction.md.
func documented(t *testing.T, format string, figures ...any) {
	t.Helper()
	page, err := os.ReadFile("../../docs/redaction.md")
	testdir.Must(t, err)
	want := fmt.Sprintf(format, figures...)
	if *allRecords && !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/redaction.md should say %q", want)
	}
}

// TestRecall redacts secrets of all kinds in all contexts. With -all, as in CI, its figures must be
// those of docs/redaction.md; internal/redact/corpus/measure prints them by kind and by context,
// beside those of gitleaks.
func TestRecall(t *testing.T) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	r, _ := New(Options{})
	records := eachOf(corpus.Records(kinds, 1), 30, 1)
	done := map[string][]byte{}
	once := func(record []byte) []byte {
		if _, ok := done[string(record)]; !ok {
			done[string(record)] = r.Records(record)
		}
		return done[string(record)]
	}
	all := corpus.Measure(records, once, func(corpus.Record) bool { return true })
	held := corpus.Measure(records, once, func(r corpus.Record) bool { return corpus.Held(r.Kind.Name) || corpus.Held(r.Context.Name) })
	t.Log("all: ", all.Summary())
	t.Log("held out: ", held.Summary())
	if got := all.Origins[corpus.Gitleaks].Percent(); got < 99 {
		t.Errorf("%.1f %% of the records of gitleaks' kinds", got)
	}
	if got := all.Origins[corpus.Other].Percent(); got < 98 {
		t.Errorf("%.1f %% of the records of other kinds", got)
	}
	documented(t, "| entire-plumb | %.1f %% | %.1f %% | %.1f %% |", all.Origins[corpus.Gitleaks].Percent(), all.Origins[corpus.Other].Percent(),
		all.Complete().Percent())
	if got := all.Complete(); got.Percent() < 92 {
		t.Errorf("only %.1f %% of the kinds in all contexts", got.Percent())
	}
}

// TestCorpusInvariants: JSON stays valid, what is no secret stays as it was, and what was redacted
// comes out the same once more.
func TestCorpusInvariants(t *testing.T) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	r, _ := New(Options{})
	for _, record := range eachOf(corpus.Records(eachOf(kinds, 4, 1), 2), 12, 12) {
		got := r.Records(record.JSON)
		if !json.Valid(got) {
			t.Fatalf("%s, %s: %s is no JSON", record.Kind.Name, record.Context.Name, got)
		}
		if again := r.Records(got); !bytes.Equal(again, got) {
			t.Errorf("%s, %s: %s became %s the second time", record.Kind.Name, record.Context.Name, got, again)
		}
		rest := record.JSON
		for part := range bytes.SplitSeq(got, []byte(Mark)) {
			n := bytes.Index(rest, part)
			if n < 0 {
				t.Errorf("%s, %s: %q is not in %s", record.Kind.Name, record.Context.Name, part, record.JSON)
				break
			}
			rest = rest[n+len(part):]
		}
	}
}

// TestPlainRecords redacts texts that hold no secret.
func TestPlainRecords(t *testing.T) {
	r, _ := New(Options{})
	lines, hits := 0, 0
	for _, p := range corpus.Plains(1) {
		n, records := 0, p.Records()
		some := eachOf(records, len(records), 1)
		for _, record := range some {
			got := r.Records(record)
			n += bytes.Count(got, []byte(Mark))
			if n > 0 && testing.Verbose() {
				for i, line := range strings.Split(string(got), `\n`) {
					if strings.Contains(line, Mark) {
						t.Logf("%s, %d: %.200s", p.Name, i, line)
						break
					}
				}
			}
		}
		lines, hits = lines+p.Lines()*len(some)/len(records), hits+n
		t.Logf("%s: %d in %d lines", p.Name, n, p.Lines())
	}
	rate := 1000 * float64(hits) / float64(lines)
	t.Logf("%d in %d lines, %.3f per 1,000", hits, lines, rate)
	if rate > 0.5 {
		t.Errorf("%.3f false positives per 1,000 lines", rate)
	}
	if dir := os.Getenv("REDACT_LEAKS"); dir != "" {
		writeLeaks(t, r, filepath.Join(dir, "leaks.txt"))
	}
}

// writeLeaks writes what gets through .
func writeLeaks(t *testing.T, r *Redactor, file string) {
	kinds, err := corpus.Kinds(gitleaksRules)
	testdir.Must(t, err)
	var b bytes.Buffer
	open := corpus.Measure(corpus.Records(kinds, 1), r.Records, func(corpus.Record) bool { return true })
	open.Write(&b)
	for _, leak := range open.Leaks {
		b.WriteString(strings.Join([]string{string(leak.Kind.Origin), leak.Kind.Name, leak.Context.Name, leak.Secrets[0], string(r.Records(leak.JSON))}, "\t") + "\n")
	}
	testdir.Must(t, os.WriteFile(file, b.Bytes(), 0o600))
}
