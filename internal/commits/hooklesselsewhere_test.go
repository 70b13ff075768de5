package commits

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// TestTipsAmong: of some commits those that no other one of them has as its first parent.
func TestTipsAmong(t *testing.T) {
	p := newPlayground(t)
	one := p.commit("one", map[string]string{"f": "1"})
	two := p.commit("two", map[string]string{"f": "2"})
	three := p.commit("three", map[string]string{"f": "3"})
	p.git("switch", "-q", "-c", "other", string(one))
	other := p.commit("other", map[string]string{"f": "4"})
	run := p.run()
	for name, c := range map[string]struct{ ids, want []gitexec.OID }{
		"none":         {},
		"one":          {[]gitexec.OID{two}, []gitexec.OID{two}},
		"a branch":     {[]gitexec.OID{one, three, two}, []gitexec.OID{three}},
		"two branches": {[]gitexec.OID{one, two, other}, []gitexec.OID{two, other}},
		"not in a row": {[]gitexec.OID{one, three}, []gitexec.OID{one, three}},
	} {
		got, err := tipsAmong(run.DB, slices.Clone(c.ids))
		testdir.Must(t, err)
		if slices.Sort(c.want); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
