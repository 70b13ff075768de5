package cli

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"entire-plumb/internal/query"
	"entire-plumb/internal/stats"
)

// statsCSV prints a line for each row, or one with the totals, behind a header, as RFC 4180 says.
// The totals of rows are left out: a spreadsheet adds up itself.
func statsCSV(w io.Writer, all query.Stats) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	columns := csvLines
	if all.By != stats.Path { // a session's tokens are of no directory
		columns = slices.Concat(csvLines, csvSpent)
	}
	header := []string{cmp.Or(string(all.By), "total")}
	for _, c := range columns {
		header = append(header, c.name)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	rows := all.Groups
	if all.By == stats.Nothing {
		rows = []stats.Row{all.Totals}
		rows[0].Key = "total"
	}
	for _, r := range rows {
		key := r.Key
		if all.By == stats.Week { // its Monday alone: a cell has one value
			key = key[strings.LastIndexByte(key, ' ')+1:]
		}
		line := []string{csvText(key)}
		for _, c := range columns {
			line = append(line, fmt.Sprint(c.of(r)))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// csvColumn is a column of numbers, by the name that it has in JSON.
type csvColumn struct {
	name string
	of   func(stats.Row) any
}

var csvLines = []csvColumn{
	{"commits", func(r stats.Row) any { return r.Commits }},
	{"linked_commits", func(r stats.Row) any { return r.Linked }},
	{"checkpoints", func(r stats.Row) any { return r.Checkpoints }},
	{"agent_lines", func(r stats.Row) any { return r.Agent }},
	{"human_lines", func(r stats.Row) any { return r.Human }},
	{"unknown_lines", func(r stats.Row) any { return r.Unknown }},
	{"agent_percentage", func(r stats.Row) any { return csvPercent(r.Share()) }},
	{"other_lines", func(r stats.Row) any { return r.Others }},
	{"generated_lines", func(r stats.Row) any { return r.Generated.All() + r.OthersApart }},
	{"accepted_lines", func(r stats.Row) any { return r.Accepted }},
	{"edited_lines", func(r stats.Row) any { return r.Edited }},
	{"brought_agent_lines", func(r stats.Row) any { return r.Born.Agent }},
	{"alive_agent_lines", func(r stats.Row) any { return r.Alive.Agent }},
	{"brought_human_lines", func(r stats.Row) any { return r.Born.Human }},
	{"alive_human_lines", func(r stats.Row) any { return r.Alive.Human }},
}

var csvSpent = []csvColumn{
	{"input_tokens", func(r stats.Row) any { return r.Tokens.Input }},
	{"output_tokens", func(r stats.Row) any { return r.Tokens.Output }},
	{"cache_read_tokens", func(r stats.Row) any { return r.Tokens.CacheRead }},
	{"cache_creation_tokens", func(r stats.Row) any { return r.Tokens.CacheWrite }},
	{"usd", func(r stats.Row) any { return csvUSD(r) }},
	{"unpriced_tokens", func(r stats.Row) any { return r.Unpriced }},
}

// csvUSD is what has a price; empty: nothing of it has one.
func csvUSD(r stats.Row) string {
	if r.USD == 0 && r.Unpriced > 0 {
		return ""
	}
	return fmt.Sprintf("%.4f", r.USD)
}

// csvPercent is a share; empty: no line has a known author.
func csvPercent(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *share)
}

// csvText is a text of others, which a spreadsheet does not take for a formula. An apostrophe marks
// a text there.
func csvText(s string) string {
	s = printable(s)
	if strings.IndexAny(strings.TrimLeft(s, " \t"), "=+-@＝＋－＠") == 0 {
		return "'" + s
	}
	return s
}
