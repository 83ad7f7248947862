// Package transformer is a decoder-only language model in Go and Go's assembly: it trains and samples on a
// laptop's processor, without cgo and without a download. It has two shapes: a small one of its own, of roughly
// 10⁵ to 10⁶ parameters, which is trained as a whole; and that of Llama and its kin, of 10⁸ to 10⁹ parameters,
// which are frozen, with adapters, which are trained.
//
// A [Model] holds the parameters: [New] makes one, [Adapt] reads the frozen ones of another program's model. A
// [Pass] scores token sequences with them and turns the derivatives of a loss by each log-probability into
// gradients. An [AdamW] applies the gradients, optionally with Muon for the matrices of the layers. A [Decoder]
// continues many sequences at once, with a cache, and a [Sampler] draws their tokens. A [Checkpoint] keeps what
// is trained, and the optimiser, on disk.
//
// The architecture: token embedding; then, Layers times, causal self-attention with rotary positions and a
// perceptron, each preceded by an RMS normalisation and added to the residual stream; a final normalisation; a
// head. In the small shape the perceptron has a squared ReLU, attention also reads a share of the preceding
// token, learned per column, and the normalisations have no gains: each precedes a matrix that can absorb them.
// In that of Llama the perceptron has gates, the normalisations have gains, several heads of queries may share
// keys and values, and each matrix has an adapter of low rank, which stays apart from it in sampling too: so the
// log-probabilities of sampling and training are the same within rounding. [Config] lists what else models
// differ in. Sources: Vaswani et al., "Attention Is All You Need" (2017); Zhang and Sennrich, "Root Mean Square
// Layer Normalization" (2019); Su et al., "RoFormer" (2021); So et al., "Primer" (2021) for the squared ReLU and
// the share; Shazeer, "GLU Variants Improve Transformer" (2020); Ainslie et al., "GQA" (2023); Hu et al., "LoRA"
// (2021).
//
// The arithmetic is float32. The order of every sum is fixed: neither the number of processors
// nor the rest of the batch changes a single bit of a log-probability or a logit, and a gradient
// depends only on its batch. [Kernels] names the instructions of the processor: AVX-512 and AVX2
// give the same bits. NEON and the portable kernels, for other processors and builds with the tag
// purego, differ in the last ones.
package transformer

import (
	"cmp"
	"errors"
	"fmt"
)

// A Config gives the sizes and the shape of a model. The JSON form is part of the weights file. The zero values
// of all but the first six fields are the starter's shape; Rank above 0 is that of Llama and its kin, with
// adapters.
type Config struct {
	Vocab   int `json:"vocab"`   // tokens are 0 to Vocab-1; 2 to 262144
	Context int `json:"context"` // tokens of the longest sequence; 2 to 131072
	Layers  int `json:"layers"`  // 1 to 128
	Width   int `json:"width"`   // of the residual stream, a multiple of 16, at most 8192
	Heads   int `json:"heads"`   // attention heads of a layer
	Hidden  int `json:"hidden"`  // units inside a perceptron: a multiple of 16, at most 32768

	Rank  int     `json:"rank,omitempty"`  // of the adapters, a multiple of 16, at most 256: they alone are trained; 0: no adapters, all is trained
	Alpha float64 `json:"alpha,omitempty"` // adapters count Alpha/Rank times; above 0 with adapters

	// All below want adapters, since these tensors are frozen.
	KVHeads    int     `json:"kv_heads,omitempty"`    // heads of keys and values, each for Heads/KVHeads adjacent heads of queries; 0: Heads
	HeadWidth  int     `json:"head_width,omitempty"`  // columns of a head, a multiple of 16; 0: Width/Heads
	Biases     bool    `json:"biases,omitempty"`      // of queries, keys and values
	QKNorm     bool    `json:"qk_norm,omitempty"`     // queries and keys are normalised head by head, with gains
	Tied       bool    `json:"tied,omitempty"`        // the head is the embedding
	Epsilon    float64 `json:"epsilon,omitempty"`     // of the normalisations; 0: 1e-6
	RotaryBase float64 `json:"rotary_base,omitempty"` // the slowest pair of columns turns by about 1/RotaryBase a position; 0: 10000
	Rotary     Scaling `json:"rotary,omitzero"`

	// BFloat16 rounds the frozen matrices, and what they are multiplied with, to bfloat16: sums stay float32. It takes
	// half of the memory, and half of the time where [BFloat16] says so. Checkpoints do not tell it: adapters fit both.
	BFloat16 bool `json:"-"`
}

// Scaling stretches the slow rotations of a model beyond the context of its first training, as Llama 3 does
// ("llama3" in its config.json). The zero value leaves all as they are.
type Scaling struct {
	Factor  float64 `json:"factor"`  // the slowest rotations turn so many times slower
	Low     float64 `json:"low"`     // rotations with fewer turns in Context positions are slow
	High    float64 `json:"high"`    // those with more are left as they are; in between it blends
	Context int     `json:"context"` // positions of the first training
}

