package gitexec

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Found is a commit that [Outgoing.Search] finds.
type Found struct {
	ID  OID
	Dir Path // where it has the directory; empty: its message matches
}

// wholly is of how many commits all changes are read: 60 microseconds for each.
const wholly = 10_000

// Search lists the commits whose message is such, and those that change files in a directory of
// that path, at the top or below any other, newest first; of merges, those that differ from all
// parents. message gets the ID, the parents and the message of all, of some twice. One process. Of
// a longer history a second one looks at the top alone, for what is older: 9 microseconds per
// commit. A partial clone may lack trees that the remote has, and then nothing can be compared: see
// [Outgoing.searchPartial].
func (o Outgoing) Search(ctx context.Context, r *Repo, message func(Commit) bool, dir Path) ([]Found, error) {
	found, n, err := o.search(ctx, r, message, dir, []string{"-c", "--name-only", "--max-count=" + strconv.Itoa(wholly)})
	if err != nil && ctx.Err() == nil {
		return o.searchPartial(ctx, r, message, dir)
	}
	if err != nil || n < wholly {
		return found, err
	}
	// Without --full-history a branch that adds it and takes it out again is not looked at; with
	// --sparse, commits that don't change it are listed for their messages.
	top, _, err := o.search(ctx, r, message, dir, []string{"-c", "--name-only", "--full-history", "--sparse", "--", ":(top,literal)" + string(dir)})
	seen := map[OID]bool{}
	for _, f := range found {
		seen[f.ID] = true
	}
	for _, f := range top {
		if !seen[f.ID] {
			found = append(found, f)
		}
	}
	return found, err
}

// searchPartial compares no trees. If the directory is in what goes out, each commit is found that
// may have it. Two processes.
func (o Outgoing) searchPartial(ctx context.Context, r *Repo, message func(Commit) bool, dir Path) ([]Found, error) {
	objects, err := o.Objects(ctx, r)
	if err != nil {
		return nil, err
	}
	in := Path("")
	for _, path := range objects {
		if where, ok := within([]byte(path+"/"), dir); ok {
			in = where
		}
	}
	found, _, err := o.search(ctx, r, func(c Commit) bool { return message(c) || in != "" }, dir, []string{"--no-patch"})
	for i := range found {
		found[i].Dir = in
	}
	return found, err
}

// search reads n commits.
func (o Outgoing) search(ctx context.Context, r *Repo, message func(Commit) bool, dir Path, limit []string) (found []Found, n int, err error) {
	mark := "\x01" + rand.Text() + " " // no file's name begins so
	// All that the user's configuration could change of the answer is set: follow and
	// diff.orderFile, colours, notes, signatures.
	args := []string{"-c", "log.follow=false", "log", "-z", "-O/dev/null", "--root", "--no-renames", "--no-relative",
		"--no-ext-diff", "--ignore-submodules=dirty", "--no-show-signature", "--no-notes", "--no-decorate", "--no-color", "--encoding=none",
		"--format=" + mark + "%H %P%x00%B"}
	args = append(append(args, o.limits()...), limit...)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	proc, err := r.start(ctx, command{args: args})
	if err != nil {
		return nil, 0, err
	}
	go func() {
		io.Copy(proc.in, o.stdin())
		proc.in.Close()
	}()
	found, n, err = readSearch(bufio.NewReaderSize(proc.out, 1<<16), []byte(mark), message, dir)
	if err != nil {
		stop()
	}
	return found, n, errors.Join(err, proc.wait())
}

func withoutEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// readSearch reads what git prints: of each commit the mark, its ID and its parents', its message,
// and the names of the files that it changes, each with a zero byte.
func readSearch(in *bufio.Reader, mark []byte, message func(Commit) bool, dir Path) (found []Found, n int, err error) {
	at, next := Commit{}, false
	for {
		field, err := in.ReadBytes(0)
		if len(field) == 0 {
			return found, n, withoutEOF(err)
		}
		field = bytes.TrimSuffix(field, []byte{0})
		ids, header := bytes.CutPrefix(field, mark)
		switch {
		case header:
			all := oids(ids)
			if n++; len(all) == 0 || !ValidOID(string(all[0])) {
				return nil, n, fmt.Errorf("git log answered %q", ids)
			}
			at, next = Commit{ID: all[0], Parents: all[1:]}, true
		case next:
			at.Message, next = field, false
			if message(at) {
				found = append(found, Found{ID: at.ID})
			}
		default:
			where, in := within(bytes.TrimPrefix(field, []byte("\n")), dir)
			// Several files of a directory follow each other.
			if known := len(found) > 0 && found[len(found)-1] == (Found{at.ID, where}); in && !known {
				found = append(found, Found{at.ID, where})
			}
		}
	}
}

// Within reports whether a path is a directory of that path, at the top or below another one, or in
// it.
func (p Path) Within(dir Path) bool {
	_, in := within([]byte(p+"/"), dir)
	return in
}

// within is the directory of that path, at the top or below another one, that a file is in.
func within(file []byte, dir Path) (Path, bool) {
	for from := 0; ; {
		i := bytes.Index(file[from:], []byte(dir+"/"))
		if i < 0 {
			return "", false
		}
		if from += i; from == 0 || file[from-1] == '/' {
			return Path(file[:from+len(dir)]), true
		}
		// The name may be a part of a longer one first, as in x.entire/metadata.
		from++
	}
}
