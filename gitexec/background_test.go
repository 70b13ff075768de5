package gitexec

import "testing"

func TestPanicInBackground(t *testing.T) {
	wait := InBackground(func() (int, error) { panic("broken") })
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("recovered %v", got)
		}
	}()
	wait()
	t.Error("the panic is lost")
}
