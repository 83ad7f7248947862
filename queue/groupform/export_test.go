package groupform

import "github.com/quintain-rl/quintain"

// EncodeFields is Encode without the envelope.
func EncodeFields(g *quintain.Group) []byte {
	w := writer{}
	w.group(g)
	return w.b
}

// DecodeFields is Decode without the envelope.
func DecodeFields(b []byte) (*quintain.Group, error) {
	r := reader{b: b}
	g := r.group()
	return g, r.err
}
