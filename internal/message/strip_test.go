package message

import "testing"

// TestRemoveLinks: with a link goes the blank line above it, unless the paragraph goes on below.
func TestRemoveLinks(t *testing.T) {
	const one, two = "Entire-Checkpoint: 0123456789ab\n", "Entire-Checkpoint: ba9876543210\n"
	for text, want := range map[string]string{
		"Subject\n\n" + one:                                           "Subject\n",
		"Subject\n\n" + one + two + "\n# Comment\n":                   "Subject\n\n# Comment\n",
		"Subject\n\n" + one + "# Comment\n":                           "Subject\n# Comment\n",
		"Subject\n\n" + one + two + "Signed-off-by: A <a@x>\n":        "Subject\n\nSigned-off-by: A <a@x>\n",
		"Subject\n\n" + one + "(cherry picked from commit 1)\n" + two: "Subject\n\n(cherry picked from commit 1)\n",
		"Subject\n\nBody.\n\nA: b\n" + one + "C: d\n":                 "Subject\n\nBody.\n\nA: b\nC: d\n",
		"Subject\n\n" + one + "Entire-Attribution: 5 %\nA: b\n":       "Subject\n\nA: b\n",
	} {
		if got := string(RemoveLinks([]byte(text), Style{Editor: true})); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
