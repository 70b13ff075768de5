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

func TestReverted(t *testing.T) {
	for text, want := range map[string][2]string{
		"Revert \"Add a parser\"\n\nThis reverts commit 12ab.\n":                           {"12ab", ""},
		"Reapply \"Add a parser\"\n\nThis reverts commit 12ab.\n":                          {"12ab", ""},
		"Revert \"Merge\"\n\nThis reverts commit 12ab, reversing\nchanges made to 34cd.\n": {"12ab", "34cd"},
		"Revert \"Add a parser\"\n\nThis reverts commit 12ab, which was wrong.\n":          {"12ab", ""},
		"Revert \"Add a parser\"\n":                                                        {}, "Revert \"x\"\n\nThis reverts commit": {}, "Revert \"x\"\n\nThis reverts commit one\n": {},
		"Undo it\n\nThis reverts commit 12ab.\n": {}, "": {},
	} {
		if commit, to := Reverted([]byte(text)); commit != want[0] || to != want[1] {
			t.Errorf("%q: %q, %q", text, commit, to)
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
