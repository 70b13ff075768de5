package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// sample is a release of programs that are none.
func sample() release {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/a/entire-plumb"},
		Deps: []*debug.Module{{Path: "example.org/b", Version: "v1.2.3+incompatible", Sum: "h1:abc="}}}
	r := release{version: "1.0.0-rc.1", commit: "0ba0d975", date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), home: home(info.Main.Path),
		man:      []file{{name: "entire-plumb.1", mode: plain, data: []byte(".TH\n")}},
		complete: []file{{name: "_entire-plumb", mode: plain, data: []byte("zsh")}, {name: "entire-plumb.bash", mode: plain}, {name: "entire-plumb.ps1", mode: plain}},
		doc:      []file{{name: "LICENSE", mode: plain, data: []byte("MIT")}}}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, machine := range []string{"amd64", "arm64"} {
			r.programs = append(r.programs, program{system, machine, []byte(system + machine), info})
		}
	}
	return r
}

func packed(t *testing.T) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for range 2 {
		all, err := sample().artefacts()
		testdir.Must(t, err)
		for _, a := range all {
			if before, ok := found[a.name]; ok && !bytes.Equal(before, a.data) {
				t.Errorf("%s differs from one time to the next", a.name)
			}
			found[a.name] = a.data
		}
	}
	return found
}

func TestArtefacts(t *testing.T) {
	all := packed(t)
	want := []string{"checksums.txt", "entire-plumb-1.0.0~rc.1-1.aarch64.rpm", "entire-plumb-1.0.0~rc.1-1.x86_64.rpm", "entire-plumb.json", "entire-plumb.rb",
		"entire-plumb_1.0.0-rc.1_darwin_amd64.cdx.json", "entire-plumb_1.0.0-rc.1_darwin_amd64.tar.gz",
		"entire-plumb_1.0.0-rc.1_darwin_arm64.cdx.json", "entire-plumb_1.0.0-rc.1_darwin_arm64.tar.gz",
		"entire-plumb_1.0.0-rc.1_linux_amd64.cdx.json", "entire-plumb_1.0.0-rc.1_linux_amd64.tar.gz",
		"entire-plumb_1.0.0-rc.1_linux_arm64.cdx.json", "entire-plumb_1.0.0-rc.1_linux_arm64.tar.gz",
		"entire-plumb_1.0.0-rc.1_windows_amd64.cdx.json", "entire-plumb_1.0.0-rc.1_windows_amd64.zip",
		"entire-plumb_1.0.0-rc.1_windows_arm64.cdx.json", "entire-plumb_1.0.0-rc.1_windows_arm64.zip",
		"entire-plumb_1.0.0~rc.1_amd64.deb", "entire-plumb_1.0.0~rc.1_arm64.deb"}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	checked := 0
	for line := range strings.Lines(string(all["checksums.txt"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if checked++; fmt.Sprintf("%x", sha256.Sum256(all[name])) != sum {
			t.Errorf("the sum of %s is wrong", name)
		}
	}
	if checked != len(want)-1 {
		t.Errorf("%d files have sums", checked)
	}
}

func TestArchives(t *testing.T) {
	all := packed(t)
	const in = "entire-plumb_1.0.0-rc.1_"
	want := []string{"LICENSE 644 3", "completions 755", "completions/_entire-plumb 644 3", "completions/entire-plumb.bash 644 0", "completions/entire-plumb.ps1 644 0",
		"entire-plumb 755 10", "git-entire-plumb -> entire-plumb", "man 755", "man/man1 755", "man/man1/entire-plumb.1 644 4"}
	got := contents(t, all[in+"linux_amd64.tar.gz"])
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], in+"linux_amd64/")
	}
	if got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, in) }); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	z, err := zip.NewReader(bytes.NewReader(all[in+"windows_arm64.zip"]), int64(len(all[in+"windows_arm64.zip"])))
	testdir.Must(t, err)
	var names []string
	for _, f := range z.File {
		names = append(names, strings.TrimPrefix(f.Name, in+"windows_arm64/"))
		if !f.Modified.Equal(sample().date) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	for _, name := range []string{"entire-plumb.exe", "git-entire-plumb", "man/man1/entire-plumb.1", "completions/entire-plumb.ps1"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in %q", name, names)
		}
	}
}

