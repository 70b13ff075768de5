//go:build !unix

package gitexec

import "time"

// Where there is no stat data that tells of each change, no discovery is vouched for, and git is asked.

func statData(string) (string, time.Time) { return "unknown", time.Now() }

func fileSystem(string) (device uint64, ok bool) { return 0, false }

func ours(string) bool { return false }

// StatData is not known here.
func StatData(string) (data string, ok bool) { return "", false }
