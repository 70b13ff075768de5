package share

import (
	"fmt"
	"slices"
	"strings"
)

// ownKey begins the key of a repository of the checkpoints' own.
const ownKey = "url-"

// key is the name of a remote's refs: one level that git takes as a part of a ref's name, whatever
// the remote is called. These characters are what git check-ref-format refuses. "%" itself stays:
// two remotes whose names differ by that alone would share what was seen of them.
func key(remote string) string {
	var out strings.Builder
	for i := range len(remote) {
		c, rest := remote[i], remote[i+1:]
		if c <= ' ' || strings.IndexByte("\x7f/~^:?*[\\", c) >= 0 ||
			c == '.' && (i == 0 || rest == "" || rest[0] == '.' || rest == "lock") || c == '@' && (remote == "@" || strings.HasPrefix(rest, "{")) {
			fmt.Fprintf(&out, "%%%02X", c)
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// fetched is the address from which git fetches.
func (r Remotes) fetched(t Target) string {
	from := t.Remote
	if urls := r.URLs[t.Remote]; len(urls) > 0 && !t.Own {
		from = urls[0]
	}
	return r.replaced(from, false)
}

// each is a target at each of the addresses to which git pushes.
func (r Remotes) each(t Target) (all []Target) {
	for _, address := range r.addresses(t) {
		all = append(all, r.at(t, address))
	}
	return all
}

// at is a target at one of the addresses to which git pushes.
func (r Remotes) at(t Target, address string) Target {
	t.At, t.Here = address, isPath(address)
	t.Alone = slices.Equal(r.addresses(t), []string{address})
	// A push to any other one moves the remote-tracking branches, too.
	t.Apart = !t.Alone || address != r.fetched(t)
	return t
}

// addresses are where git pushes to.
func (r Remotes) addresses(t Target) (all []string) {
	// Git applies pushInsteadOf to url alone, and not to an explicit pushurl.
	if explicit := r.PushURLs[t.Remote]; len(explicit) > 0 && !t.Own {
		for _, address := range explicit {
			all = append(all, r.replaced(address, false))
		}
		return all
	}
	addresses := r.URLs[t.Remote]
	if t.Own {
		addresses = []string{t.Remote}
	}
	for _, address := range addresses {
		all = append(all, r.replaced(address, true))
	}
	return all
}

// replaced is an address as git uses it: url.BASE.insteadOf replaces its beginning, the longest
// counts; for a push url.BASE.pushInsteadOf comes first.
func (r Remotes) replaced(address string, push bool) string {
	if push {
		if base, longest := beginning(address, r.PushInstead); longest != "" {
			return base + address[len(longest):]
		}
	}
	base, longest := beginning(address, r.Instead)
	return base + address[len(longest):]
}

// beginning finds the longest beginning of an address that is to be replaced, and by what.
func beginning(address string, replacements map[string][]string) (base, longest string) {
	for by, all := range replacements {
		for _, one := range all {
			if strings.HasPrefix(address, one) && len(one) > len(longest) {
				base, longest = by, one
			}
		}
	}
	return base, longest
}

// isPath reports whether an address is that of a directory, as git reads it.
func isPath(address string) bool {
	if strings.Contains(address, "://") {
		return strings.HasPrefix(address, "file://")
	}
	// A slash before the first colon makes it a path, as in ./a:b; else the colon ends the name of
	// a host that ssh is asked for.
	host, _, remote := strings.Cut(address, ":")
	return !remote || strings.Contains(host, "/")
}
