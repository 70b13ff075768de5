package gitexec

import "entire-plumb/internal/sets"

// mostAhead limits the blobs that are read ahead, in bytes; one of largestAhead costs more by
// itself than the round trip.
const mostAhead, largestAhead = 8 << 20, 256 << 10

// ReadAhead reads blobs at once that Blob and EachBlob will be called for: each round trip costs a
// context switch to git and back, and they may be called again. It skips missing blobs, and large
// ones. What was read ahead before is forgotten.
func (o *Objects) ReadAhead(ids ...OID) error {
	ids = sets.Once(ids)
	bring(o, ids...)
	infos, err := o.Info(ids...)
	if err != nil {
		return err
	}
	var small []OID
	room := int64(mostAhead)
	for i, info := range infos {
		if info.Type == "blob" && info.Size <= min(room, largestAhead) {
			small, room = append(small, ids[i]), room-info.Size
		}
	}
	read, err := o.contents(small...)
	if err != nil {
		return err
	}
	o.ahead = make(map[OID]Object, len(small))
	for _, object := range read {
		o.ahead[object.ID] = object
	}
	return nil
}
