package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/history"
)

func retainCommand() *cli.Command {
	return &cli.Command{
		Name:  "retain",
		Usage: "drop old transcripts from the history of the checkpoints",
		Description: "Those that are older than a time, as 60d, 8w or 12h, or all but the latest ones that have a size together, as 200MB.\n" +
			"Metadata, prompts, the authors of lines and links stay. The history of entire/checkpoints/v1 is written again; on a\n" +
			"terminal it asks first, elsewhere it needs --yes.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "transcripts", Usage: "keep those of a `TIME`, or of a size together"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be dropped"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "don't ask"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			if !c.IsSet("transcripts") {
				return usagef("what to keep is missing\nhint: entire-plumb retain -n --transcripts 60d, or 200MB")
			}
			q, err := parseRetain(c.String("transcripts"))
			if err != nil {
				return err
			}
			e, _, err := caughtUp(c)
			if err != nil {
				return err
			}
			if q.Preview = c.Bool("dry-run"); !c.Bool("yes") {
				q.Ask = func(plan history.Retained) (bool, error) { return askRetain(c, plan) }
			}
			done, err := q.Run(c.Context, e)
			if err != nil {
				return err
			}
			return output(c, done, func(w io.Writer) {
				printRetained(w, done)
				if done.Done {
					printPrune(w, done.Refs, done.Copies)
				}
			})
		},
	}
}

// parseRetain reads a time or a size.
func parseRetain(text string) (q history.Retain, err error) {
	units := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "y": 365 * 24 * time.Hour}
	for unit, length := range units {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		const most = 100 * 365 * 24 * time.Hour
		if n, err := strconv.Atoi(number); err == nil && n > 0 && time.Duration(n) <= most/length {
			q.For = time.Duration(n) * length
			return q, nil
		}
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > 1<<60 || strings.Trim(text, "0123456789") == "" {
		return q, usagef("%q is neither a time, as 60d, 8w or 12h, nor a size, as 200MB", text)
	}
	q.Size = int64(size)
	return q, nil
}

func printRetained(w io.Writer, done history.Retained) {
	if len(done.Dropped) == 0 {
		fmt.Fprintln(w, "nothing to drop")
		return
	}
	drop, keep := "would drop", "keep"
	if done.Done {
		drop, keep = "dropped", "kept"
	}
	fmt.Fprintf(w, "%s the transcripts of %s, and %s those of %d\n", drop, amount.Of(len(done.Dropped), "checkpoint"), keep, done.Kept)
	fmt.Fprintf(w, "that frees %s of %s, before git compresses them\n", amount.Of(done.Files, "file"), amount.Bytes(done.Frees))
}

// askRetain asks on a terminal; elsewhere it is an error.
func askRetain(c *cli.Context, plan history.Retained) (bool, error) {
	if !asks() {
		return false, fmt.Errorf("the transcripts of %s would be dropped, and there is no terminal to ask on\nhint: -n says more; --yes drops them",
			amount.Of(len(plan.Dropped), "checkpoint"))
	}
	printRetained(c.App.ErrWriter, plan)
	return agreed(c, "Write the branch's history again without them? [y/N] ")
}
