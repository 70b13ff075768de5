package decided

import (
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
)

// FuzzParse: of a file that was changed, no link is read that is none.
func FuzzParse(f *testing.F) {
	f.Add([]byte(links + " 1111111111111111111111111111111111111111 0123456789ab " + end + "\n" +
		sessions + " 0123456789ab 2222222222222222222222222222222222222222 " + end + "\n" + made + " 1111111111111111111111111111111111111111 " + end + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := parse(data)
		for commit, ids := range read.links {
			if !gitexec.ValidOID(string(commit)) || !valid(ids, message.ValidID) {
				t.Errorf("%q links %q to %q", data, commit, ids)
			}
		}
	})
}
