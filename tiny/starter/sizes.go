package starter

import (
	"errors"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// Sizes holds the model's sizes as settings.
type Sizes struct {
	Context int // largest number of tokens in a conversation
	Layers  int
	Width   int
	Heads   int
	Hidden  int // hidden width of a feed-forward block

	Rank  int     // of the adapters of a language model, whose other sizes stand in its file
	Alpha float64 // by which they count, over the rank

	Precision string // of its products: Auto, tiny.Float32 or tiny.BFloat16
}

// Auto is the precision that is faster on this processor.
const Auto = "auto"

// DefaultSizes returns the sizes of the embedded weights.
func DefaultSizes() Sizes {
	return Sizes{Context: 96, Layers: 2, Width: 64, Heads: 4, Hidden: 256, Rank: 16, Alpha: 32, Precision: Auto}
}

// Declare implements [settings.Declarer].
func (s *Sizes) Declare(d *settings.Section) {
	d.Int(&s.Context, "context", "largest number of tokens in a conversation")
	d.Int(&s.Layers, "layers", "layers of the model")
	d.Int(&s.Width, "width", "width of the model: heads times a multiple of 16")
	d.Int(&s.Heads, "heads", "attention heads of a layer")
	d.Int(&s.Hidden, "hidden", "hidden width of a feed-forward block")
	d.Int(&s.Rank, "rank", "rank of the adapters that a language model is trained by: a multiple of 16").AtLeast(16)
	d.Float(&s.Alpha, "alpha", "the adapters of a language model count alpha/rank times").Above(0)
	d.Text(&s.Precision, "precision", "numbers in the products with a language model's own matrices: auto is bfloat16, in half of the memory, where the processor has instructions for it (AVX512_BF16), else float32").
		OneOf(Auto, tiny.Float32, tiny.BFloat16)
}

// Check implements [settings.Checker].
func (s *Sizes) Check() error {
	if s.Precision == tiny.BFloat16 && !transformer.BFloat16() {
		return errors.New("precision: this processor has no bfloat16 products (AVX512_BF16); use float32")
	}
	return s.Config().Check()
}

// Config returns the sizes as the model's Config.
func (s *Sizes) Config() transformer.Config {
	return transformer.Config{Vocab: tiny.Size, Context: s.Context, Layers: s.Layers, Width: s.Width, Heads: s.Heads, Hidden: s.Hidden}
}
