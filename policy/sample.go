package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quintain-rl/quintain"
)

// CheckSample reports what makes a sample useless for training.
func CheckSample(s *quintain.Sample) error {
	switch {
	case s.Finish == quintain.Aborted:
		return errors.New("the policy aborted its reply")
	case s.LogProbs != nil && len(s.LogProbs) != len(s.Wrote):
		return fmt.Errorf("the policy returned %d log-probabilities for %d tokens", len(s.LogProbs), len(s.Wrote))
	case len(s.Versions) != len(s.Wrote):
		return fmt.Errorf("the policy returned %d versions for %d tokens", len(s.Versions), len(s.Wrote))
	case !slices.IsSorted(s.Versions):
		return errors.New("the policy returned versions that fall within a reply")
	}
	for i, p := range s.LogProbs {
		if !(p <= 0 && p >= -math.MaxFloat32) {
			return fmt.Errorf("the policy returned the log-probability %v for token %d", p, i)
		}
	}
	for _, tokens := range [][]quintain.Token{s.Read, s.Wrote} {
		if i := slices.IndexFunc(tokens, func(t quintain.Token) bool { return t < 0 }); i >= 0 {
			return fmt.Errorf("the policy returned %d as token %d", tokens[i], i)
		}
	}
	return nil
}
