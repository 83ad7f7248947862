package quintain

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Record is a task's own record of a problem: the plain value that the task made or, from
// another process, its JSON form. The zero Record is empty. Only UnmarshalJSON changes a
// Record, so many goroutines may read it at once.
type Record struct {
	value any
	raw   json.RawMessage
}

// NewRecord returns the record of value, a plain value that encoding/json can write. Do not
// change value afterwards. It is encoded only on demand: a problem made, played and graded
// in one process never needs its JSON form.
func NewRecord(value any) Record { return Record{value: value} }

// RawRecord returns the record with JSON form raw. It takes ownership of raw.
func RawRecord(raw []byte) Record { return Record{raw: raw} }

// Value returns the argument of NewRecord; nil for a record from JSON.
func (r Record) Value() any { return r.value }

// JSON returns the JSON form, nil for the empty record. The caller must not change it. An
// error means that the value cannot be encoded.
func (r Record) JSON() (json.RawMessage, error) {
	if r.value == nil {
		return r.raw, nil
	}
	raw, err := json.Marshal(r.value)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return raw, nil
}

// String returns the JSON form, for people.
func (r Record) String() string {
	raw, err := r.JSON()
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// MarshalJSON implements [json.Marshaler]. The empty record is null.
func (r Record) MarshalJSON() ([]byte, error) {
	raw, err := r.JSON()
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return []byte("null"), nil
	}
	return raw, nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It keeps a copy of raw.
func (r *Record) UnmarshalJSON(raw []byte) error {
	*r = RawRecord(bytes.Clone(raw))
	return nil
}
