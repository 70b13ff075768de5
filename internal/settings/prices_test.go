package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire-plumb/internal/transcript"
)

func TestPrices(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	cost := func(file string) (float64, string) {
		table, err := Prices(file)
		usd, _ := table.Cost("gpt-5", time.Unix(1_780_000_000, 0), transcript.Usage{OutputTokens: 1_000_000})
		if err != nil {
			return usd, err.Error()
		}
		return usd, ""
	}
	if usd, fault := cost(""); usd != 10 || fault != "" {
		t.Errorf("the listed prices: %v, %s", usd, fault)
	}
	write := func(file, text string) {
		_ = os.MkdirAll(filepath.Dir(file), 0o700)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, "entire-plumb", "prices.toml"), "[[price]]\nmodel = [\"gpt-*\"]\ninput = 1.0\noutput = 3.0\n")
	other := filepath.Join(home, "other.toml")
	write(other, "[[price]]\nmodel = [\"gpt-*\"]\ninput = 1.0\noutput = 4.0\n")
	if usd, fault := cost(""); usd != 3 || fault != "" {
		t.Errorf("the user's: %v, %s", usd, fault)
	}
	if usd, fault := cost(other); usd != 4 || fault != "" {
		t.Errorf("those of a file: %v, %s", usd, fault)
	}
	if _, fault := cost(filepath.Join(home, "none")); !strings.Contains(fault, "none cannot be read") {
		t.Errorf("a file that is not there: %s", fault)
	}
	write(other, "price = 3")
	if _, fault := cost(other); !strings.Contains(fault, "other.toml cannot be read: line 1") {
		t.Errorf("a damaged file: %s", fault)
	}
	t.Setenv("XDG_CONFIG_HOME", other)
	if usd, fault := cost(""); usd != 10 || fault != "" {
		t.Errorf("no directory of configuration: %v, %s", usd, fault)
	}
}

func TestOutOfReach(t *testing.T) {
	for err, want := range map[error]bool{fs.ErrNotExist: true, fs.ErrPermission: true, syscall.ENOTDIR: true, fs.ErrClosed: false} {
		if got := outOfReach(&fs.PathError{Op: "stat", Path: "x", Err: err}); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
