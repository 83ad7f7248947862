package policy

import (
	"errors"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
)

// Check reports the first invalid field of r. A TopP of zero is valid and means the same as
// 1: off.
func Check(r quintain.Request) error {
	switch {
	case r.Fresh < 0 || r.Fresh >= len(r.Messages):
		return fmt.Errorf("request has %d messages, with the first fresh one at %d: there is none to reply to", len(r.Messages), r.Fresh)
	case len(r.Context) == 0 && r.Fresh > 0:
		return fmt.Errorf("request with fresh messages from %d on, but no tokens for the earlier ones", r.Fresh)
	case len(r.Context) > 0 && r.Fresh == 0:
		return errors.New("request with a context of tokens, but all messages are fresh: none is in the context")
	case r.Wrote < 0 || r.Wrote > len(r.Context):
		return fmt.Errorf("the last reply of the request has %d tokens, in a context of %d", r.Wrote, len(r.Context))
	}
	return checkSampling(r.N, r.Sampling)
}

// checkSampling reports the first invalid field of a request for n samples.
func checkSampling(n int, s quintain.Sampling) error {
	switch {
	case n < 1:
		return fmt.Errorf("request for %d samples, want 1 or more", n)
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 1):
		return fmt.Errorf("request with temperature %v, want 0 or more", s.Temperature)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("request with top_p %v, want above 0, and at most 1", s.TopP)
	case s.TopK < 0:
		return fmt.Errorf("request with top_k %d, want 1 or more, or 0 for off", s.TopK)
	case s.MaxTokens < 0:
		return fmt.Errorf("request with max_tokens %d, want 1 or more, or 0 for no limit", s.MaxTokens)
	}
	return nil
}
