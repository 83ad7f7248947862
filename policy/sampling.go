package policy

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/settings"
)

// Sampling makes settings of [quintain.Sampling].
type Sampling quintain.Sampling

// Declare implements [settings.Declarer].
func (s *Sampling) Declare(d *settings.Section) {
	d.Float(&s.Temperature, "temperature", "temperature of sampling; 0: always the likeliest token").AtLeast(0)
	d.Float(&s.TopP, "top_p", "sample from the likeliest tokens that together have this probability; 1: from all").Between(0, 1)
	d.Int(&s.TopK, "top_k", "sample from this many of the likeliest tokens; 0: from all").AtLeast(0)
	d.Int(&s.MaxTokens, "max_tokens", "largest number of sampled tokens in one reply; 0: as many as the policy's context holds").AtLeast(0)
}
