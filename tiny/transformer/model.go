package transformer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// A Model holds the parameters of one transformer. Goroutines may read it concurrently; a
// writer needs exclusive access.
type Model struct {
	config  Config
	params  []float32 // all trained tensors in order
	tensors []Tensor
	base    *base // the frozen tensors, which clones share; nil: all are trained
}

// A Tensor is a view of one group of a model's parameters.
type Tensor struct {
	Name string    // "embed", "head", or one of a layer, such as "layers.0.qkv"
	Rows int       // inputs of a matrix; tokens, for embed and head; of frozen matrices the outputs
	Cols int       // outputs of a matrix; Width, for embed and head; of frozen matrices the inputs
	Data []float32 // row by row, shared with the model

	decays bool    // weight decay applies to it
	spread float32 // standard deviation of the initial parameters
}

// A shape is a tensor without its data.
type shape struct {
	name       string
	rows, cols int
	decays     bool
	spread     float64
}

// The indices of a layer's tensors.
const (
	tensorQKV   = iota // normalised stream to queries, keys and values, side by side
	tensorOut          // attended values to the stream
	tensorUp           // normalised stream to hidden units
	tensorDown         // hidden units to the stream
	tensorShift        // how much attention reads of the preceding token, by column
	layerTensors
)

// shapes lists the trained tensors in storage order: embed, head, and those of each layer; or the adapters.
func (c Config) shapes() []shape {
	if c.Rank > 0 {
		return c.adapters()
	}
	in := 1 / math.Sqrt(float64(c.Width))
	list := []shape{
		{name: "embed", rows: c.Vocab, cols: c.Width, spread: 1},
		{name: "head", rows: c.Vocab, cols: c.Width, decays: true},
	}
	for l := range c.Layers {
		list = append(list,
			shape{fmt.Sprintf("layers.%d.qkv", l), c.Width, 3 * c.Width, true, in},
			shape{fmt.Sprintf("layers.%d.out", l), c.Width, c.Width, true, 0},
			shape{fmt.Sprintf("layers.%d.up", l), c.Width, c.Hidden, true, in},
			shape{fmt.Sprintf("layers.%d.down", l), c.Hidden, c.Width, true, 0},
			shape{fmt.Sprintf("layers.%d.shift", l), 1, c.Width, false, 0})
	}
	return list
}

// New returns a model with random parameters, which depend only on the sizes and the seed
// and are the same on every machine. The head, the shifts, and the matrices that write to
// the residual stream start at zero, so a new model gives every token the same
// probability. For a model with adapters use [Adapt].
func New(c Config, seed uint64) (*Model, error) {
	if c.Rank > 0 {
		return nil, errors.New("a new model has no adapters")
	}
	m, err := blank(c)
	if err == nil {
		m.draw(seed)
	}
	return m, err
}

// draw fills the trained parameters.
func (m *Model) draw(seed uint64) {
	var key [32]byte
	copy(key[:], "quintain transformer start")
	for i := range m.tensors {
		t := &m.tensors[i]
		binary.LittleEndian.PutUint32(key[20:], uint32(i))
		binary.LittleEndian.PutUint64(key[24:], seed)
		fill(t.Data, t.spread, rand.NewChaCha8(key))
	}
}

// fill draws uniform numbers with standard deviation spread. Each is one product of two
// exact float32, so it is the same on every machine.
func fill(to []float32, spread float32, src *rand.ChaCha8) {
	if spread == 0 {
		return
	}
	scale := float32(math.Sqrt(3)) * spread / (1 << 23)
	for i := range to {
		to[i] = float32(int32(src.Uint64()>>40)-1<<23) * scale
	}
}

// blank returns a model with zero parameters, and without frozen ones.
func blank(c Config) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m := &Model{config: c, params: make([]float32, c.Params())}
	rest := m.params
	for _, s := range c.shapes() {
		n := s.rows * s.cols
		m.tensors = append(m.tensors, Tensor{s.name, s.rows, s.cols, rest[:n:n], s.decays, float32(s.spread)})
		rest = rest[n:]
	}
	return m, nil
}

// Config returns the model's sizes.
func (m *Model) Config() Config { return m.config }

// Params returns all trained parameters, shared with the model, in the order of [Model.Tensors].
func (m *Model) Params() []float32 { return m.params }

// Tensors returns views of the trained parameters, in order. The caller may change the data but
// not the list.
func (m *Model) Tensors() []Tensor { return m.tensors }

// Clone returns a copy that shares nothing but the frozen tensors.
func (m *Model) Clone() *Model {
	c, err := blank(m.config)
	if err != nil {
		panic("transformer: a model with invalid sizes")
	}
	copy(c.params, m.params)
	c.base = m.base
	return c
}

// CopyFrom copies the trained parameters of another model. It returns [ErrSizes] for a model of
// other sizes.
func (m *Model) CopyFrom(from *Model) error {
	if m.config != from.config {
		return fmt.Errorf("%w: %+v, want %+v", ErrSizes, from.config, m.config)
	}
	copy(m.params, from.params)
	return nil
}

// CheckFinite reports, as [ErrNotFinite], the first tensor with a NaN or an infinity.
func (m *Model) CheckFinite() error {
	for _, t := range m.tensors {
		if i := notFinite(t.Data); i >= 0 {
			return fmt.Errorf("%s[%d,%d]: %w", t.Name, i/t.Cols, i%t.Cols, ErrNotFinite)
		}
	}
	return nil
}

// notFinite returns the index of the first NaN or infinity; -1: none.
func notFinite(s []float32) int {
	for i, x := range s {
		if x-x != 0 {
			return i
		}
	}
	return -1
}

// isShift reports whether tensor i is the shift of a layer, which is not a matrix.
func isShift(i int) bool { return i >= 2 && (i-2)%layerTensors == tensorShift }

// layer returns the tensors of layer l, indexed by tensorQKV and so on.
func (m *Model) layer(l int) []Tensor {
	return m.tensors[2+l*layerTensors:][:layerTensors]
}

// embed and head return the tensors outside the layers.
func (m *Model) embed() Tensor { return m.tensors[0] }
func (m *Model) head() Tensor  { return m.tensors[1] }

// matrix returns t as a matrix.
func (t Tensor) matrix() matrix {
	return matrix{data: t.Data, rows: t.Rows, cols: t.Cols, stride: t.Cols}
}
