package transformer

import (
	"cmp"
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
	probs, drawn, kept []float32 // under the model; at the temperature; of what may be drawn
	order              []int32   // tokens of kept
}

// Sample draws a token from logits, which it leaves as they are. It takes one number
// from src, but at temperature 0 none; src may then be nil. Top-k is applied before
// top-p; among equals the lower token counts as likelier. A NaN or an infinity among
// the logits is [ErrNotFinite].
func (s *Sampler) Sample(logits []float32, how Sampling, src Source) (Draw, error) {
	best, n := 0, len(logits)
	for i, x := range logits {
		if x-x != 0 {
			return Draw{}, fmt.Errorf("logit of token %d: %w", i, ErrNotFinite)
		}
		if x > logits[best] {
			best = i
		}
	}
	s.probs = grown(s.probs, padded(n))
	copy(s.probs, logits)
	norm := softmax(s.probs, n, 1).norm()
	if how.Temperature == 0 {
		return Draw{Token: int32(best), LogProb: logits[best] - norm}, nil
	}
	probs := s.probs[:n]
	if how.Temperature != 1 {
		probs = s.heat(logits, logits[best], how.Temperature)
	}
	at := float64(src.Uint64()>>11) / (1 << 53)
	truncates := how.TopK > 0 && how.TopK < n || how.TopP > 0 && how.TopP < 1
	if truncates {
		s.truncate(probs, how)
		i, share := pick(s.kept, at)
		token := s.order[i]
		return Draw{token, logits[token] - norm, share}, nil
	}
	token, share := pick(probs, at)
	draw := Draw{int32(token), logits[token] - norm, share}
	if how.Temperature == 1 {
		draw.Drawn = draw.LogProb
	}
	return draw, nil
}

// heat gives the probabilities at a temperature; top is the largest logit.
func (s *Sampler) heat(logits []float32, top float32, temperature float64) []float32 {
	n := len(logits)
	s.drawn = grown(s.drawn, padded(n))
	for i, x := range logits {
		s.drawn[i] = float32(float64(x-top) / temperature)
	}
	softmax(s.drawn, n, 1)
	return s.drawn[:n]
}

// truncate sets order and kept to the tokens that may be drawn.
func (s *Sampler) truncate(probs []float32, how Sampling) {
	s.order, s.kept = s.order[:0], s.kept[:0]
	for i := range probs {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(probs[b], probs[a]), cmp.Compare(a, b))
	})
	if how.TopK > 0 && how.TopK < len(s.order) {
		s.order = s.order[:how.TopK]
	}
	var sum, reached float64
	for _, token := range s.order {
		s.kept = append(s.kept, probs[token])
		sum += float64(probs[token])
	}
	for i, p := range s.kept {
		if reached += float64(p); how.TopP > 0 && reached >= how.TopP*sum {
			s.order, s.kept = s.order[:i+1], s.kept[:i+1]
			return
		}
	}
}

// pick returns the place in weights on which the share at of their sum falls, and the
// natural log of that weight's own share.
func pick(weights []float32, at float64) (place int, share float32) {
	var sum float64
	for _, w := range weights {
		sum += float64(w)
	}
	left := at * sum
	for i, w := range weights {
		if w > 0 {
			place = i
		}
		if left -= float64(w); left < 0 {
			break
		}
	}
	return place, float32(math.Log(float64(weights[place]) / sum))
}
