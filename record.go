package quintain

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A Record is a task's own record of one problem: the plain value that the task
// made, or its JSON form, if it came from another process. The zero Record is empty.
// Only UnmarshalJSON changes a Record, so many goroutines may read it at once.
type Record struct {
	value any
	raw   json.RawMessage
}

// NewRecord returns the record of value, a plain value that encoding/json can
// write. Do not change value afterwards. It is encoded only when its JSON form is
// needed: a problem that is made, played and graded in one process needs none.
func NewRecord(value any) Record { return Record{value: value} }

// RawRecord returns the record whose JSON form is raw. The record owns raw from then
// on.
func RawRecord(raw []byte) Record { return Record{raw: raw} }

// Value returns the value that NewRecord was given, or nil for a record from JSON.
func (r Record) Value() any { return r.value }

// JSON returns the JSON form, which the caller must not change; nil for the empty
// record. It fails if the value cannot be encoded.
func (r Record) JSON() (json.RawMessage, error) {
	if r.value == nil {
		return r.raw, nil
	}
	raw, err := jsonform.Marshal(r.value)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return raw, nil
}

// String is the JSON form, for people.
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
	if raw == nil && err == nil {
		return []byte("null"), nil
	}
	return raw, err
}

// UnmarshalJSON implements [json.Unmarshaler]. It keeps a copy of raw.
func (r *Record) UnmarshalJSON(raw []byte) error {
	*r = RawRecord(bytes.Clone(raw))
	return nil
}
