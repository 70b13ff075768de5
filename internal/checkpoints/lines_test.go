package checkpoints

import (
	"errors"
	"fmt"
	"testing"

	"entire-plumb/gitexec"
)

// TestParseLines: a list of lines that can't be is damaged, never a list without lines.
func TestParseLines(t *testing.T) {
	for ranges, valid := range map[string]bool{
		"[]": true, "[[1,20,0]]": true, "[[1,10,0],[11,10,0]]": true,
		"null": false, "[[-5,-10,-1]]": false, "[[0,1,0]]": false, "[[1,0,0]]": false, "[[1,20,99]]": false, "[[1,20,-1]]": false,
		"[[1,4611686018427387904,0]]": false, "[[1,20,0],[1,20,0]]": false, `"all"`: false,
	} {
		data := fmt.Sprintf(`{"turns":["t"],"prompts":["p"],"files":[{"path":"f","blob":"%s","lines":20,"ranges":%s}]}`, gitexec.SHA1.Zero(), ranges)
		switch _, err := parseLines([]byte(data), "lines.json", gitexec.SHA1.Zero()); {
		case valid && err != nil:
			t.Errorf("%s: %v", ranges, err)
		case !valid && !errors.Is(err, ErrDamaged):
			t.Errorf("%s: %v, want ErrDamaged", ranges, err)
		}
	}
}
