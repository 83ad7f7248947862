package policy

import (
	"errors"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
)

// Check reports the first thing in r that makes no sense to a policy that replies
// to messages. A TopP of zero is taken for one: off.
func Check(r quintain.Request) error {
	s := r.Sampling
	switch {
	case r.N < 1:
		return fmt.Errorf("request for %d samples, want 1 or more", r.N)
	case r.Fresh < 0 || r.Fresh >= len(r.Messages):
		return fmt.Errorf("request with fresh messages from %d on, of %d: none to reply to", r.Fresh, len(r.Messages))
	case len(r.Context) == 0 && r.Fresh > 0:
		return fmt.Errorf("request with fresh messages from %d on, and no tokens of those before", r.Fresh)
	case len(r.Context) > 0 && r.Fresh == 0:
		return errors.New("request with tokens of a conversation whose messages are all fresh")
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 1):
		return fmt.Errorf("request with temperature %v, want 0 or more", s.Temperature)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("request with top_p %v, want above 0, up to 1", s.TopP)
	case s.TopK < 0:
		return fmt.Errorf("request with top_k %d, want 1 or more, or 0 for off", s.TopK)
	case s.MaxTokens < 0:
		return fmt.Errorf("request with max_tokens %d, want 1 or more, or 0 for no limit", s.MaxTokens)
	}
	return nil
}
