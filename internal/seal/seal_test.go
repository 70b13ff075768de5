package seal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"filippo.io/age"

	"entire-plumb/internal/testdir"
)

func identity(t *testing.T) (secret, public string) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	testdir.Must(t, err)
	return key.String(), key.Recipient().String()
}

func keysOf(secret string) *Keys { return NewKeys(func() (string, error) { return secret, nil }) }

// What is sealed comes back whole, in one piece or as it is written, to its readers alone.
func TestSealAndOpen(t *testing.T) {
	mine, to := identity(t)
	other, _ := identity(t)
	third, also := identity(t)
	readers, err := Parse([]string{to, also})
	testdir.Must(t, err)
	for _, text := range []string{"", "a", magic, "a line\nand more\n", strings.Repeat("many of the same\n", 100_000)} {
		sealed, err := readers.Seal([]byte(text))
		if err != nil || !Is(sealed) || strings.Contains(string(sealed), "many of") {
			t.Fatalf("%.20q: %v", text, err)
		}
		for _, secret := range []string{mine, third} {
			got, err := keysOf(secret).Open(sealed, 1<<30)
			if err != nil || string(got) != text {
				t.Errorf("%.20q: %.20q, %v", text, got, err)
			}
			for _, step := range []int{1, 7, 4096, 1 << 20} {
				if step == 1 && len(sealed) > 10_000 {
					continue
				}
				var out bytes.Buffer
				w := keysOf(secret).Writer(&out, 1<<30)
				for rest := sealed; len(rest) > 0; rest = rest[min(step, len(rest)):] {
					if _, err := w.Write(rest[:min(step, len(rest))]); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil || out.String() != text {
					t.Errorf("%.20q in steps of %d: %.20q, %v", text, step, out.String(), err)
				}
			}
		}
		for _, secret := range []string{other, ""} {
			_, err := keysOf(secret).Open(sealed, 1<<30)
			fault := new(Error)
			if !errors.As(err, &fault) || fault.Brief() != "encrypted for "+to+", "+also {
				t.Errorf("%.20q: %v", text, err)
			}
			w := keysOf(secret).Writer(io.Discard, 1<<30)
			_, err = w.Write(sealed)
			if err2 := w.Close(); !errors.As(errors.Join(err, err2), &fault) {
				t.Errorf("%.20q, written: %v, %v", text, err, err2)
			}
		}
	}
}

// What is not sealed passes through.
func TestPlain(t *testing.T) {
	keys := NewKeys(func() (string, error) { t.Error("no identity is needed"); return "", nil })
	for _, text := range []string{"", "a", magic[:10], "{}\n", "age:", "age:abc"} {
		var out bytes.Buffer
		w := keys.Writer(&out, 1)
		for i := range len(text) {
			w.Write([]byte{text[i]})
		}
		if err := w.Close(); err != nil || out.String() != text {
			t.Errorf("%q: %q, %v", text, out.String(), err)
		}
		if got, err := keys.Open([]byte(text), 1); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if got := keys.OpenLine(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	if r, err := Parse(nil); r != nil || err != nil {
		t.Error(r, err)
	}
}

// Damage, and contents that come to much more than they seem, are errors.
func TestDamaged(t *testing.T) {
	secret, to := identity(t)
	readers, err := Parse([]string{to})
	testdir.Must(t, err)
	sealed, err := readers.Seal(make([]byte, 10<<20))
	testdir.Must(t, err)
	if _, err := keysOf(secret).Open(sealed, 1<<20); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Error(err)
	}
	w := keysOf(secret).Writer(io.Discard, 1<<20)
	_, err = w.Write(sealed)
	if err2 := w.Close(); err == nil && err2 == nil {
		t.Error("no error for a content that is too long")
	}
	for cut := range len(sealed) - len(magic) {
		if cut%97 != 0 {
			continue
		}
		if _, err := keysOf(secret).Open(sealed[:len(magic)+cut], 1<<30); err == nil {
			t.Errorf("no error after %d bytes", cut)
		}
	}
	sealed[len(sealed)/2] ^= 1
	if _, err := keysOf(secret).Open(sealed, 1<<30); err == nil {
		t.Error("no error for a changed byte")
	}
}

func TestLine(t *testing.T) {
	secret, to := identity(t)
	readers, err := Parse([]string{to})
	testdir.Must(t, err)
	sealed, err := readers.Line("a prompt")
	if err != nil || strings.ContainsAny(sealed, "\n ") || !IsLine(sealed) {
		t.Fatal(sealed, err)
	}
	if again, _ := readers.Line(sealed); again != sealed {
		t.Error("sealed twice")
	}
	if got := keysOf(secret).OpenLine(sealed); got != "a prompt" {
		t.Error(got)
	}
	if got := keysOf("").OpenLine(sealed); got != "(encrypted for "+to+")" {
		t.Error(got)
	}
	if got := keysOf(secret).OpenLine(sealed[:len(sealed)-4]); got != "(damaged)" {
		t.Error(got)
	}
}

func TestParse(t *testing.T) {
	secret, to := identity(t)
	hybrid, err := age.GenerateHybridIdentity()
	testdir.Must(t, err)
	pq := hybrid.Recipient().String()
	if _, err := Parse([]string{pq}); err != nil {
		t.Error(err)
	}
	for want, names := range map[string][]string{
		"is no age recipient": {to, "age1"}, "is no age recipient: ": {""}, "a public key": {secret}, "cannot be mixed": {to, pq},
		`"ssh-ed25519 AAAA" is no`: {"ssh-ed25519 AAAA"},
	} {
		if _, err := Parse(names); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%v: %v", names, err)
		}
	}
}
