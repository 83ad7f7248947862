package transformer

import (
	"fmt"
	"math"
	"slices"
)

// Sampling says how tokens are drawn from logits.
type Sampling struct {
	Temperature float64 // logits are divided by it; 0: the likeliest token
	TopP        float64 // keep the likeliest tokens that together have this probability; 0 or 1: all
	TopK        int     // keep that many of the likeliest tokens; 0: all
}

// Check reports the first setting that makes no sense.
func (s Sampling) Check() error {
	switch {
	case !(s.Temperature >= 0 && s.Temperature <= 1e6):
		return fmt.Errorf("temperature is %v, want 0 to 1e6", s.Temperature)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("top_p is %v, want 0 to 1", s.TopP)
	case s.TopK < 0:
		return fmt.Errorf("top_k is %d, want 0 or more", s.TopK)
	}
	return nil
}

// A Draw is a token that was sampled.
type Draw struct {
	Token int32

	// LogProb is the natural log of the token's probability under the model itself:
	// at temperature 1, nothing left out. It is what training needs: [Pass.Forward]
	// gives the same within 1e-4 for the same parameters.
	LogProb float32

	// Drawn is the natural log of the probability with which it was drawn: after
	// temperature, top-k and top-p. It is LogProb where those are 1 and off, and 0
	// for the likeliest token at temperature 0.
	Drawn float32
}

// A Source yields random bits, uniformly; *rand.ChaCha8 of math/rand/v2 is one.
type Source interface{ Uint64() uint64 }

// A Sampler draws tokens. It keeps memory between draws, and is for one goroutine. The
// zero value is ready.
type Sampler struct {
	weights []float64 // of each token; then the cumulative order
	order   []int32
}

// Sample draws a token from logits, which it leaves as they are. It takes one number
// from src, but at temperature 0 none; src may then be nil. Top-k is applied before
// top-p; among equals the lower token counts as likelier. A NaN or an infinity among
// the logits is [ErrNotFinite].
func (s *Sampler) Sample(logits []float32, how Sampling, src Source) (Draw, error) {
	best := 0
	for i, x := range logits {
		if x-x != 0 {
			return Draw{}, fmt.Errorf("logit of token %d: %w", i, ErrNotFinite)
		}
		if x > logits[best] {
			best = i
		}
	}
	if how.Temperature == 0 {
		return Draw{Token: int32(best), LogProb: logProb(logits, best)}, nil
	}
	s.weigh(logits, logits[best], how.Temperature)
	kept := s.truncate(how)
	var sum float64
	for _, i := range kept {
		sum += s.weights[i]
	}
	left := float64(src.Uint64()>>11) / (1 << 53) * sum
	pick := kept[len(kept)-1]
	for _, i := range kept {
		if left -= s.weights[i]; left < 0 {
			pick = i
			break
		}
	}
	return Draw{
		Token:   pick,
		LogProb: logProb(logits, int(pick)),
		Drawn:   float32(math.Log(s.weights[pick] / sum)),
	}, nil
}

// weigh sets the weight of each token, where the likeliest has 1, and the order of all.
func (s *Sampler) weigh(logits []float32, top float32, temperature float64) {
	s.weights, s.order = s.weights[:0], s.order[:0]
	for i, x := range logits {
		s.weights = append(s.weights, math.Exp(float64(x-top)/temperature))
		s.order = append(s.order, int32(i))
	}
}

// truncate leaves the tokens that may be drawn.
func (s *Sampler) truncate(how Sampling) []int32 {
	byP := how.TopP > 0 && how.TopP < 1
	byK := how.TopK > 0 && how.TopK < len(s.order)
	if !byP && !byK {
		return s.order
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		switch {
		case s.weights[a] > s.weights[b]:
			return -1
		case s.weights[a] < s.weights[b]:
			return 1
		}
		return int(a - b)
	})
	kept := s.order
	if byK {
		kept = kept[:how.TopK]
	}
	if !byP {
		return kept
	}
	var sum, reached float64
	for _, i := range kept {
		sum += s.weights[i]
	}
	for n, i := range kept {
		if reached += s.weights[i]; reached >= how.TopP*sum {
			return kept[:n+1]
		}
	}
	return kept
}

// logProb is the log-probability of one token.
func logProb(logits []float32, token int) float32 {
	top := logits[0]
	for _, x := range logits {
		top = max(top, x)
	}
	var sum float64
	for _, x := range logits {
		sum += math.Exp(float64(x - top))
	}
	return float32(float64(logits[token]-top) - math.Log(sum))
}
