package safefile

import "encoding/json"

// ReadPrivate reads a file of this program's own that holds JSON. With an error it is the zero
// value.
func ReadPrivate[T any](file string, limit int64) (v T, err error) {
	data, err := ReadOwn(file, limit)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return *new(T), err
	}
	return v, nil
}

// WritePrivate writes such a file.
func WritePrivate(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return Write(file, data, 0o600)
}
