package ancestry

import (
	"strings"
	"testing"
)

func pushOf(args string) []Process { return []Process{{Args: strings.Fields("git push " + args)}} }

func TestPushForces(t *testing.T) {
	for _, c := range []struct {
		args, local, remote string
		want                bool
	}{
		{"origin main", "refs/heads/main", "refs/heads/main", false},
		{"-f origin main", "refs/heads/main", "refs/heads/main", true},
		{"-uf origin main", "refs/heads/main", "refs/heads/main", true},
		{"-o f origin main", "refs/heads/main", "refs/heads/main", false},
		{"--force origin", "refs/heads/main", "refs/heads/main", true},
		{"--mirror origin", "refs/heads/main", "refs/heads/main", true},
		{"--follow-tags origin", "refs/heads/main", "refs/heads/main", false},
		{"--force-if-includes origin main", "refs/heads/main", "refs/heads/main", false},
		{"--force-with-lease origin main", "refs/heads/main", "refs/heads/main", true},
		{"--force-with-lease=main:abc origin main other", "refs/heads/main", "refs/heads/main", true},
		{"--force-with-lease=main:abc origin main other", "refs/heads/other", "refs/heads/other", false},
		{"origin +main other", "refs/heads/main", "refs/heads/main", true},
		{"origin +main other", "refs/heads/other", "refs/heads/other", false},
		{"origin +main", "refs/heads/x/main", "refs/heads/x/main", false},
		{"origin +main:other", "refs/heads/main", "refs/heads/other", true},
		{"origin +main:other main", "refs/heads/main", "refs/heads/main", false},
		{"origin +HEAD", "HEAD", "refs/heads/main", true},
		{"origin +@", "HEAD", "refs/heads/main", true},
		{"origin +v1", "refs/tags/v1", "refs/tags/v1", true},
		{"origin +refs/heads/*:refs/heads/x/*", "refs/heads/a", "refs/heads/x/a", true},
		{"origin +refs/heads/*:refs/heads/x/*", "refs/tags/a", "refs/tags/a", false},
		{"origin +:", "refs/heads/a", "refs/heads/a", true},
		{"origin +main", "", "", false},
		{"-f origin", "", "", true},
	} {
		if got := PushForces(pushOf(c.args), c.local, c.remote); got != c.want {
			t.Errorf("%s, of %s: %v", c.args, c.remote, got)
		}
	}
	if PushForces(nil, "refs/heads/main", "refs/heads/main") {
		t.Error("a push that cannot be seen forces")
	}
}

func TestPushIsAtomic(t *testing.T) {
	main, tag := [2]string{"refs/heads/main", "refs/heads/main"}, [2]string{"refs/tags/v1", "refs/tags/v1"}
	gone := [2]string{"(delete)", "refs/heads/gone"}
	for _, c := range []struct {
		args            string
		lines           [][2]string
		atomic, missing bool
	}{
		{"origin main v1", [][2]string{tag}, false, false},
		{"--atomic origin main v1", [][2]string{main, tag}, true, false},
		{"--at origin main tag v1", [][2]string{main, tag}, true, false},
		{"--atomic -o main origin main v1", [][2]string{tag}, true, true},
		{"--atomic origin main :gone", [][2]string{main, gone}, true, false},
		{"--atomic --follow-tags", [][2]string{main, tag}, true, false},
		{"--atomic --follow-tags", [][2]string{tag}, true, true},
		{"--atomic --all origin", [][2]string{main}, true, true},
	} {
		if atomic, missing := PushIsAtomic(pushOf(c.args), c.lines); atomic != c.atomic || missing != c.missing {
			t.Errorf("%s: %v, %v", c.args, atomic, missing)
		}
	}
}
