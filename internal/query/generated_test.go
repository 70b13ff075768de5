package query

import (
	"maps"
	"testing"

	"entire-plumb/gitexec"
)

func TestGenerated(t *testing.T) {
	r := newRepository(t)
	r.Write(".gitattributes", "*.pb.go linguist-generated\nvendor/** linguist-vendored\nweb/yarn.lock -linguist-generated\n")
	got, err := Generated(t.Context(), r.Reader.Repo, []gitexec.Path{"main.go", "api.pb.go", "vendor/a/b.c", "go.sum", "web/yarn.lock"})
	want := map[gitexec.Path]bool{"api.pb.go": true, "vendor/a/b.c": true, "go.sum": true}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}
