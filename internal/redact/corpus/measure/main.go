// measure prints how much of the corpus entire-plumb redacts, by context and by kind, beside
// gitleaks, and what either takes for a secret in texts that hold none. It is a module of its own,
// so that the program does not depend on gitleaks:
//
//	cd internal/redact/corpus/measure && go run . [-seed N] [-kinds] [-held]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"

	"entire-plumb/internal/redact"
	"entire-plumb/internal/redact/corpus"
)

func main() {
	seed := flag.Uint64("seed", 1, "the seed that the secrets come from")
	kinds := flag.Bool("kinds", false, "print the figures of each kind and context as well")
	held := flag.Bool("held", false, "measure only the kinds and contexts that are held out")
	flag.Parse()
	if err := run(*seed, *kinds, *held); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(seed uint64, details, held bool) error {
	logging.Logger = logging.Logger.Level(zerolog.Disabled)
	kinds, err := corpus.Kinds([]byte(config.DefaultConfig))
	if err != nil {
		return err
	}
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	ours, err := redact.New(redact.Options{})
	if err != nil {
		return err
	}
	records := corpus.Records(kinds, seed)
	chosen := func(r corpus.Record) bool {
		return !held || corpus.Held(r.Kind.Name) || corpus.Held(r.Context.Name)
	}
	for _, program := range []struct {
		name   string
		redact func([]byte) []byte
	}{{"entire-plumb", ours.Records}, {"gitleaks", func(record []byte) []byte { return withGitleaks(detector, record) }}} {
		got := corpus.Measure(records, program.redact, chosen)
		fmt.Printf("%s: %s\n", program.name, got.Summary())
		if details {
			got.Write(os.Stdout)
		}
		lines, hits := 0, 0
		for _, plain := range corpus.Plains(seed) {
			n := 0
			for _, record := range plain.Records() {
				n += bytes.Count(program.redact(record), []byte(redact.Mark))
			}
			if details && n > 0 {
				fmt.Printf("%8d  false, in %d lines of %s\n", n, plain.Lines(), plain.Name)
			}
			lines, hits = lines+plain.Lines(), hits+n
		}
		fmt.Printf("%s: %d false in %d lines of texts without a secret, %.2f per 1,000\n", program.name, hits, lines, 1000*float64(hits)/float64(lines))
	}
	return nil
}

// withGitleaks puts our mark in the place of what gitleaks finds in a record, the longest first.
func withGitleaks(detector *detect.Detector, record []byte) []byte {
	text := string(record)
	found := detector.DetectString(text)
	slices.SortFunc(found, func(a, b report.Finding) int { return len(b.Secret) - len(a.Secret) })
	for _, f := range found {
		text = strings.ReplaceAll(text, f.Secret, redact.Mark)
	}
	return []byte(text)
}
