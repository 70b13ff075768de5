package checkpoints

import (
	"reflect"
	"testing"

	"entire-plumb/gitexec"
)

// FuzzLines: a list of lines that others wrote is refused, or owns no line twice.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"turns":["a"],"prompts":["p"],"files":[{"path":"f","blob":"1","lines":3,"ranges":[[1,2,0]],"unknown":[[2,2]],"hashes":"AAAAAAAAAAA","words":"AAA","moved":[[1,1]]}]}`))
	f.Add([]byte(`{"version":9,"files":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		owned, err := parseLines(data, "lines.json", "1")
		if err != nil {
			return
		}
		all := Owners{}
		all.add(owned, "s1", "Agent")
		all.add(owned, "s2", "Other")
		all.split()
		for path, file := range all {
			last := 0
			for _, r := range file.ranges {
				if r.first <= last || r.lines <= 0 || r.marks != nil && len(r.marks) != r.lines {
					t.Errorf("%s: %+v after line %d", path, r.span, last)
				}
				last = r.first + r.lines - 1
			}
		}
		for _, file := range owned.Files {
			file.evidence()
		}
	})
}

// FuzzSideLink: a link beside a commit names no checkpoint twice, and none that has no such name.
func FuzzSideLink(f *testing.F) {
	f.Add([]byte(`{"checkpoints":["0123456789ab"],"parts":[{"checkpoint":"0123456789ab"}],"removed":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseSideLink(data, gitexec.OID("1111111111111111111111111111111111111111"), "2")
		if err != nil || l == nil {
			return
		}
		seen := map[string]bool{}
		for _, id := range l.Checkpoints {
			if seen[id] || !ValidID(id) {
				t.Errorf("%q names %q", data, id)
			}
			seen[id] = true
		}
	})
}

// FuzzIndexEntry: an entry that was not written by this program is damaged, or takes not much more
// memory than itself, and is written again as it is read.
func FuzzIndexEntry(f *testing.F) {
	for _, e := range someEntries() {
		f.Add(e.pack())
	}
	f.Add([]byte("\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := entryIn("a", value)
		if err != nil {
			return
		}
		again, err := entryIn("a", e.pack())
		if err != nil || !reflect.DeepEqual(e, again) {
			t.Errorf("%+v, again %+v, %v", e, again, err)
		}
		if head, err := headOf(value); err != nil || head.dir != e.dir || head.over != e.over {
			t.Errorf("%+v begins with %+v, %v", e, head, err)
		}
	})
}
