// Package demo plays the main job for a newcomer.
package demo

import (
	"context"
	"io"
)

// Run plays it.
func Run(ctx context.Context, exe string, w io.Writer, keep bool) error { return nil }
