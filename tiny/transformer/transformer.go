// Package transformer is a small decoder-only language model in Go and Go's assembly: it trains
// and samples on a laptop's processor, without cgo and without a download. It suits models of
// roughly 10⁵ to 10⁶ parameters.
//
// A [Model] holds the parameters. A [Pass] scores token sequences with them and turns the
// derivatives of a loss by each log-probability into gradients. An [AdamW] applies the gradients,
// optionally with Muon for the matrices of the layers. A [Decoder] continues many sequences at
// once, with a cache, and a [Sampler] draws their tokens. A [Checkpoint] keeps model and
// optimiser on disk.
//
// The architecture: token embedding; then, Layers times, causal self-attention with rotary
// positions and a two-layer perceptron with squared ReLU, each preceded by an RMS normalisation
// and added to the residual stream; a final normalisation; a head separate from the embedding.
// Attention also reads a share of the preceding token, learned per column. There are no biases,
// and the normalisations have no gains: each precedes a matrix that can absorb them. Sources:
// Vaswani et al., "Attention Is All You Need" (2017); Zhang and Sennrich, "Root Mean Square Layer
// Normalization" (2019); Su et al., "RoFormer" (2021); So et al., "Primer" (2021) for the squared
// ReLU and the share.
//
// The arithmetic is float32. The order of every sum is fixed: neither the number of processors
// nor the rest of the batch changes a single bit of a log-probability or a logit, and a gradient
// depends only on its batch. [Kernels] names the instructions of the processor: AVX-512 and AVX2
// give the same bits. NEON and the portable kernels, for other processors and builds with the tag
// purego, differ in the last ones.
package transformer

import (
	"errors"
	"fmt"
)

// A Config gives the sizes of a model. The JSON form is part of the weights file.
type Config struct {
	Vocab   int `json:"vocab"`   // tokens are 0 to Vocab-1; 2 to 65536
	Context int `json:"context"` // tokens of the longest sequence; 2 to 65536
	Layers  int `json:"layers"`  // 1 to 64
	Width   int `json:"width"`   // of the residual stream: Heads times a multiple of 16, at most 4096
	Heads   int `json:"heads"`   // attention heads of a layer
	Hidden  int `json:"hidden"`  // units inside a perceptron: a multiple of 16, at most 16384; 4·Width is usual
}

// Check reports the first invalid size.
func (c Config) Check() error {
	within := func(name string, n, lo, hi int) error {
		if n < lo || n > hi {
			return fmt.Errorf("%s is %d, want %d to %d", name, n, lo, hi)
		}
		return nil
	}
	if err := errors.Join(
		within("vocab", c.Vocab, 2, 1<<16),
		within("context", c.Context, 2, 1<<16),
		within("layers", c.Layers, 1, 64),
		within("width", c.Width, lanes, 4096),
		within("heads", c.Heads, 1, 4096/lanes),
		within("hidden", c.Hidden, lanes, 16384),
	); err != nil {
		return err
	}
	if c.Width%(c.Heads*lanes) != 0 {
		return fmt.Errorf("width is %d, want a multiple of %d times the %d heads", c.Width, lanes, c.Heads)
	}
	if c.Hidden%lanes != 0 {
		return fmt.Errorf("hidden is %d, want a multiple of %d", c.Hidden, lanes)
	}
	if n := 2*float64(c.Vocab*c.Width) + float64(c.Layers)*float64(4*c.Width*c.Width+2*c.Width*c.Hidden); n > maxParams {
		return fmt.Errorf("%.0f parameters, at most %d", n, maxParams)
	}
	return nil
}

// maxParams bounds the number of parameters, and so all sizes together.
const maxParams = 1 << 26

// Params returns the number of parameters of a model of these sizes.
func (c Config) Params() int {
	n := 0
	for _, shape := range c.shapes() {
		n += shape.rows * shape.cols
	}
	return n
}

// headWidth returns the number of columns of one attention head.
func (c Config) headWidth() int { return c.Width / c.Heads }

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
