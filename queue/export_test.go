package queue

import "github.com/quintain-rl/quintain"

// EncodeFields is the part of Encode within the envelope.
func EncodeFields(g *quintain.Group) []byte {
	w := writer{}
	w.group(g)
	return w.b
}

// DecodeFields is the part of Decode within the envelope.
func DecodeFields(b []byte) (*quintain.Group, error) {
	r := reader{b: b}
	g := r.group()
	return g, r.err
}

// StoreOf is where q has its store.
func (q *Queue) StoreOf() *Store { return &q.store }

// Wrap puts fields into an envelope.
func Wrap(fields []byte) []byte { return NewCodec(0).wrap(fields, packedSmall) }
