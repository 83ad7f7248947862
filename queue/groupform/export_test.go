package groupform

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
