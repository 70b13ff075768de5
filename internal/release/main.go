// Command release packs what was built into the files of a release: archives, packages, recipes of
// package managers, lists of what is in the programs, and checksums.
package main

// .ci/release builds the programs and calls this. What is packed depends on nothing but its input:
// two runs write the same bytes. The .deb and the .rpm are written here, since the libraries for
// them bring more code than this program has, among it an implementation of git.

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const usage = `usage: go run ./internal/release -from DIR -o DIR

DIR of -from has
  GOOS-GOARCH/entire-plumb   a program for each system; version, commit and date are those in it
  man/*.1                    manual pages
  completions/*              scripts that complete, one for each shell
  doc/*                      LICENSE, README.md, CHANGELOG.md

`

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	from, to := flags.String("from", "", "the `directory` of what was built"), flags.String("o", "", "the `directory` to write into")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *from == "" || *to == "" || flags.NArg() > 0:
		return errors.New("-from DIR and -o DIR are needed, and no more arguments")
	}
	r, err := read(*from)
	if err != nil {
		return err
	}
	artefacts, err := r.artefacts()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*to, 0o777); err != nil {
		return err
	}
	for _, a := range artefacts {
		if err := os.WriteFile(filepath.Join(*to, a.name), a.data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// artefact is a file of the release.
type artefact struct {
	name string
	data []byte
}

// artefacts are all files of the release, the checksums last.
func (r release) artefacts() ([]artefact, error) {
	var all []artefact
	for _, p := range r.programs {
		packed, err := r.pack(p)
		if err != nil {
			return nil, err
		}
		all = append(all, packed...)
	}
	sums := sumsOf(all)
	all = append(all, artefact{"entire-plumb.rb", r.formula(sums)}, artefact{"entire-plumb.json", r.manifest(sums)})
	return append(all, artefact{"checksums.txt", checksums(all)}), nil
}

// pack makes the files for one system.
func (r release) pack(p program) ([]artefact, error) {
	base := r.base(p)
	archive, err := r.archive(p)
	if err != nil {
		return nil, err
	}
	all := []artefact{{base + p.extension(), archive}, {base + ".cdx.json", r.bill(p)}}
	if p.system != "linux" {
		return all, nil
	}
	deb, err := r.deb(p)
	if err != nil {
		return nil, err
	}
	rpm, err := r.rpm(p)
	return append(all, artefact{"entire-plumb_" + r.packageVersion() + "_" + p.machine + ".deb", deb},
		artefact{"entire-plumb-" + r.packageVersion() + "-1." + rpmMachine(p.machine) + ".rpm", rpm}), err
}
