package gitexec

// mostAhead is how many bytes of blobs are read ahead at most.
const mostAhead = 8 << 20

// Ahead reads blobs that EachBlob is going to be asked for one by one, once each, all at once: each
// answer that is waited for costs a switch to git and back. What is missing, or too much, is left
// to EachBlob.
func (o *Objects) Ahead(ids ...OID) error {
	infos, err := o.Info(ids...)
	if err != nil {
		return err
	}
	var small []OID
	var known []Object
	room := int64(mostAhead)
	for i, info := range infos {
		if info.Type == "blob" && info.Size <= room {
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

// taken gives a blob that was read ahead, if it isn't larger than so many bytes.
func (o *Objects) taken(id OID, most int64) ([]byte, bool) {
	data, ok := o.ahead[id]
	if ok = ok && int64(len(data)) <= most; ok {
		delete(o.ahead, id)
	}
	return data, ok
}
