package share

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
)

// unsigned reports whether a side has a commit without a good signature that is not here, where
// signatures are required: then it is not taken. One process where they are, else none.
func (s *Sharing) unsigned(ctx context.Context, tip, side gitexec.OID) (bool, error) {
	if !checkpoints.SignaturesRequired(s.View.w.DB) {
		return false, nil
	}
	// What is here was examined when it came, or was made here.
	var has []gitexec.OID
	if tip != "" {
		has = append(has, tip)
	}
	all, err := s.View.w.Repo.Signatures(ctx, side, has)
	if err != nil {
		return false, err
	}
	for _, one := range all {
		if !one.Good {
			s.report.Unsigned = append(s.report.Unsigned,
				fmt.Sprintf("commit %s of %s by %s: %s", one.Commit.Short(), s.View.Shown(), one.By, faultOf(one.Status)))
			return true, nil
		}
	}
	return false, nil
}

// faultOf says what git's letter for a signature means.
func faultOf(status string) string {
	switch status {
	case "N":
		return "it is not signed"
	case "B":
		return "its signature is bad"
	case "U":
		return "its signer is not among the allowed"
	case "X", "Y":
		return "its signature, or the key, has expired"
	case "R":
		return "its key was revoked"
	}
	return "its signature cannot be checked"
}
