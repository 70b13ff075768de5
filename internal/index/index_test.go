package index

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// all are the values of an index with a prefix.
func all(x *Index, prefix string) map[string]string {
	found := map[string]string{}
	for key, value := range x.Scan(prefix) {
		found[key] = string(value)
	}
	return found
}

func check(t *testing.T, x *Index, want map[string]string) {
	t.Helper()
	if got := all(x, ""); !maps.Equal(got, want) {
		t.Fatalf("the index has %d values, want %d", len(got), len(want))
	}
	for _, prefix := range []string{"a", "a1", "b", "none"} {
		some := maps.Clone(want)
		maps.DeleteFunc(some, func(key, _ string) bool { return !strings.HasPrefix(key, prefix) })
		var keys []string
		for key := range x.Keys(prefix) {
			keys = append(keys, string(key))
		}
		if !slices.Equal(keys, slices.Sorted(maps.Keys(some))) {
			t.Fatalf("with prefix %q: %d keys, want %d, sorted", prefix, len(keys), len(some))
		}
	}
	for key, value := range want {
		if got := x.Get(key); got == nil || string(got) != value {
			t.Fatalf("Get(%q) = %q, want %q", key, got, value)
		}
	}
	if got := x.Get("missing"); got != nil {
		t.Fatalf("a missing key has the value %q", got)
	}
	if err := x.Err(); err != nil {
		t.Fatal(err)
	}
}

// An index answers as a map does, whatever is put, deleted and saved, and however often it is
// opened.
func TestAsMap(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		want := map[string]string{}
		x := Open(dir, "1")
		for round := range 15 {
			for range random.IntN(200) {
				key := fmt.Sprintf("%c%d", 'a'+rune(random.IntN(3)), random.IntN(900))
				if random.IntN(4) == 0 {
					x.Delete(key)
					delete(want, key)
					continue
				}
				value := strings.Repeat("v", random.IntN(200)) + fmt.Sprint(round)
				x.Put(key, []byte(value))
				want[key] = value
			}
			if random.IntN(5) == 0 {
				if err := x.flush(); err != nil {
					t.Fatal(err)
				}
			}
			check(t, x, want)
			if random.IntN(2) == 0 {
				if err := x.Save([]byte{1}); err != nil {
					t.Fatal(err)
				}
				x.Close()
				x = Open(dir, "1")
				check(t, x, want)
			}
		}
		if n := len(x.segments); n > 8 {
			t.Errorf("%d segments stay", n)
		}
		x.Close()
	}
}

func TestEmptyValueIsThere(t *testing.T) {
	x := Open(t.TempDir(), "1")
	x.Put("key", nil)
	if err := x.Save([]byte("state")); err != nil {
		t.Fatal(err)
	}
	if x.Get("key") == nil {
		t.Error("the key has no value")
	}
	x.Close()
}

// saved is the directory of an index with a few blocks.
func saved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	x := Open(dir, "1")
	for i := range 3000 {
		x.Put(fmt.Sprintf("key%04d", i), fmt.Appendf(nil, "value %d %s", i, strings.Repeat("x", 40)))
	}
	if err := x.Save([]byte("state")); err != nil {
		t.Fatal(err)
	}
	x.Close()
	return dir
}

func TestAnotherFormIsEmpty(t *testing.T) {
	x := Open(saved(t), "2")
	if x.State != nil || len(all(x, "")) > 0 {
		t.Error("an index of another form is read")
	}
}

