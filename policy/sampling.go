package policy

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Sampling turns [quintain.Sampling] into settings.
type Sampling quintain.Sampling

// Declare implements [settings.Declarer].
func (s *Sampling) Declare(d *settings.Section) {
	d.Float(&s.Temperature, "temperature", "sampling temperature; 0: always the likeliest token").AtLeast(0).Flag("temperature")
	d.Float(&s.TopP, "top_p", "sample from the likeliest tokens with this total probability; 1: from all").Between(0, 1)
	d.Int(&s.TopK, "top_k", "sample from this many of the likeliest tokens; 0: from all").AtLeast(0)
	d.Int(&s.MaxTokens, "max_tokens", "most sampled tokens per reply; 0: up to the end of the policy's context").AtLeast(0).Flag("max-tokens")
}
