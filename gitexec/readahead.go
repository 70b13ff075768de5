package gitexec

import (
	"slices"

	"entire-plumb/internal/sets"
)

// mostAhead limits the blobs that are read ahead, in bytes; one of largestAhead costs more by
// itself than the round trip.
const mostAhead, largestAhead = 8 << 20, 256 << 10

// ReadAhead reads blobs at once that Blob and EachBlob will be called for: each round trip costs a
// context switch to git and back, and they may be called again. It skips missing blobs, and large
// ones. What was read ahead before stays while there is room for it.
func (o *Objects) ReadAhead(ids ...OID) error {
	again, room := map[OID]Object{}, int64(mostAhead)
	ids = slices.DeleteFunc(sets.Once(ids), func(id OID) bool {
		object, known := o.ahead[id]
		if known {
			again[id], room = object, room-object.Size
		}
		return known
	})
	bring(o, ids...)
	infos, err := o.Info(ids...)
	if err != nil {
		return err
	}
	var small []OID
	for i, info := range infos {
		// One that does not fit is left to its reader, and smaller ones behind it may still fit.
		if info.Type == "blob" && info.Size <= min(room, largestAhead) {
			small, room = append(small, ids[i]), room-info.Size
		}
	}
	read, err := o.contents(small...)
	if err != nil {
		return err
	}
	for _, object := range read {
		again[object.ID] = object
	}
	// What is not asked for this time goes first.
	if o.keepAhead(again); o.aheadSize > mostAhead {
		o.ahead, o.aheadSize = nil, 0
		o.keepAhead(again)
	}
	return nil
}

func (o *Objects) keepAhead(objects map[OID]Object) {
	if o.ahead == nil {
		o.ahead = make(map[OID]Object, len(objects))
	}
	for id, object := range objects {
		if _, known := o.ahead[id]; !known {
			o.ahead[id], o.aheadSize = object, o.aheadSize+object.Size
		}
	}
}
