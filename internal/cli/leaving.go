package cli

import (
	"fmt"
	"io"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/share"
)

// mostLeaving is how many checkpoints are listed that go, and that stay.
const mostLeaving = 20

// printLeaving lists what goes to the target, and what stays here. A link beside a commit is listed
// only where no checkpoint is that it links.
func printLeaving(w io.Writer, on screen, r share.Report) {
	t := newTable(column{}, column{colour: yellow}, column{least: 16, wants: 30}, column{least: 20})
	t.bare = true
	more := ""
	for _, part := range []struct {
		verb, ofSeveral string
		list            []share.Leaving
		why             func(share.Leaving) string
	}{
		{"goes", "go", r.Goes, whyGoes},
		{"stays", "stay", r.Stays, func(one share.Leaving) string { return whyStays(one, r.Elected) }},
	} {
		list := withoutLinks(part.list)
		for _, one := range list[:min(len(list), mostLeaving)] {
			name := one.Checkpoint
			if name == "" {
				name = "link"
			}
			t.add(part.verb, name, quotedPrompt(one.Prompt), part.why(one))
		}
		if n := len(list) - mostLeaving; n > 0 {
			more += fmt.Sprintf("and %d more %s\n", n, amount.ByNumber(n, part.verb, part.ofSeveral))
		}
	}
	t.print(w, on)
	fmt.Fprint(w, more)
	if more != "" {
		fmt.Fprintln(w, "hint: entire-plumb sync -n --json lists all")
	}
}

// withoutLinks leaves out links beside commits for which a checkpoint is listed.
func withoutLinks(list []share.Leaving) (left []share.Leaving) {
	named := map[gitexec.OID]bool{}
	for _, one := range list {
		if one.Checkpoint != "" {
			named[one.Commit] = true
		}
	}
	for _, one := range list {
		if one.Checkpoint != "" || !named[one.Commit] {
			left = append(left, one)
		}
	}
	return left
}

func quotedPrompt(prompt string) string {
	if prompt == "" {
		return ""
	}
	return `"` + lastPrompt(prompt) + `"`
}

// whyGoes names the commit for which it goes.
func whyGoes(one share.Leaving) string {
	switch {
	case one.Commit == "":
		return ""
	case one.Branch == "":
		return "for " + one.Commit.Short()
	}
	return fmt.Sprintf("for %s on %s", one.Commit.Short(), one.Branch)
}

// whyStays says why it stays.
func whyStays(one share.Leaving, remote string) string {
	switch {
	case one.Commit == "":
		return "no commit links it"
	case one.Branch == "":
		return fmt.Sprintf("its commit %s is on no branch", one.Commit.Short())
	}
	return fmt.Sprintf("its commit %s is on %s, and %s does not have it", one.Commit.Short(), one.Branch, remote)
}
