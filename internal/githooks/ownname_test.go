package githooks

import "testing"

// TestReadsOwnName: which hooks would do something else under another name.
func TestReadsOwnName(t *testing.T) {
	for line, reads := range map[string]bool{
		`exec "$(dirname "$0")/d/$(basename "$0")" "$@"`:            true,
		`exec "${0%/*}/hooks.d/${0##*/}" "$@"`:                      true,
		`for f in "$0".*; do "$f"; done`:                            true,
		`"$0.local" "$@" || exit`:                                   true,
		`"${BASH_SOURCE[0]}.local"`:                                 true,
		`me=$0`:                                                     true,
		`case $0 in *commit-msg) ;; esac`:                           true,
		`name=$(echo "$0" | sed s,.*/,,)`:                           true,
		`hook_type = File.basename($0)`:                             true,
		`name = os.path.basename(sys.argv[0])`:                      true,
		`const hook = path.basename(__filename)`:                    true,
		"name=`basename $0`":                                        true,
		"\x00 $0":                                                   false,
		`echo "$0 requires an argument."`:                           false,
		`test "$#" = 1 || { echo "$0: one argument" >&2; exit 1; }`: false,
		`. "$(dirname -- "$0")/_/husky.sh"`:                         false,
		`cd "${0%/*}" && make`:                                      false,
		`dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)`:         false,
		`git lfs post-commit "$@"`:                                  false,
		`here = os.path.dirname(os.path.abspath(__file__))`:         false,
		`root = Path(__file__).parent`:                              true, // once too often
		`# basename "$0"`:                                           false,
		`awk '{print $02}'`:                                         false,
		`make "$1" "$10"`:                                           false,
	} {
		if f := theirsAt("commit-msg", found{there: true, body: "#!/bin/sh\n" + line + "\n"}); f.readsOwnName() != reads {
			t.Errorf("%q: %t", line, !reads)
		}
	}
	if theirsAt("commit-msg", found{there: true}).readsOwnName() {
		t.Error("a file that can't be run reads nothing")
	}
}
