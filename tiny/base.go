package tiny

import (
	"fmt"
	"maps"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A Base is a language model whose adapters are trained. Weights files have the adapters alone, and name it.
type Base struct {
	Vocabulary Vocabulary
	Model      *transformer.Model // with adapters that change nothing yet: where training begins
	Name       string             // for people
	Path       string             // of its file or folder
	Digest     string             // stands for its tensors
	Format     string             // of the numbers in the file, and their size, such as Q4_1, 92 MB
}

// The notes of a weights file that name the base.
const (
	NoteBase   = "base"        // its name
	NotePath   = "base.path"   // where it was
	NoteDigest = "base.digest" // of its tensors

	NotePrecision = "base.precision" // of the products with it; none: Float32
)

// The precisions of the products with a base.
const (
	Float32  = "float32"
	BFloat16 = "bfloat16"
)

// Precision returns that of the products with the base.
func (b *Base) Precision() string {
	if b.Model.Config().BFloat16 {
		return BFloat16
	}
	return Float32
}

// vocabulary returns that of the base; nil is the starter.
func (b *Base) vocabulary() Vocabulary {
	if b == nil {
		return Own{}
	}
	return b.Vocabulary
}

// note returns notes with those of the base.
func (b *Base) note(notes map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, notes)
	all[NoteBase], all[NotePath], all[NoteDigest], all[NotePrecision] = b.Name, b.Path, b.Digest, b.Precision()
	return all
}

// attach gives the adapters of c the base that they were trained on.
func (b *Base) attach(c *transformer.Checkpoint) error {
	if b == nil {
		return nil
	}
	if digest := c.Notes[NoteDigest]; digest != b.Digest {
		return fmt.Errorf("%w: adapters of %s (%s, digest %.12s), and %s (%s) has the digest %.12s",
			transformer.ErrVocabulary, c.Notes[NoteBase], c.Notes[NotePath], digest, b.Name, b.Path, b.Digest)
	}
	return c.Model.Attach(b.Model)
}
