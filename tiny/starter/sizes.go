package starter

import (
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// Sizes makes settings of a model's sizes.
type Sizes struct {
	Context int // largest number of tokens in a conversation
	Layers  int
	Width   int
	Heads   int
	Hidden  int // width inside a feed-forward block
}

// DefaultSizes are those of the embedded weights.
func DefaultSizes() Sizes { return Sizes{Context: 64, Layers: 2, Width: 64, Heads: 4, Hidden: 256} }

// Declare implements [settings.Declarer].
func (s *Sizes) Declare(d *settings.Section) {
	d.Int(&s.Context, "context", "largest number of tokens in a conversation")
	d.Int(&s.Layers, "layers", "layers of the model")
	d.Int(&s.Width, "width", "width of the model: a multiple of 16 for each head")
	d.Int(&s.Heads, "heads", "attention heads of a layer")
	d.Int(&s.Hidden, "hidden", "width inside a feed-forward block")
}

// Check implements [settings.Checker].
func (s *Sizes) Check() error { return s.Config().Check() }

// Config returns the sizes in the model's form.
func (s *Sizes) Config() transformer.Config {
	return transformer.Config{Vocab: tiny.Size, Context: s.Context, Layers: s.Layers, Width: s.Width, Heads: s.Heads, Hidden: s.Hidden}
}