// All indexes of a repository are removed, where there are any, and nothing else of ours.
func TestRemove(t *testing.T) {
	common := t.TempDir()
	ours := filepath.Join(common, "ours")
	for range 2 {
		if err := Remove(t.Context(), common, ours); err != nil {
			t.Fatal(err)
		}
		homes := Dirs(common, ours)
		for _, dir := range append(homes[:], Fingerprints(ours), filepath.Join(ours, "other")) {
			if err := os.MkdirAll(filepath.Join(dir, "below"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Remove(t.Context(), common, ours); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(ours, "*"))
	left = slices.DeleteFunc(left, func(file string) bool { return strings.HasSuffix(file, "-lock") })
	if len(left) != 1 || filepath.Base(left[0]) != "other" {
		t.Errorf("%q are left", left)
	}
}

// What replaces an index that cannot be used can be saved, whatever is wrong with its manifest.
func TestSaveAfterDamage(t *testing.T) {
	for _, manifest := range []string{`{}`, `{"form":"1"}`, `{"form":"1","segments":["a"]}`, `{"form":"1","state":"QQ==","segments":["a"]}`, `{"form":"2","segments":["a"]}`, `x`} {
		dir := saved(t)
		if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		x := Open(dir, "1")
		if x.State != nil || len(all(x, "")) > 0 {
			t.Errorf("%s: what is damaged is read", manifest)
		}
		x.Put("new", []byte("1"))
		if err := x.Save([]byte("state")); err != nil {
			t.Errorf("%s: %v", manifest, err)
		}
		x.Close()
	}
}

// An index without values says from what it was made, too.
func TestSaveOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	x := Open(dir, "1")
	if err := x.Save([]byte("state")); err != nil || string(Open(dir, "1").State) != "state" {
		t.Errorf("Save = %v", err)
	}
}

// A file with a byte changed, or cut off, is noticed when it is opened, or when the block is read.
func TestDamageIsNoticed(t *testing.T) {
	dir := saved(t)
	file := only(t, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := all(Open(dir, "1"), "")
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 400 {
		data := slices.Clone(whole)
		if i%4 == 0 {
			data = data[:random.IntN(len(data))]
		} else {
			data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		x := Open(dir, "1")
		got := all(x, "")
		if x.State != nil && x.Err() == nil {
			t.Fatalf("damage %d is not noticed; the values are the same: %v", i, maps.Equal(got, want))
		}
		x.Close()
	}
}

func only(t *testing.T, dir string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if len(files) != 1 {
		t.Fatalf("%d segments, want 1", len(files))
	}
	return files[0]
}

// A table that was made to be read beyond the file is refused: its checksum is right.
func TestTable(t *testing.T) {
	for name, table := range map[string]string{
		"a key beyond the table": "\xff\xff\xff\xff\x0fk",
		"no place":               "\x01k",
		"no length":              "\x01k\x00",
		"a gap before the block": "\x01k\x05\x05",
		"a block beyond the end": "\x01k\x00\x7f",
		"a block of no length":   "\x01k\x00\x00",
		"bytes without a block":  "",
	} {
		if _, err := parseTable(table, 10); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if blocks, err := parseTable("\x01k\x00\x0a", 10); err != nil || len(blocks) != 1 {
		t.Errorf("a block as long as the file: %v", err)
	}
}

// Entries that were made to be read beyond their block are refused.
func TestEntry(t *testing.T) {
	for name, entry := range map[string]string{
		"nothing":                "\x80",
		"a key of another block": "\x01\x00\x01",
		"a key beyond the block": "\x00\x05\x01k",
		"a value beyond it":      "\x00\x01\x09kv",
	} {
		c := &cursor{block: []byte(entry)}
		if _, err := c.entry(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of two processes that save, the second one gets an error, and what the first one saved stays.
func TestSaveAfterAnother(t *testing.T) {
	dir := saved(t)
	a, b := Open(dir, "1"), Open(dir, "1")
	defer a.Close()
	defer b.Close()
	a.Put("a", []byte("1"))
	b.Put("b", []byte("2"))
	if err := a.Save([]byte("A")); err != nil {
		t.Fatal(err)
	}
	if err := b.Save([]byte("B")); !errors.Is(err, ErrChanged) {
		t.Errorf("Save = %v", err)
	}
	if string(b.Get("b")) != "2" {
		t.Error("what could not be saved is not answered")
	}
	x := Open(dir, "1")
	defer x.Close()
	if string(x.State) != "A" || string(x.Get("a")) != "1" || x.Get("b") != nil {
		t.Error("the index is not the first one's")
	}
}

// What a killed process wrote, and no manifest names, goes with the next Save.
func TestSaveRemovesWhatNothingNames(t *testing.T) {
	dir := saved(t)
	left := filepath.Join(dir, "left"+segmentSuffix)
	if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := Open(dir, "1")
	defer x.Close()
	x.Put("a", []byte("1"))
	if err := x.Save([]byte("state")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

func TestScan(t *testing.T) {
	x := Open(saved(t), "1")
	defer x.Close()
	var keys []string
	for key := range x.Scan("key299") {
		keys = append(keys, key)
	}
	if len(keys) != 10 || keys[0] != "key2990" || keys[9] != "key2999" {
		t.Errorf("key299: %q", keys)
	}
	if !x.Any("key2998") || x.Any("key3") {
		t.Error("a key is there that is not, or the other way round")
	}
	for key := range x.Scan("key") { // one that ends early is no error
		if key > "key0010" {
			break
		}
	}
	if x.Err() != nil {
		t.Error(x.Err())
	}
}

func BenchmarkScan(b *testing.B) {
	dir := b.TempDir()
	x := Open(dir, "1")
	for i := range 1_000_000 {
		x.Put(fmt.Sprintf("t/%012d", i*7919%1_000_000), []byte("0123456789abcdef0123456789abcdef0123456789abcdef"))
	}
	if err := x.Save([]byte("state")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		for range x.Scan("") {
			n++
		}
	}
}

// Much is written at once; little waits for Save. Either is answered before it.
func TestSpill(t *testing.T) {
	x := Open(t.TempDir(), "1")
	defer x.Close()
	x.Put("a", []byte("1"))
	if err := x.Spill(); err != nil || len(x.segments) > 0 {
		t.Errorf("little: %d segments, %v", len(x.segments), err)
	}
	x.size = mostInMemory
	if err := x.Spill(); err != nil || len(x.segments) != 1 || len(x.new) > 0 {
		t.Errorf("much: %d segments, %v", len(x.segments), err)
	}
	check(t, x, map[string]string{"a": "1"})
}
