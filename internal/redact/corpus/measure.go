package corpus

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Recall counts the records that show nothing of their secrets.
type Recall struct {
	Kinds    map[string]*Count // by the kind's name
	Contexts map[string]*Count
	Origins  map[Origin]*Count
	origin   map[string]Origin
	Leaks    []Record
}

// Count is how many records there are, and how many are safe.
type Count struct{ Safe, All int }

// Percent is the share of the safe ones.
func (c Count) Percent() float64 { return 100 * float64(c.Safe) / float64(max(1, c.All)) }

// Measure redacts all records that are chosen.
func Measure(records []Record, redact func([]byte) []byte, chosen func(Record) bool) *Recall {
	r := &Recall{map[string]*Count{}, map[string]*Count{}, map[Origin]*Count{}, map[string]Origin{}, nil}
	for _, record := range records {
		if !chosen(record) {
			continue
		}
		safe := !record.Leaks(redact(record.JSON))
		r.origin[record.Kind.Name] = record.Kind.Origin
		count(r.Kinds, record.Kind.Name, safe)
		count(r.Contexts, record.Context.Name, safe)
		count(r.Origins, record.Kind.Origin, safe)
		if !safe {
			r.Leaks = append(r.Leaks, record)
		}
	}
	return r
}

func count[K comparable](counts map[K]*Count, key K, safe bool) {
	if counts[key] == nil {
		counts[key] = &Count{}
	}
	counts[key].All++
	if safe {
		counts[key].Safe++
	}
}

// Complete counts the kinds that are safe in all contexts.
func (r *Recall) Complete() Count {
	c := Count{All: len(r.Kinds)}
	for _, kind := range r.Kinds {
		if kind.Safe == kind.All {
			c.Safe++
		}
	}
	return c
}

// Summary is the figures on a line.
func (r *Recall) Summary() string {
	all := Count{}
	for _, c := range r.Origins {
		all.Safe, all.All = all.Safe+c.Safe, all.All+c.All
	}
	text := fmt.Sprintf("%d records: %.1f %%", all.All, all.Percent())
	for _, origin := range []Origin{Gitleaks, Other} {
		if c := r.Origins[origin]; c != nil {
			text += fmt.Sprintf(", %s kinds %.1f %%", origin, c.Percent())
		}
	}
	c := r.Complete()
	return text + fmt.Sprintf(", %d of %d kinds complete (%.1f %%)", c.Safe, c.All, c.Percent())
}

// Write writes the share by context and by kind, the worst first.
func (r *Recall) Write(w io.Writer) {
	for _, table := range []map[string]*Count{r.Contexts, r.Kinds} {
		names := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
			return cmp.Or(cmp.Compare(table[a].Percent(), table[b].Percent()), cmp.Compare(a, b))
		})
		for _, name := range names {
			fmt.Fprintf(w, "%6.1f %%  %d/%d  %s\n", table[name].Percent(), table[name].Safe, table[name].All, name)
		}
		fmt.Fprintln(w)
	}
}
