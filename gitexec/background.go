package gitexec

import "sync"

// prepared is what was started in the background for its next use; nil: nothing was.
type prepared[T any] func() (T, error)

// take returns what was started, or starts it now.
func (p *prepared[T]) take(start func() (T, error)) (T, error) {
	if ready := *p; ready != nil {
		*p = nil
		return ready()
	}
	return start()
}

// warm starts it. The caller must call discard, which ends what was not used; its use would have
// returned an error of the start.
func (p *prepared[T]) warm(start func() (T, error), end func(T) error) (discard func() error) {
	*p = InBackground(start)
	return func() error {
		if *p == nil {
			return nil
		}
		if unused, err := p.take(start); err == nil {
			return end(unused)
		}
		return nil
	}
}

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