// contents are the sorted lines about what is in a .tar.gz.
func contents(t *testing.T, archive []byte) (all []string) {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(archive))
	testdir.Must(t, err)
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if err == io.EOF {
			slices.Sort(all)
			return all
		}
		testdir.Must(t, err)
		if h.Uid != 0 || !h.ModTime.Equal(sample().date) {
			t.Errorf("%s is of user %d and of %s", h.Name, h.Uid, h.ModTime)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			all = append(all, fmt.Sprintf("%s %o", strings.TrimSuffix(h.Name, "/"), h.Mode))
		case tar.TypeSymlink:
			all = append(all, h.Name+" -> "+h.Linkname)
		default:
			all = append(all, fmt.Sprintf("%s %o %d", h.Name, h.Mode, h.Size))
		}
	}
}

var inPackage = []string{"usr/bin/entire-plumb 755 10", "usr/bin/git-entire-plumb -> entire-plumb", "usr/share/bash-completion/completions/entire-plumb 644 0",
	"usr/share/doc/entire-plumb/LICENSE 644 3", "usr/share/man/man1/entire-plumb.1.gz 644 28", "usr/share/zsh/vendor-completions/_entire-plumb 644 3"}

func TestDeb(t *testing.T) {
	members := map[string][]byte{}
	deb, ok := bytes.CutPrefix(packed(t)["entire-plumb_1.0.0~rc.1_amd64.deb"], []byte("!<arch>\n"))
	for ok && len(deb) > 0 {
		var size int
		if _, err := fmt.Sscan(string(deb[48:58]), &size); err != nil || string(deb[58:60]) != "`\n" {
			t.Fatalf("%q: %v", deb[:60], err)
		}
		members[strings.TrimSpace(string(deb[:16]))] = deb[60 : 60+size]
		deb = deb[60+size+size%2:]
	}
	if string(members["debian-binary"]) != "2.0\n" || len(members) != 3 {
		t.Fatalf("%q", slices.Sorted(maps.Keys(members)))
	}
	if got := contents(t, members["control.tar.gz"]); len(got) != 2 || !strings.HasPrefix(got[0], "control 644 ") || !strings.HasPrefix(got[1], "md5sums 644 ") {
		t.Errorf("%q", got)
	}
	files := slices.DeleteFunc(contents(t, members["data.tar.gz"]), func(line string) bool { return strings.HasSuffix(line, " 755") })
	if !slices.Equal(files, inPackage) {
		t.Errorf("%q", files)
	}
	inspected(t, "entire-plumb_1.0.0~rc.1_amd64.deb", []string{"dpkg-deb", "--info"}, "Version: 1.0.0~rc.1\n", "Depends: git (>= 1:2.38)\n")
}

func TestRPM(t *testing.T) {
	inspected(t, "entire-plumb-1.0.0~rc.1-1.x86_64.rpm", []string{"rpm", "-K", "--nosignature"}, "digests OK")
	inspected(t, "entire-plumb-1.0.0~rc.1-1.x86_64.rpm", []string{"rpm", "-qplv", "--requires"}, "git >= 2.38", "/usr/bin/git-entire-plumb -> entire-plumb",
		"/usr/share/zsh/site-functions/_entire-plumb", "-rwxr-xr-x    1 root     root                       10 Jan  2")
	archive, size := cpio([]file{{name: "a", mode: plain, data: []byte("12345")}, {name: "b", link: "a"}}, 7)
	if size != 6 || len(archive)%4 != 0 || !bytes.Contains(archive, []byte("./a\x00")) || !bytes.HasPrefix(archive, []byte("07070100000001000081a4")) {
		t.Errorf("%d bytes: %q", size, archive)
	}
}

// TestHeader: values begin where their types want it, and in the order of their numbers; the region
// spans all.
func TestHeader(t *testing.T) {
	h := header{}
	h.text(1, "ab")
	h.shorts(2, 7)
	h.ints(3, 9, 10)
	const want = "\x8e\xad\xe8\x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x20" +
		"\x00\x00\x00\x3f\x00\x00\x00\x07\x00\x00\x00\x10\x00\x00\x00\x10" +
		"\x00\x00\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x01" +
		"\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00\x02" +
		"ab\x00\x00\x00\x07\x00\x00\x00\x00\x00\x09\x00\x00\x00\x0a" +
		"\x00\x00\x00\x3f\x00\x00\x00\x07\xff\xff\xff\xc0\x00\x00\x00\x10"
	if got := string(h.bytes(63)); got != want {
		t.Errorf("%q", got)
	}
}

