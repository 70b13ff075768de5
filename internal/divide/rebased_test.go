package divide

import "testing"

// TestRebased: what a turn's start is once commits in the turn have taken a part of the file.
func TestRebased(t *testing.T) {
	const base = "line one\nline two\nline three\nline four\nline five\n"
	for name, k := range map[string]struct{ was, now, before, head, want string }{
		"the commit took all that the turn wrote": {
			"human one\n" + base, "human one\n" + base + "agent one\n", base, base + "agent one\n", "human one\n" + base + "agent one\n"},
		"beside each other": {
			base + "human one\n", base + "agent one\nhuman one\nagent two\n", base, base + "agent one\nagent two\n",
			base + "agent one\nhuman one\nagent two\n"},
		"it left a line": {
			"human one\n" + base, "human one\nagent two\n" + base + "agent one\n", base, base + "agent one\n", "human one\n" + base + "agent one\n"},
		"it took a line out": {
			"human one\n" + base, "human one\nline one\nline three\nline four\nline five\n", base, "line one\nline three\nline four\nline five\n",
			"human one\nline one\nline three\nline four\nline five\n"},
		"the turn took a line out, uncommitted": {
			"human one\n" + base, "human one\nline one\nline three\nline four\nline five\nagent one\n", base, base + "agent one\n",
			"human one\n" + base + "agent one\n"},
		"the human's line is gone": {
			"human one\n" + base, base + "agent one\nagent two\n", base, base + "agent one\n", "human one\n" + base + "agent one\n"},
		"replaced beside a line that the human replaced": {
			"line one\nhuman two\nline three\nline four\nline five\n", "line one\nhuman two\nagent three\nagent four\nline five\n", base,
			"line one\nline two\nagent three\nline four\nline five\n", "line one\nhuman two\nagent three\nline five\n"},
		"the human's line is gone, and nothing is committed": {
			"human one\n" + base, base + "agent one\n", base, base, "human one\n" + base},
		"it took the first line out": {
			base, base[len("line one\n"):] + "agent one\n", base, base[len("line one\n"):], base[len("line one\n"):]},
		"the commit is the human's own": {
			"human one\n" + base, "human one\n" + base + "agent one\n", base, "human one\n" + base, "human one\n" + base},
		"new in HEAD": {"human one\n", "human one\nagent one\n", "", "agent one\n", "human one\nagent one\n"},
	} {
		if got := string(Rebased([]byte(k.was), []byte(k.now), []byte(k.before), []byte(k.head))); got != k.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, k.want)
		}
	}
}
