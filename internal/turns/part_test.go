package turns

import "testing"

func TestOutcome(t *testing.T) {
	for want, o := range map[string]outcome{
		"":                                     nil,
		"turn ended":                           {"turn ended"},
		"committed abc; checkpoint on entire/": {"committed abc", "checkpoint on entire/"},
	} {
		if got := o.String(); got != want {
			t.Errorf("%q is %q, not %q", []string(o), got, want)
		}
	}
}
