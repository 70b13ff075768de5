package gitexec

import "sync"

// InBackground starts f, and returns a function that waits for its result. A panic of f is the
// caller's: in a goroutine of its own nothing could catch it, and the program would exit with 2.
func InBackground[T any](f func() (T, error)) func() (T, error) {
	type answer struct {
		value T
		err   error
		panic any
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			a.panic = recover()
			done <- a
		}()
		a.value, a.err = f()
	}()
	return sync.OnceValues(func() (T, error) {
		a := <-done
		if a.panic != nil {
			panic(a.panic)
		}
		return a.value, a.err
	})
}
