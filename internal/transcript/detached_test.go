package transcript

import "testing"

// TestDetaches: which commands may go on when their shell has ended.
func TestDetaches(t *testing.T) {
	for command, want := range map[string]bool{
		"make":                                      false,
		"make && make test":                         false,
		"make >log 2>&1":                            false,
		"serve &":                                   true,
		"serve & sleep 1; curl localhost":           true,
		"nohup serve":                               true,
		"cd web && sudo -n docker compose up -d":    true,
		"A=1 timeout 5 ssh host make":               true,
		"/usr/bin/tmux new -d":                      true,
		"sh -c 'nohup serve'":                       true,
		"if true; then at now; fi":                  true,
		"(ssh host)":                                true,
		"x=$(kubectl apply -f x)":                   true,
		"npm start":                                 true,
		"systemctl start web":                       true,
		"ls docker":                                 false,
		"cd ssh && make at":                         false,
		"git commit -m 'Fix the crash at start'":    false,
		`git commit -am "Draw the screen & docker"`: false,
		`git commit --message="It may start"`:       false,
		"git commit -m 'One' && nohup serve":        true,
		"echo 'start here'; make":                   false,
		"grep -n 'a & b' file":                      false,
		`grep -n "$(ssh host)" file`:                true,
		"git commit -m \"$(cat <<'EOF'\nFix it\n\nscreen and ssh start at & after\nat last\nEOF\n)\"": false,
		"cat <<'EOF' >a\nssh host\nEOF\nssh host":                                                     true,
		"sh <<EOF\nssh host\nEOF":                                                                     true,
	} {
		if got := detaches(command); got != want {
			t.Errorf("%q: %t", command, got)
		}
	}
}