// Check reports the first invalid size.
func (c Config) Check() error {
	for _, s := range []struct {
		name      string
		n, lo, hi int
	}{
		{"vocab", c.Vocab, 2, 1 << 18}, {"context", c.Context, 2, 1 << 17}, {"layers", c.Layers, 1, 128},
		{"width", c.Width, lanes, 8192}, {"heads", c.Heads, 1, 8192 / lanes}, {"hidden", c.Hidden, lanes, 32768},
		{"rank", c.Rank, 0, 256}, {"kv_heads", c.KVHeads, 0, c.Heads}, {"head_width", c.HeadWidth, 0, 1024},
	} {
		if s.n < s.lo || s.n > s.hi {
			return fmt.Errorf("%s is %d, want %d to %d", s.name, s.n, s.lo, s.hi)
		}
	}
	for _, s := range []struct {
		name string
		n    int
	}{{"width", c.Width}, {"hidden", c.Hidden}, {"rank", c.Rank}, {"head_width", c.headWidth()}} {
		if s.n%lanes != 0 {
			return fmt.Errorf("%s is %d, want a multiple of %d", s.name, s.n, lanes)
		}
	}
	if c.HeadWidth == 0 && c.Width%c.Heads != 0 || c.Heads%c.kvHeads() != 0 {
		return fmt.Errorf("heads is %d, want a divisor of the width %d and a multiple of kv_heads, %d", c.Heads, c.Width, c.kvHeads())
	}
	if err := c.checkAdapters(); err != nil {
		return err
	}
	most := float64(maxParams)
	if c.Rank == 0 {
		most = maxTrained
	}
	if n := c.all(); n > most {
		return fmt.Errorf("%.0f parameters, at most %.0f", n, most)
	}
	return nil
}

// checkAdapters checks the fields that go with adapters.
func (c Config) checkAdapters() error {
	if c.Rank == 0 {
		if c != (Config{Vocab: c.Vocab, Context: c.Context, Layers: c.Layers, Width: c.Width, Heads: c.Heads, Hidden: c.Hidden}) {
			return errors.New("rank is 0, want one or more: all of this model's shape but its adapters is frozen")
		}
		return nil
	}
	for _, f := range []struct {
		name string
		x    float64
		none bool
	}{
		{"alpha", c.Alpha, false}, {"epsilon", c.Epsilon, true}, {"rotary_base", c.RotaryBase, true},
		{"rotary.factor", c.Rotary.Factor, c.Rotary == Scaling{}}, {"rotary.low", c.Rotary.Low, c.Rotary == Scaling{}},
		{"rotary.high", c.Rotary.High - c.Rotary.Low, c.Rotary == Scaling{}}, {"rotary.context", float64(c.Rotary.Context), c.Rotary == Scaling{}},
	} {
		if !(f.x > 0 && f.x < 1e9 || f.none && f.x == 0) {
			return fmt.Errorf("%s is %v, want a number above 0", f.name, f.x)
		}
	}
	return nil
}

// These bound the number of parameters, and so all sizes together: in all, and if all are trained.
const (
	maxParams  = 1 << 33
	maxTrained = 1 << 26
)

// all returns the number of parameters, without adapters.
func (c Config) all() float64 {
	matrices := c.Width*(c.qkvWidth()+c.Heads*c.headWidth()) + c.Width*c.Hidden*(2+min(c.Rank, 1))
	return 2*float64(c.Vocab)*float64(c.Width) + float64(c.Layers)*float64(matrices)
}

// Params returns the number of trained parameters of a model of these sizes.
func (c Config) Params() int {
	n := 0
	for _, shape := range c.shapes() {
		n += shape.rows * shape.cols
	}
	return n
}

// kvHeads returns the number of heads of keys and values.
func (c Config) kvHeads() int { return max(1, cmp.Or(c.KVHeads, c.Heads)) }

// kvWidth returns the columns of keys, or of values.
func (c Config) kvWidth() int { return c.kvHeads() * c.headWidth() }

// turnedWidth returns the columns of queries and keys together: those that turn with the position.
func (c Config) turnedWidth() int { return c.mixedWidth() + c.kvWidth() }

// qkvWidth returns the columns of queries, keys and values together.
func (c Config) qkvWidth() int { return c.turnedWidth() + c.kvWidth() }

// mixedWidth returns the columns of the attended values, or of the queries.
func (c Config) mixedWidth() int { return c.Heads * c.headWidth() }

// epsilon returns what the normalisations add.
func (c Config) epsilon() float32 { return float32(cmp.Or(c.Epsilon, normEps)) }

// upWidth returns the columns of the first matrix of a perceptron: with adapters the gates, then the units.
func (c Config) upWidth() int {
	if c.Rank > 0 {
		return 2 * c.Hidden
	}
	return c.Hidden
}

// headWidth returns the number of columns of one attention head.
func (c Config) headWidth() int { return cmp.Or(c.HeadWidth, c.Width/max(1, c.Heads)) }

// checkTokens reports the first token outside the vocabulary, or a sequence longer than the
// context.
func (c Config) checkTokens(tokens []int32) error {
	if len(tokens) > c.Context {
		return fmt.Errorf("%d tokens, but the context holds %d: %w", len(tokens), c.Context, ErrContext)
	}
	for i, token := range tokens {
		if token < 0 || int(token) >= c.Vocab {
			return fmt.Errorf("token %d is %d, but the vocabulary has %d", i, token, c.Vocab)
		}
	}
	return nil
}

// ErrContext says that a sequence is longer than the context.
var ErrContext = errors.New("sequence exceeds the context")

// ErrNotFinite says that a number is NaN or infinite.
var ErrNotFinite = errors.New("not a finite number")
