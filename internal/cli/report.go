package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/site"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write a report on recorded work as one HTML page",
		ArgsUsage: "[COMMIT|CHECKPOINT|SESSION|TURN|RANGE…] [-- PATH…]",
		Description: "The page shows the turns with their prompts, the changes with the author of each line, the tokens, and a graph\n" +
			"of the work. It is a single file that fetches nothing. IDs may be abbreviated; a checkpoint on a shadow branch\n" +
			"is named by its commit. Without a name it is about HEAD. Of a range, or of several names, it shows what was asked\n" +
			"in order, what each session did, which turns were dismissed, and which files only agents touched. --site writes a\n" +
			"directory of pages for the whole repository, which can be published as it is; the next run writes what changed.\n" +
			"It has the committed checkpoints, and no conversation that is encrypted.",
		Flags: append(selectionFlags(),
			&cli.StringFlag{Name: "o", Usage: "write the page to `FILE`; - is stdout"},
			&cli.BoolFlag{Name: "json", Usage: "print the content of the page as JSON instead; with --site, what was written"},
			&cli.StringFlag{Name: "site", Usage: "write pages for the whole repository into `DIR`"},
			&cli.BoolFlag{Name: "with-encrypted", Usage: "with --site, publish what an identity here can read"},
		),
		Action: reading(checkReport, func(c *cli.Context, e query.Source) error {
			if c.IsSet("site") {
				return writeSite(c, e)
			}
			file := c.String("o")
			page, err := gather(c, e, report.Request{Selection: selectionOrHead(c)})
			if err != nil {
				return err
			}
			warnGaps(c.App.ErrWriter, page.Gaps, page.Absent, unshallowing(c))
			switch {
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, page), damage(page.Damage...))
			case file == "-":
				return errors.Join(report.Write(c.App.Writer, page), damage(page.Damage...))
			}
			var text bytes.Buffer
			if err := report.Write(&text, page); err != nil {
				return err
			}
			return errors.Join(writePage(c, file, text.Bytes()), damage(page.Damage...))
		}),
	}
}

// gather collects the content of a report, at the user's prices.
func gather(c *cli.Context, e query.Source, q report.Request) (report.Page, error) {
	r, err := e.OpenFor(c.Context, q.Selection)
	if err != nil {
		return report.Page{}, err
	}
	defer r.Close()
	if q.Prices, err = settings.Prices(""); err != nil {
		return report.Page{}, err
	}
	return report.Gather(c.Context, r, q)
}

// checkReport refuses arguments and flags that make no sense.
func checkReport(c *cli.Context) error {
	file := c.String("o")
	switch {
	case c.IsSet("site"):
		return checkSite(c)
	case c.Bool("with-encrypted"):
		return usagef("--with-encrypted is for --site\nhint: a page of its own has what you can read")
	case file == "" && !c.Bool("json"):
		return usagef("no output file given\nhint: -o FILE, or -o - for stdout")
	}
	if info, err := os.Stat(file); file != "" && err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory\nhint: name a file in it, such as %s", file, filepath.Join(file, "report.html"))
	}
	return oneOf(c, "o", "json")
}

// checkSite refuses what makes no sense with --site.
func checkSite(c *cli.Context) error {
	switch {
	case c.String("site") == "":
		return usagef("no directory given\nhint: %s --site public", c.Command.HelpName)
	case c.NArg() > 0, c.IsSet("since"), c.IsSet("until"), c.IsSet("author"):
		return usagef("--site is for the whole repository\nhint: %s --site %s", c.Command.HelpName, c.String("site"))
	}
	return oneOf(c, "o", "site")
}

// writeSite writes the pages of the repository.
func writeSite(c *cli.Context, e query.Source) error {
	dir := c.String("site")
	if err := refuseLinkOut(c, filepath.Clean(dir)); err != nil {
		return cannot(dir, err)
	}
	table, err := settings.Prices("")
	if err != nil {
		return err
	}
	done, err := site.Build(c.Context, e, site.Request{Dir: dir, Prices: table, Encrypted: c.Bool("with-encrypted")})
	if err != nil {
		return err
	}
	warnGaps(c.App.ErrWriter, done.Gaps, done.Absent, unshallowing(c))
	err = output(c, done, func(w io.Writer) {
		fmt.Fprintf(w, "%s for %s and %s: %d written, %d removed\n", amount.Of(done.Pages, "page"), amount.Of(done.Sessions, "session"),
			amount.Of(done.Commits, "commit"), len(done.Written), len(done.Removed))
		if done.Withheld > 0 {
			fmt.Fprintf(w, "not published: %s (encrypted, or dropped)\n", amount.Of(done.Withheld, "conversation"))
		}
		fmt.Fprintln(w, "open "+printable(filepath.Join(dir, "index.html")))
	})
	return errors.Join(err, damage(done.Damage...))
}

// writePage writes a temporary file and renames it, so that no reader sees half of it. It writes
// into what is not a regular file, such as a pipe. It follows a symbolic link, except one in the
// worktree that points outside: others may have committed it.
func writePage(c *cli.Context, file string, data []byte) error {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		real = file // it doesn't exist yet, or is a broken link
	}
	if err := refuseLinkOut(c, file); err != nil {
		return cannot(file, err)
	}
	if info, err := os.Stat(real); err == nil && !info.Mode().IsRegular() {
		return cannot(file, safefile.WriteInto(real, data))
	}
	return cannot(file, safefile.Write(real, data, 0o600))
}

// refuseLinkOut refuses a file of the worktree if a symbolic link in its path points outside.
func refuseLinkOut(c *cli.Context, file string) error {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(here, file)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return err
	}
	if info, err := os.Lstat(file); dir == filepath.Dir(file) && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
		return nil // no link in the path
	}
	repo, err := discover(c)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(repo.Top, file)
	if err != nil || !filepath.IsLocal(name) {
		return nil
	}
	_, _, err = safefile.Inside(repo.Top, filepath.ToSlash(name))
	return err
}

func cannot(file string, err error) error {
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("the page cannot be written to %s: %w", file, err)
	}
	return nil
}
