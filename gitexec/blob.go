package gitexec

import (
	"bytes"
	"errors"
	"slices"
)

// Blob reads a blob of at most so many bytes. Its errors are MissingError, KindError and
// TooLargeError; then nothing of it was read.
func (o *Objects) Blob(name OID, most int64) ([]byte, error) {
	bring(o, name)
	info, err := o.Info(name)
	if err == nil {
		err = fits(o, name, info[0], "blob", most)
	}
	if err != nil {
		return nil, err
	}
	found, err := o.contents(info[0].ID)
	if err != nil {
		return nil, err
	}
	return found[0].Data, nil
}

// fits is the error of an object that is missing, of another kind, or too large; nil: readable.
func fits(o *Objects, name OID, info Object, kind string, most int64) error {
	switch {
	case info.Type == "":
		return missing(o, name)
	case info.Type != kind:
		return &KindError{Name: string(name), Kind: info.Type, Want: kind}
	case info.Size > most:
		return &TooLargeError{Name: string(name), Size: info.Size, Most: most}
	}
	return nil
}

const (
	// mostAtOnce is how many bytes of blobs are in memory at once.
	mostAtOnce = 16 << 20
	// mostForeign is how many bytes EachBlob and TreesUpTo read in total. Otherwise a few kilobytes
	// that compress well, or are named many times, keep a command busy for hours. The checkpoints
	// of 100,000 commits are smaller.
	mostForeign = 1 << 30
	// overhead is added to the size of each object, in bytes.
	overhead = 256
)

// EachBlob reads blobs, equal IDs once, some megabytes at a time, and passes each with its indexes
// among the names. For a blob that cannot be read it passes the error; see Blob. After mostForeign
// bytes that is ErrReadLimit for all others.
func (o *Objects) EachBlob(most int64, names []OID, each func(at []int, data []byte, err error) error) error {
	bring(o, names...)
	infos, err := o.Info(names...)
	if err != nil {
		return err
	}
	places, ids, err := o.readable(most, names, infos, each)
	for len(ids) > 0 && err == nil {
		n, size := 0, int64(0)
		for n < len(ids) && (n == 0 || size+infos[places[ids[n]][0]].Size <= mostAtOnce) {
			size += infos[places[ids[n]][0]].Size
			n++
		}
		err = o.passOn(ids[:n], places, each)
		ids = ids[n:]
	}
	return err
}

// readable are the blobs that may be read, each once, and the indexes of each. The error of every
// other one is passed on.
func (o *Objects) readable(most int64, names []OID, infos []Object, each func([]int, []byte, error) error) (places map[OID][]int, ids []OID, err error) {
	places = map[OID][]int{}
	for i, info := range infos {
		o.foreign += overhead
		err := fits(o, names[i], info, "blob", most)
		if err == nil && places[info.ID] == nil {
			o.foreign += info.Size
		}
		if err == nil && o.foreign > mostForeign {
			err = ErrReadLimit
		}
		if err != nil {
			if err := each([]int{i}, nil, err); err != nil {
				return nil, nil, err
			}
			continue
		}
		if places[info.ID] == nil {
			ids = append(ids, info.ID)
		}
		places[info.ID] = append(places[info.ID], i)
	}
	return places, ids, nil
}

// passOn reads blobs at once, and passes on each.
func (o *Objects) passOn(ids []OID, places map[OID][]int, each func([]int, []byte, error) error) error {
	read, err := o.contents(ids...)
	if err != nil {
		return err
	}
	for i, object := range read {
		if err := each(places[ids[i]], object.Data, nil); err != nil {
			return err
		}
		read[i].Data = nil
	}
	return nil
}

// TreesUpTo reads tree objects of at most so many bytes each, and sixteen megabytes in total, which
// others may have written: see EachBlob. The caller must not change them. Its errors are
// MissingError, KindError, TooLargeError and ErrReadLimit.
func (o *Objects) TreesUpTo(most int64, ids ...OID) ([]Tree, error) {
	o.foreign += overhead * int64(len(ids))
	ask := o.unread(ids)
	infos, err := askNear(o, "info", ask, false)
	if lacks := func(info Object) bool { return info.Type == "" }; err == nil && o.repo.Partial() && slices.ContainsFunc(infos, lacks) {
		bring(o, ask...)
		infos, err = askNear(o, "info", ask, false)
	}
	if err != nil {
		return nil, err
	}
	together := int64(0)
	for i, info := range infos {
		if err := fits(o, ask[i], info, "tree", most); err != nil {
			return nil, err
		}
		together += info.Size
	}
	if o.foreign += together; o.foreign > mostForeign {
		return nil, ErrReadLimit
	}
	if together > mostAtOnce && len(ids) > 1 {
		return nil, &TooLargeError{Name: string(ids[0]) + " and others", Size: together, Most: mostAtOnce}
	}
	return o.shared(ids...)
}

// Apart has what is read until back is called count by itself: it leaves the rest of a command all
// of mostForeign.
func (o *Objects) Apart() (back func()) {
	before := o.foreign
	o.foreign = 0
	return func() { o.foreign = before }
}

// Foreign is how many bytes of what others may have written were read, as EachBlob counts them.
func (o *Objects) Foreign() int64 { return o.foreign }

// CheckLimit is ErrReadLimit after mostForeign bytes.
func (o *Objects) CheckLimit() error {
	if o.foreign > mostForeign {
		return ErrReadLimit
	}
	return nil
}

// CountCopy counts objects, which others may have written, before they are copied. Its error is
// ErrReadLimit.
func (o *Objects) CountCopy(ids ...OID) error {
	bring(o, ids...)
	infos, err := o.Info(ids...)
	for _, info := range infos {
		o.copied += overhead + info.Size
	}
	if err == nil && o.copied > 2*mostForeign {
		err = ErrReadLimit
	}
	return err
}

// IsBinary is git's own test for content without lines.
func IsBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// IsUnreadable reports whether an error is a MissingError, KindError, TooLargeError or
// ErrReadLimit.
func IsUnreadable(err error) bool {
	return errors.As(err, new(*MissingError)) || errors.As(err, new(*KindError)) || errors.As(err, new(*TooLargeError)) ||
		errors.Is(err, ErrReadLimit)
}
