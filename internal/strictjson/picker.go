package strictjson

import (
	"bytes"
	"encoding/json"
)

// A Picker finds members by name in one object after another. It is not safe for
// concurrent use.
type Picker struct {
	names  [][]byte
	values [][]byte
	take   func(name, value []byte) bool
}

// NewPicker returns a picker of the named members.
func NewPicker(names ...string) *Picker {
	p := &Picker{values: make([][]byte, len(names))}
	for _, name := range names {
		p.names = append(p.names, []byte(name))
	}
	p.take = p.member
	return p
}

// Pick finds the members in text, an object; see [Members]. It also reports false for a
// repeated name, even in another case: encoding/json ignores case in names.
func (p *Picker) Pick(text []byte) bool {
	clear(p.values)
	return Members(text, p.take)
}

// Read is [Picker.Pick] for any object: if Pick rejects it, encoding/json reads it, and
// Read returns its errors. The case of names counts; a repeated name has its last value.
func (p *Picker) Read(text []byte) error {
	if p.Pick(text) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := Unmarshal(text, &members); err != nil {
		return err
	}
	for i, name := range p.names {
		p.values[i] = members[string(name)]
	}
	return nil
}

// member takes a member.
func (p *Picker) member(name, value []byte) bool {
	for i, wanted := range p.names {
		if bytes.Equal(name, wanted) {
			if p.values[i] != nil {
				return false
			}
			p.values[i] = value
			return true
		}
	}
	for _, wanted := range p.names {
		if bytes.EqualFold(name, wanted) {
			return false
		}
	}
	return true
}

// Value returns the value of name i in the object of the last Pick, a part of its text;
// nil: the object lacks the name.
func (p *Picker) Value(i int) []byte { return p.values[i] }
