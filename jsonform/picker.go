package jsonform

import "bytes"

// A Picker takes the members of some names out of objects, one object after the other.
// It is for one goroutine.
type Picker struct {
	names  [][]byte
	values [][]byte
	take   func(name, value []byte) bool
}

// NewPicker returns a picker of the members of those names.
func NewPicker(names ...string) *Picker {
	p := &Picker{values: make([][]byte, len(names))}
	for _, name := range names {
		p.names = append(p.names, []byte(name))
	}
	p.take = p.member
	return p
}

// Pick takes the members out of the object that text is; see [Members]. It reports false
// too if one of the names comes twice, or comes in other letters, small for capital:
// encoding/json takes that for the name as well.
func (p *Picker) Pick(text []byte) bool {
	clear(p.values)
	return Members(text, p.take)
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

// Value returns the value of the i-th name in the object that was picked from last, a part
// of its text; nil if there is none.
func (p *Picker) Value(i int) []byte { return p.values[i] }
