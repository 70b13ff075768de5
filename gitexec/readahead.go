package gitexec

// mostAhead limits the blobs that are read ahead, in bytes; one of largestAhead costs more by
// itself than the round trip.
const mostAhead, largestAhead = 8 << 20, 256 << 10

// ReadAhead reads blobs at once that Blob and EachBlob will be called for: each round trip costs a
// context switch to git and back, and they may be called again. It skips missing blobs, and large
// ones. What was read ahead before is forgotten.
func (o *Objects) ReadAhead(ids ...OID) error {
	bring(o, ids...)
	infos, err := o.Info(ids...)
	if err != nil {
		return err
	}
	var small []OID
	var known []Object
	room := int64(mostAhead)
	for i, info := range infos {
		if info.Type == "blob" && info.Size <= min(room, largestAhead) {
			small, known, room = append(small, ids[i]), append(known, info), room-info.Size
		}
	}
	o.ahead = make(map[OID][]byte, len(small))
	return o.eachOf(mostAhead, small, known, func(at []int, data []byte, err error) error {
		if err == nil {
			o.ahead[small[at[0]]] = data
		}
		return nil
	})
}

// taken is a blob that was read ahead, if it has at most so many bytes. Several files may have it.
func (o *Objects) taken(id OID, most int64) ([]byte, bool) {
	data, ok := o.ahead[id]
	return data, ok && int64(len(data)) <= most
}
