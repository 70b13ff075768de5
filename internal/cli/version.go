package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/safefile"
)

// version is the module's version, or, for a build from a checkout, the commit that it was built
// from.
func version() string { return versionOf().Program }

// versionJSON is what `version --json` prints.
type versionJSON struct {
	Program string `json:"cli_version"`      // of the program; of a build from a checkout, devel and the commit
	Commit  string `json:"commit,omitempty"` // it was built from; empty: not known
	Date    string `json:"date,omitempty"`   // of the commit, as RFC 3339, in UTC; empty: not known
	Go      string `json:"go_version"`       // of the compiler
	System  string `json:"os"`               // as Go names operating systems
	Machine string `json:"arch"`             // as Go names processors
}

func versionOf() versionJSON {
	v := versionJSON{Program: "unknown", Go: runtime.Version(), System: runtime.GOOS, Machine: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		built := map[string]string{}
		for _, s := range info.Settings {
			built[s.Key] = s.Value
		}
		v.Commit, v.Date, v.Program = built["vcs.revision"], built["vcs.time"], info.Main.Version
		if v.Program == "" || v.Program == "(devel)" {
			v.Program = "devel"
			if v.Commit != "" {
				v.Program += "-" + v.Commit[:min(12, len(v.Commit))]
				if built["vcs.modified"] == "true" {
					v.Program += "+dirty"
				}
			}
		}
	}
	if fixed := os.Getenv("ENTIRE_TEST_VERSION"); fixed != "" {
		v.Program = fixed
	}
	return v
}

// line is the version in a line: of the commit's date only the day.
func (v versionJSON) line() string {
	commit := "unknown commit"
	if v.Commit != "" {
		commit = "commit " + v.Commit
	}
	if day, _, ok := strings.Cut(v.Date, "T"); ok {
		commit += ", " + day
	}
	return fmt.Sprintf("entire-plumb %s (%s, %s, %s/%s)", v.Program, commit, v.Go, v.System, v.Machine)
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:   "version",
		Usage:  "print the version, and the commit it was built from",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Before: takes(0),
		Action: func(c *cli.Context) error {
			return output(c, versionOf(), func(w io.Writer) { fmt.Fprintln(w, versionOf().line()) })
		},
	}
}

// countedID is the ID source of tests: the hash of a counter, which is the length of a file.
func countedID(file string) string {
	const most = 1 << 20
	data, _ := safefile.Read(file, most)
	n := len(data) + 1
	if f, err := safefile.Append(file, 0o600); err == nil {
		f.WriteString(".")
		f.Close()
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(n))))[:12]
}
