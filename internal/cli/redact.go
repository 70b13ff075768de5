package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
)

// mostRedacted is how many bytes of a file are read.
const mostRedacted = 256 << 20

// redaction is a place that is redacted, in a file.
type redaction struct {
	File string `json:"file"`
	redact.Finding
}

func redactCommand() *cli.Command {
	return &cli.Command{
		Name:      "redact",
		Usage:     "print texts without secrets; -n lists what would be redacted",
		ArgsUsage: "FILE…",
		Description: "The rules are those by which transcripts and prompts are stored here, with the settings of this repository, if\n" +
			"there is one. A file of JSON lines is read as a transcript, any other as one text; - is the standard input. Files\n" +
			"stay as they are. With -n each place is listed as FILE:LINE:COLUMN, with the rule, the length and, of a long\n" +
			"secret, the first letters.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only list what would be redacted"},
			&cli.BoolFlag{Name: "json", Usage: "list it as JSON; needs -n"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usagef("a file is missing\nhint: entire-plumb redact -n FILE…")
			}
			if c.Bool("json") && !c.Bool("dry-run") {
				return usagef("--json needs -n\nhint: entire-plumb redact -n --json FILE…")
			}
			secrets, err := redactor(c)
			if err != nil {
				return err
			}
			if !c.Bool("dry-run") {
				return eachText(c, c.Args().Slice(), func(_ string, text []byte) error { return writeRedacted(c.App.Writer, secrets, text) })
			}
			all := []redaction{}
			err = eachText(c, c.Args().Slice(), func(file string, text []byte) error {
				for _, f := range secrets.Find(text) {
					all = append(all, redaction{file, f})
				}
				return nil
			})
			if err != nil {
				return err
			}
			return output(c, all, func(w io.Writer) { printRedactions(w, all) })
		},
	}
}

// eachText reads files, one after another.
func eachText(c *cli.Context, files []string, do func(file string, text []byte) error) error {
	for _, file := range files {
		text, err := textOf(c, file)
		if err == nil {
			err = do(file, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func printRedactions(w io.Writer, all []redaction) {
	for _, one := range all {
		text := fmt.Sprintf("%s:%d:%d: %s (%d bytes", printable(one.File), one.Line, one.Column, printable(one.Rule), one.Bytes)
		if one.Hint != "" {
			text += ", " + printable(one.Hint) + "…"
		}
		fmt.Fprintln(w, text+")")
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "nothing would be redacted")
	}
}

// writeRedacted writes a text as it would be stored.
func writeRedacted(w io.Writer, secrets *redact.Redactor, text []byte) error {
	if redact.IsRecords(text) {
		return secrets.WriteRecords(w, text)
	}
	_, err := io.WriteString(w, secrets.Text(string(text)))
	return err
}

// textOf reads a file, or the standard input.
func textOf(c *cli.Context, file string) ([]byte, error) {
	if file != "-" {
		text, err := safefile.Read(file, mostRedacted)
		return text, ofNamed(file, err)
	}
	return readStdin(c, mostRedacted)
}

// ofNamed is the error of a file that the user has named: without the system call that failed, and
// without advice to move what stands there.
func ofNamed(file string, err error) error {
	var failed *fs.PathError
	switch {
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s is a directory\nhint: name a file in it", file)
	case errors.As(err, &failed):
		return fmt.Errorf("%s: %w", file, failed.Err)
	}
	return err
}

// readStdin reads the standard input. More than so many bytes is an error: of a text that is cut
// off, the rest would stay where it is, and a secret with it.
func readStdin(c *cli.Context, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(stdin(c), most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("the standard input has more than %d bytes", most)
	}
	return text, err
}

// redactor has the rules of the repository, or, outside of one, those that everybody has.
func redactor(c *cli.Context) (*redact.Redactor, error) {
	repo, err := discover(c)
	if errors.Is(err, gitexec.ErrNotRepository) {
		return redact.New(redact.Options{})
	}
	if err != nil {
		return nil, err
	}
	chosen, err := settings.Load(c.Context, repo)
	if err != nil && !isOff(err) {
		return nil, err
	}
	return chosen.Secrets(repo)
}
