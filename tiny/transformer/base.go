package transformer

import (
	"fmt"
	"math"
)

// A base holds the frozen tensors of a model with adapters, in the layout of the kernels.
type base struct {
	embed  packing  // a column for each token
	head   *packing // embed itself if tied
	last   []float32
	layers []baseLayer
}

// A baseLayer holds the frozen tensors of one layer. A nil vector is not there.
type baseLayer struct {
	qkv, out, up, down packing
	biases             []float32 // of qkv
	in, mid            []float32 // gains before attention and before the perceptron
	q, k               []float32 // gains of the norms of queries and keys, for each head alike
}

// A frozen is where a tensor of a base goes.
type frozen struct {
	Tensor
	to *packing  // its rows become columns from at on
	at int       // also of a vector
	v  []float32 // a vector; nil: a matrix
}

// Frozen lists the tensors that [Adapt] reads, without their data: "embed", "head" unless tied, "last" (the
// gains of the last normalisation), and in each layer "layers.0.q", "k", "v", "out", "gate", "up", "down", the
// gains "in" and "mid", and if the shape has them "q.bias", "k.bias", "v.bias", "q.gain", "k.gain". A matrix
// has a row for each output, as in the files of other programs; vectors have one row. Columns i and
// i+HeadWidth/2 of a head of q and k are a rotary pair.
func (c Config) Frozen() []Tensor {
	var list []Tensor
	for _, f := range c.frozen(newBase(c)) {
		list = append(list, f.Tensor)
	}
	return list
}

// newBase returns a base without its matrices.
func newBase(c Config) *base {
	b := &base{layers: make([]baseLayer, c.Layers), last: make([]float32, c.Width), head: new(packing)}
	if c.Tied {
		b.head = &b.embed
	}
	b.embed.pairs, b.head.pairs = c.BFloat16, c.BFloat16
	for i := range b.layers {
		l := &b.layers[i]
		for _, w := range []*packing{&l.qkv, &l.out, &l.up, &l.down} {
			w.pairs = c.BFloat16
		}
		l.in, l.mid = make([]float32, c.Width), make([]float32, c.Width)
		if c.Biases {
			l.biases = make([]float32, c.qkvWidth())
		}
		if c.QKNorm {
			l.q, l.k = make([]float32, c.headWidth()), make([]float32, c.headWidth())
		}
	}
	return b
}

// frozen lists the tensors of b.
func (c Config) frozen(b *base) (list []frozen) {
	prefix := ""
	matrix := func(name string, rows, cols int, to *packing, at int) {
		list = append(list, frozen{Tensor{Name: prefix + name, Rows: rows, Cols: cols}, to, at, nil})
	}
	vector := func(name string, v []float32, at, n int) {
		if v != nil {
			list = append(list, frozen{Tensor{Name: prefix + name, Rows: 1, Cols: n}, nil, at, v})
		}
	}
	matrix("embed", c.Vocab, c.Width, &b.embed, 0)
	if !c.Tied {
		matrix("head", c.Vocab, c.Width, b.head, 0)
	}
	vector("last", b.last, 0, c.Width)
	q, kv := c.mixedWidth(), c.kvWidth()
	for i := range b.layers {
		l := &b.layers[i]
		prefix = fmt.Sprintf("layers.%d.", i)
		vector("in", l.in, 0, c.Width)
		matrix("q", q, c.Width, &l.qkv, 0)
		matrix("k", kv, c.Width, &l.qkv, q)
		matrix("v", kv, c.Width, &l.qkv, q+kv)
		vector("q.bias", l.biases, 0, q)
		vector("k.bias", l.biases, q, kv)
		vector("v.bias", l.biases, q+kv, kv)
		vector("q.gain", l.q, 0, c.headWidth())
		vector("k.gain", l.k, 0, c.headWidth())
		matrix("out", c.Width, q, &l.out, 0)
		vector("mid", l.mid, 0, c.Width)
		matrix("gate", c.Hidden, c.Width, &l.up, 0)
		matrix("up", c.Hidden, c.Width, &l.up, c.Hidden)
		matrix("down", c.Width, c.Hidden, &l.down, 0)
	}
	return list
}

// Adapt returns a model whose frozen tensors come from read, and whose adapters depend only on the sizes and
// the seed: the model gives what it gives without them. It calls read once for each of [Config.Frozen], in
// their order, to fill Data, row by row, which it does not keep; they must be finite. Its error names the tensor.
func Adapt(c Config, seed uint64, read func(Tensor) error) (*Model, error) {
	if c.Rank == 0 {
		return nil, fmt.Errorf("rank is 0, want one or more")
	}
	m, err := blank(c)
	if err != nil {
		return nil, err
	}
	m.draw(seed)
	m.base = newBase(c)
	list := c.frozen(m.base)
	columns := map[*packing]int{}
	for _, f := range list {
		if f.to != nil {
			columns[f.to] = max(columns[f.to], f.at+f.Rows)
		}
	}
	var data []float32
	for _, f := range list {
		data = grown(data, f.Rows*f.Cols)
		f.Data = data
		if err := read(f.Tensor); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if f.to == nil {
			copy(f.v[f.at:], data)
			continue
		}
		if f.to.data == nil {
			f.to.resize(f.Cols, columns[f.to])
		}
		f.to.putTransposed(f.matrix(), f.at)
	}
	return m, nil
}

// Attach gives m, which [ReadCheckpoint] returned, the frozen tensors of a model of the same sizes. It returns
// [ErrSizes] for one of others.
func (m *Model) Attach(of *Model) error {
	m.config.BFloat16 = of.config.BFloat16
	if m.config != of.config {
		return fmt.Errorf("%w: %+v, want %+v", ErrSizes, m.config, of.config)
	}
	m.base = of.base
	return nil
}

// The indices of a layer's adapters: the first matrices of each product, then the second ones. Hu et al.,
// "LoRA: Low-Rank Adaptation of Large Language Models" (2021).
const (
	adapterQKV = iota // stream to the ranks of queries, keys and values, side by side
	adapterQ          // rank to queries
	adapterK
	adapterV
	adapterOut // attended values to rank
	adapterOutB
	adapterGateUp // stream to the ranks of gates and units
	adapterGate
	adapterUp
	adapterDown // units to rank
	adapterDownB
	layerAdapters
)

// adapters lists the tensors of the adapters. The first matrix of each begins as in PEFT, the second at zero.
func (c Config) adapters() (list []shape) {
	q, kv := c.mixedWidth(), c.kvWidth()
	for l := range c.Layers {
		add := func(name string, rows, cols int, spread float64) {
			list = append(list, shape{fmt.Sprintf("layers.%d.%s", l, name), rows, cols, true, spread})
		}
		into := func(name string, rows, ranks int) { add(name, rows, ranks*c.Rank, 1/math.Sqrt(3*float64(rows))) }
		into("qkv.a", c.Width, 3)
		add("q.b", c.Rank, q, 0)
		add("k.b", c.Rank, kv, 0)
		add("v.b", c.Rank, kv, 0)
		into("out.a", q, 1)
		add("out.b", c.Rank, c.Width, 0)
		into("gateup.a", c.Width, 2)
		add("gate.b", c.Rank, c.Hidden, 0)
		add("up.b", c.Rank, c.Hidden, 0)
		into("down.a", c.Hidden, 1)
		add("down.b", c.Rank, c.Width, 0)
	}
	return list
}