// inspected has the program that installs a package look at it, where it is there.
func inspected(t *testing.T, name string, call []string, want ...string) {
	t.Helper()
	if _, err := exec.LookPath(call[0]); err != nil {
		t.Logf("%s is missing", call[0])
		return
	}
	file := filepath.Join(t.TempDir(), name)
	testdir.Must(t, os.WriteFile(file, packed(t)[name], 0o666))
	out, err := exec.Command(call[0], append(call[1:], file)...).CombinedOutput()
	for _, text := range want {
		if err != nil || !strings.Contains(string(out), text) {
			t.Errorf("%q, %v: not %q:\n%s", call, err, text, out)
		}
	}
}

func TestRecipes(t *testing.T) {
	all := packed(t)
	formula := string(all["entire-plumb.rb"])
	for _, name := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"} {
		name = "entire-plumb_1.0.0-rc.1_" + name + ".tar.gz"
		want := fmt.Sprintf("url \"https://example.org/a/entire-plumb/releases/download/v1.0.0-rc.1/%s\"\n      sha256 \"%x\"\n", name, sha256.Sum256(all[name]))
		if !strings.Contains(formula, want) {
			t.Errorf("the formula lacks %s", want)
		}
	}
	if blocks, ends := len(regexp.MustCompile(`(?m) do$|^class|^  def`).FindAllString(formula, -1)), strings.Count(formula, "end\n"); blocks != ends {
		t.Errorf("%d blocks and %d ends:\n%s", blocks, ends, formula)
	}
	var manifest struct {
		Version      string
		Architecture map[string]struct{ URL, Hash string }
	}
	testdir.Must(t, json.Unmarshal(all["entire-plumb.json"], &manifest))
	build := manifest.Architecture["arm64"]
	if name := "entire-plumb_1.0.0-rc.1_windows_arm64.zip"; manifest.Version != "1.0.0-rc.1" || !strings.HasSuffix(build.URL, name) ||
		build.Hash != fmt.Sprintf("%x", sha256.Sum256(all[name])) || manifest.Architecture["64bit"].URL == "" {
		t.Errorf("%+v", manifest)
	}
}

func TestBill(t *testing.T) {
	var b bom
	testdir.Must(t, json.Unmarshal(packed(t)["entire-plumb_1.0.0-rc.1_linux_amd64.cdx.json"], &b))
	var urls []string
	for _, c := range append(b.Components, b.Meta.Program) {
		urls = append(urls, c.URL)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/example.org/b@v1.2.3%2Bincompatible", "pkg:golang/example.org/a/entire-plumb@v1.0.0-rc.1"}
	if !slices.Equal(urls, want) || b.Format != "CycloneDX" || b.Meta.Time != "2026-01-02T03:04:05Z" {
		t.Errorf("%+v", b)
	}
}

// TestRead packs this test's own program.
func TestRead(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	testdir.Must(t, err)
	program, err := os.ReadFile(self)
	testdir.Must(t, err)
	here := filepath.Join(from, runtime.GOOS+"-"+runtime.GOARCH)
	for _, dir := range []string{here, filepath.Join(from, "man"), filepath.Join(from, "completions"), filepath.Join(from, "doc")} {
		testdir.Must(t, os.MkdirAll(dir, 0o777))
	}
	fails := func(why string) {
		t.Helper()
		if err := run([]string{"-from", from, "-o", to}, io.Discard); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("not %q: %v", why, err)
		}
	}
	fails("has 0 files")
	testdir.Must(t, os.WriteFile(filepath.Join(here, "entire-plumb"), []byte("no program"), 0o666))
	fails("unrecognized")
	testdir.Must(t, os.WriteFile(filepath.Join(here, "entire-plumb"), program, 0o666))
	testdir.Must(t, run([]string{"-from", from, "-o", to}, io.Discard))
	archives, err := filepath.Glob(filepath.Join(to, "entire-plumb_0.0.0-devel_"+runtime.GOOS+"_"+runtime.GOARCH+".*"))
	if err != nil || len(archives) != 2 {
		t.Errorf("%q, %v", archives, err)
	}
	testdir.Must(t, os.Rename(here, filepath.Join(from, "plan9-mips")))
	fails("the program is one for " + runtime.GOOS + "-" + runtime.GOARCH)
}

func TestHome(t *testing.T) {
	for path, want := range map[string]string{"entire-plumb": "https://example.com/entire-plumb", "example.org/a/b": "https://example.org/a/b", "a/b": "https://example.com/a/b"} {
		if got := home(path); got != want {
			t.Errorf("%s is at %s, not %s", path, got, want)
		}
	}
}
