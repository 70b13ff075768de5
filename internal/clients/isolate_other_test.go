//go:build !linux

package clients

import "errors"

// isolate says that this system has no network namespaces.
func isolate() (code int, done bool, err error) {
	return 0, false, errors.New("network namespaces are Linux's")
}
