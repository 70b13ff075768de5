package gitexec

// mostAhead is how many bytes of blobs are read ahead at most.
const mostAhead = 8 << 20

// Ahead reads blobs that Content is going to be asked for, once each, all at once: each answer that is waited for costs a switch to git and back. What is
// missing, or too much, is left to Content.
func (o *Objects) Ahead(ids ...OID) error {
	info, err := o.Info(ids...)
	if err != nil {
		return err
	}
	var small []OID
	room := int64(mostAhead)
	for i, object := range info {
		if object.Type == "blob" && object.Size <= room {
			small, room = append(small, ids[i]), room-object.Size
		}
	}
	objects, err := o.Any(small...)
	if err != nil {
		return err
	}
	o.ahead = make(map[OID][]byte, len(small))
	for i, object := range objects {
		if object.Type == "blob" {
			o.ahead[small[i]] = object.Data
		}
	}
	return nil
}
