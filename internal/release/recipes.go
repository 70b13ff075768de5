package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// sums are the SHA-256 sums of artefacts, in hex, by name.
type sums map[string]string

func sumsOf(all []artefact) sums {
	found := sums{}
	for _, a := range all {
		found[a.name] = fmt.Sprintf("%x", sha256.Sum256(a.data))
	}
	return found
}

// checksums is a file for sha256sum -c.
func checksums(all []artefact) []byte {
	var w strings.Builder
	for _, a := range all {
		fmt.Fprintf(&w, "%x  %s\n", sha256.Sum256(a.data), a.name)
	}
	return []byte(w.String())
}

// address is where an artefact is downloaded from.
func (r release) address(name string) string {
	return r.home + "/releases/download/v" + r.version + "/" + name
}

// formula is one of Homebrew's.
func (r release) formula(sums sums) []byte {
	var w strings.Builder
	fmt.Fprintf(&w, "class EntirePlumb < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"MIT\"\n", strings.ToUpper(about[:1])+about[1:], r.home, r.version)
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		fmt.Fprintf(&w, "\n  on_%s do\n", system[1])
		for _, machine := range [][2]string{{"amd64", "intel"}, {"arm64", "arm"}} {
			p := program{system: system[0], machine: machine[0]}
			name := r.base(p) + p.extension()
			if sums[name] != "" {
				fmt.Fprintf(&w, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", machine[1], r.address(name), sums[name])
			}
		}
		w.WriteString("  end\n")
	}
	w.WriteString(`
  def install
    bin.install "entire-plumb"
    bin.install_symlink "entire-plumb" => "git-entire-plumb"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/entire-plumb.bash" => "entire-plumb"
    zsh_completion.install "completions/_entire-plumb"
    fish_completion.install "completions/entire-plumb.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/entire-plumb version")
  end
end
`)
	return []byte(w.String())
}

// manifest is one of Scoop's.
func (r release) manifest(sums sums) []byte {
	type build struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
		Dir  string `json:"extract_dir"`
	}
	builds := map[string]build{}
	for machine, name := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		p := program{system: "windows", machine: machine}
		if archive := r.base(p) + p.extension(); sums[archive] != "" {
			builds[name] = build{r.address(archive), sums[archive], r.base(p)}
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"version": r.version, "description": strings.ToUpper(about[:1]) + about[1:], "homepage": r.home, "license": "MIT",
		"architecture": builds, "suggest": map[string]string{"git": "git"},
		"bin": []any{"entire-plumb.exe", []string{"entire-plumb.exe", "git-entire-plumb"}},
	}, "", "    ")
	if err != nil {
		panic(err) // strings always have a form
	}
	return append(text, '\n')
}
