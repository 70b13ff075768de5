package message

import "testing"

func TestReverts(t *testing.T) {
	for text, want := range map[string]bool{
		"Revert \"Add a parser\"\n\nThis reverts commit 1.\n": true, "Reapply \"Add a parser\"\n": true, "Revert \"Revert \"x\"\"\n": true,
		"Revert the parser\n": false, "Reapply patches\n": false, "Fix Revert \"x\"\n": false, "": false,
	} {
		if Reverts([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestAmends(t *testing.T) {
	for text, want := range map[string]bool{
		"amend! Add a parser\n\nAdd a parser\n": true, "fixup! Add a parser\n": false, "squash! x\n": false, "Let amend! go\n": false, "": false,
	} {
		if Amends([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
