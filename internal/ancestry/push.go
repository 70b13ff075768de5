package ancestry

import (
	"slices"
	"strings"
)

// PushesNothing reports whether the git push that called the hook only says what it would do.
func PushesNothing(above []Process) bool {
	return pushHas(above, func(arg string) bool { return option(arg, "--dry-run", len("--dr"), 'n') })
}

// PushForces reports whether the git push that called the hook replaces a ref at the remote
// whatever that has. local and remote are the ref's names in git's line to the hook; empty: each
// ref. A push that cannot be seen forces nothing.
func PushForces(above []Process, local, remote string) bool {
	return pushHas(above, func(arg string) bool {
		if spec, plus := strings.CutPrefix(arg, "+"); plus {
			return isOf(spec, local, remote)
		}
		// The hook gets no ref whose lease git finds broken.
		if lease, named := strings.CutPrefix(arg, "--force-with-lease="); named {
			name, _, _ := strings.Cut(lease, ":")
			return isOf(name, "", remote)
		}
		return option(arg, "--mirror", len("--m"), 'f') || option(arg, "--force-with-lease", len("--fo"), 'f')
	})
}

// isOf reports whether a refspec without its plus is one of a ref, by its names in git's line to
// the hook.
func isOf(spec, local, remote string) bool {
	from, to, both := strings.Cut(spec, ":")
	if from == "@" {
		from = "HEAD" // as git's line has it
	}
	if !both {
		to = from
	}
	before, after, pattern := strings.Cut(to, "*")
	return spec == ":" || !both && from == local || slices.ContainsFunc([]string{"", "refs/", "refs/heads/", "refs/tags/"}, func(dir string) bool {
		return dir+to == remote || pattern && strings.HasPrefix(remote, dir+before) && strings.HasSuffix(remote, after)
	})
}

// PushIsAtomic reports whether the git push that called the hook moves all refs or none. missing:
// it may be about a ref that git's lines to the hook, by their local and remote names, do not have:
// git leaves out what is up to date, and also what it rejects since it is no fast-forward.
func PushIsAtomic(above []Process, lines [][2]string) (atomic, missing bool) {
	if !pushHas(above, func(arg string) bool { return option(arg, "--atomic", len("--at"), 0) }) {
		return false, false
	}
	specs := pushSpecs(above)
	if len(specs) == 0 {
		specs = []string{"refs/heads/*"} // the branch that is switched to
	}
	return true, PushesAll(above) || slices.ContainsFunc(specs, func(spec string) bool {
		return !slices.ContainsFunc(lines, func(l [2]string) bool { return isOf(strings.TrimPrefix(spec, "+"), l[0], l[1]) })
	})
}

// pushTakesValue are the options of git push with a separate value.
var pushTakesValue = []string{"-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"}

// pushSpecs are the refspecs that the git push names which called the hook.
func pushSpecs(above []Process) []string {
	words, value := []string(nil), false
	pushHas(above, func(arg string) bool {
		switch {
		case value:
			value = false
		case slices.Contains(pushTakesValue, arg):
			value = true
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "^") && arg != "tag":
			words = append(words, arg)
		}
		return false
	})
	return words[min(1, len(words)):] // the first is the repository
}

// PushesAll reports whether the git push that called the hook is one of all branches.
func PushesAll(above []Process) bool {
	return pushHas(above, func(arg string) bool {
		return option(arg, "--all", len("--al"), 0) || option(arg, "--branches", len("--b"), 0) || strings.Contains(arg, "*") || arg == ":"
	})
}

// PushNames reports whether a refspec of the git push that called the hook holds a word: the user
// asks for a ref by its name. remote is the repository as git names it to the hook, which is no
// refspec.
func PushNames(above []Process, remote, word string) bool {
	return pushHas(above, func(arg string) bool {
		return arg != remote && strings.Contains(arg, word) && !strings.HasPrefix(arg, "^") && !strings.HasPrefix(arg, "-")
	})
}

// pushHas reports whether an argument of the git push that called the hook is such.
func pushHas(above []Process, such func(arg string) bool) bool {
	for _, g := range Commands(above) {
		if g.Verb == "push" {
			return slices.ContainsFunc(g.Args, such)
		}
	}
	return false
}

// option reports whether an argument is an option of git push without a value: in full, abbreviated
// to no fewer than some bytes, or as a letter, also among others.
func option(arg, long string, least int, letter rune) bool {
	short := len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && !strings.HasPrefix(arg, "-o") && strings.ContainsRune(arg, letter)
	return short || len(arg) >= least && strings.HasPrefix(long, arg)
}
