package queue

import "github.com/quintain-rl/quintain"

// A Decoder reads groups one after another into the same memory. One goroutine at a
// time may use it.
type Decoder struct {
	codec  *Codec
	fields []byte
	mem    memory
}

// NewDecoder returns a decoder of what c reads.
func (c *Codec) NewDecoder() *Decoder { return &Decoder{codec: c} }

// Decode reads the binary form of a group, as [Codec.Decode] does. The group is the
// decoder's: the next call overwrites it.
func (d *Decoder) Decode(b []byte) (*quintain.Group, error) {
	if cap(d.fields) > maxKept {
		*d = Decoder{codec: d.codec}
	}
	d.mem.tokens.reset()
	d.mem.ints.reset()
	d.mem.floats.reset()
	fields, err := d.codec.inflate(b, d.fields)
	if err != nil {
		return nil, err
	}
	d.fields = fields
	r := reader{b: fields, mem: &d.mem}
	g := r.group()
	if r.err != nil {
		return nil, r.err
	}
	return g, nil
}

// decoder returns a decoder, perhaps one that was used before; see [Codec.done].
func (c *Codec) decoder() *Decoder {
	if d, ok := c.decoders.Get().(*Decoder); ok {
		return d
	}
	return c.NewDecoder()
}

// done takes back a decoder. Its groups are not used any more.
func (c *Codec) done(d *Decoder) { c.decoders.Put(d) }

// A memory is where groups are read to, one after another.
type memory struct {
	tokens arena[quintain.Token]
	ints   arena[int32]
	floats arena[float64]
	spans  []span
}

// An arena is memory that is used again.
type arena[T any] struct{ used []T }

// take returns n elements, which hold anything.
func (a *arena[T]) take(n int) []T {
	if cap(a.used)-len(a.used) < n {
		a.used = make([]T, 0, max(n, 2*cap(a.used)))
	}
	at := len(a.used)
	a.used = a.used[:at+n]
	return a.used[at : at+n : at+n]
}

func (a *arena[T]) reset() { a.used = a.used[:0] }

// ints returns a row of n numbers, which hold anything.
func (r *reader) ints(n int) []int32 {
	if r.mem == nil {
		return make([]int32, n)
	}
	return r.mem.ints.take(n)
}

// tokensOf returns a row of n tokens, which hold anything.
func (r *reader) tokensOf(n int) []quintain.Token {
	if r.mem == nil {
		return make([]quintain.Token, n)
	}
	return r.mem.tokens.take(n)
}

// numbers returns a row of n numbers, which hold anything.
func (r *reader) numbers(n int) []float64 {
	if r.mem == nil {
		return make([]float64, n)
	}
	return r.mem.floats.take(n)
}
