package gitexec

import "sync"

// InBackground starts f, and returns a function that waits for its result.
func InBackground[T any](f func() (T, error)) func() (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	return sync.OnceValues(func() (T, error) {
		a := <-done
		return a.value, a.err
	})
}
