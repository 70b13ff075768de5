package agentsettings

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"entire-plumb/internal/testdir"
)

// Whatever layout and comments a file gets after Enable, Disable takes out what
// is ours and nothing of what is not, empty lists aside.
func TestDisableAfterAnyRelayout(t *testing.T) {
	for seed := range testdir.Times(int64(1000), 200) {
		g := generator{rand.New(rand.NewSource(seed)), "\n"}
		data := g.settings()
		enabled := g.relayout(t, enable(t, data))
		out := disable(t, enabled)
		if got, want := meaning(t, out), meaning(t, data); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\nfrom: %q\nover: %q\nto:   %q", seed, data, enabled, out)
		}
		if again := disable(t, out); again != out {
			t.Fatalf("seed %d: disabled twice: %q, then %q", seed, out, again)
		}
	}
}

// relayout returns other blanks and comments to about every third place.
func (g generator) relayout(t *testing.T, data string) string {
	v, err := hujson.Parse([]byte(data))
	testdir.Must(t, err)
	for sub := range v.All() {
		if g.Intn(3) == 0 {
			sub.BeforeExtra = hujson.Extra(g.extra())
		}
		if sub.AfterExtra != nil && g.Intn(3) == 0 {
			sub.AfterExtra = hujson.Extra(g.extra())
		}
		switch c := sub.Value.(type) {
		case *hujson.Object:
			c.AfterExtra = hujson.Extra(g.extra())
		case *hujson.Array:
			c.AfterExtra = hujson.Extra(g.extra())
		}
	}
	return string(v.Pack())
}

// meaning is what a file says, without lists under "hooks" that are empty:
// once the layout is changed nobody knows who made those.
func meaning(t *testing.T, data string) map[string]any {
	m := map[string]any{}
	if strings.Trim(data, blanks) == "" {
		return m
	}
	std, err := hujson.Standardize([]byte(data))
	if err != nil {
		t.Fatalf("%v\n%q", err, data)
	}
	if err := json.Unmarshal(std, &m); err != nil {
		t.Fatalf("%v\n%q", err, data)
	}
	hooks, _ := m["hooks"].(map[string]any)
	for event, groups := range hooks {
		if list, ok := groups.([]any); ok && len(list) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}
