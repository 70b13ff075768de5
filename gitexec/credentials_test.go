package gitexec

import (
	"slices"
	"strings"
	"testing"
)

func TestIsDialog(t *testing.T) {
	for program, want := range map[string]bool{
		"": false, "/usr/lib/ssh/ssh-askpass": true, "/usr/bin/ksshaskpass": true, "gnome-ssh-askpass3": true, "x11-ssh-askpass": true,
		"lxqt-openssh-askpass": true, `C:\Program Files\Git\mingw64\libexec\git-core\git-gui--askpass`: true, "/mingw64/bin/git-askpass.exe": false,
		"/home/a/.vscode-server/bin/1/extensions/git/dist/askpass.sh": false, "/home/ssh-askpass/print-token": false, "/usr/bin/echo": false,
	} {
		if got := isDialog(program); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}

func TestUnaskedBy(t *testing.T) {
	for _, c := range []struct{ askpass, ssh, want string }{
		{"", "ssh", "GIT_ASKPASS= GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ControlMaster=no"},
		{"/opt/token", "/usr/bin/ssh -i key", "GIT_ASKPASS=/opt/token GIT_SSH_COMMAND=/usr/bin/ssh -i key -o BatchMode=yes -o ControlMaster=no"},
		{"ssh-askpass", "plink", "GIT_ASKPASS="},
	} {
		env := slices.DeleteFunc(unaskedBy(c.askpass, c.ssh), func(v string) bool {
			return !strings.HasPrefix(v, "GIT_")
		})
		if got := strings.Join(env, " "); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
