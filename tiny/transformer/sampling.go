package transformer

import (
	"fmt"
	"math"
)

// Sampling says how to draw tokens from logits.
type Sampling struct {
	Temperature float64 // divides the logits; 0: always the likeliest token
	TopP        float64 // keep the fewest likeliest tokens that together reach this probability; 0 or 1: all
	TopK        int     // keep that many of the likeliest tokens; 0: all
}

// Check reports the first invalid setting.
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

// A Draw is a sampled token.
type Draw struct {
	Token int32

	// LogProb is the natural log of the token's probability under the model itself: at
	// temperature 1, over all tokens. Training needs this one: [Pass.Forward] returns the
	// same within 1e-4 for the same parameters.
	LogProb float32

	// Drawn is the natural log of the probability of drawing the token: after temperature,
	// top-k and top-p. It equals LogProb if the temperature is 1 and both limits are off.
	// It is 0 at temperature 0.
	Drawn float32
}

// A Source returns uniform random bits; *rand.ChaCha8 of math/rand/v2 is one.
type Source interface{ Uint64() uint64 }

// A Sampler draws tokens. It reuses its memory between draws. Only one goroutine may use
// it at a time. The zero value is ready to use.
type Sampler struct {
	logits []float32 // from the last Read
	how    Sampling
	best   int       // the likeliest token
	norm   float32   // a logit minus norm is a log-probability under the model
	shares []float32 // e^(logit-top) at the temperature, of all tokens
	total  float64   // sum of the shares of the allowed tokens
	heap   []int32   // remaining tokens, the likeliest first
	order  []int32   // allowed tokens, the likeliest first; nil: all
	kept   []float32 // shares of the tokens in order
}

// Sample draws a token from logits, which it does not change: [Sampler.Read], then
// [Sampler.Draw].
func (s *Sampler) Sample(logits []float32, how Sampling, src Source) (Draw, error) {
	if err := s.Read(logits, how); err != nil {
		return Draw{}, err
	}
	return s.Draw(src), nil
}

// Read prepares logits for any number of calls of Draw; the logits must not change until
// the last of these. Top-k applies before top-p; of two equal tokens the lower counts as
// likelier. For a NaN or an infinity among the logits it returns [ErrNotFinite].
func (s *Sampler) Read(logits []float32, how Sampling) error {
	s.logits, s.how, s.best = logits, how, 0
	n := len(logits)
	s.shares = grown(s.shares, padded(n))
	clear(s.shares[n:])
	copy(s.shares, logits)
	if squares := dot(s.shares, s.shares); squares-squares != 0 { // or a logit is huge
		if i := notFinite(logits); i >= 0 {
			return fmt.Errorf("logit of token %d: %w", i, ErrNotFinite)
		}
	}
	for i := n; i < len(s.shares); i++ {
		s.shares[i] = float32(math.Inf(-1))
	}
	top := maximum(s.shares)
	sum, _ := exponential(s.shares, 1, top)
	s.norm = top + float32(math.Log(float64(sum)))
	for logits[s.best] != top {
		s.best++
	}
	if how.Temperature == 0 {
		return nil
	}
	if how.Temperature != 1 {
		s.heat(top)
	}
	s.shares, s.order = s.shares[:n], nil
	s.total = total16(s.shares)
	if how.TopK > 0 && how.TopK < n || how.TopP > 0 && how.TopP < 1 {
		s.truncate()
	}
	return nil
}

// Draw draws a token from the logits of the last Read. It takes one number from src; at
// temperature 0 it takes none, and src may be nil.
func (s *Sampler) Draw(src Source) Draw {
	if s.how.Temperature == 0 {
		return Draw{Token: int32(s.best), LogProb: s.logits[s.best] - s.norm}
	}
	at := float64(src.Uint64()>>11) / (1 << 53)
	if s.order != nil {
		i := pick(s.kept, at*s.total)
		token := s.order[i]
		return Draw{token, s.logits[token] - s.norm, float32(math.Log(float64(s.kept[i]) / s.total))}
	}
	token := pick(s.shares, at*s.total)
	draw := Draw{Token: int32(token), LogProb: s.logits[token] - s.norm}
	if draw.Drawn = draw.LogProb; s.how.Temperature != 1 {
		draw.Drawn = float32(math.Log(float64(s.shares[token]) / s.total))
	}
	return draw
}

// heat sets shares for a temperature other than 1; top is the largest logit.
func (s *Sampler) heat(top float32) {
	for i, x := range s.logits {
		s.shares[i] = float32(float64(x-top) / s.how.Temperature)
	}
	for i := len(s.logits); i < len(s.shares); i++ {
		s.shares[i] = float32(math.Inf(-1))
	}
	exponential(s.shares, 1, 0)
}

// truncate sets order and kept to the allowed tokens and their shares, and total to the
// sum of these.
func (s *Sampler) truncate() {
	s.heap, s.order, s.kept = s.heap[:0], s.order[:0], s.kept[:0]
	for i := range s.shares {
		s.heap = append(s.heap, int32(i))
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	most, upTo := len(s.shares), math.Inf(1)
	if s.how.TopK > 0 {
		most = min(most, s.how.TopK)
	}
	if s.how.TopP > 0 && most == len(s.shares) {
		upTo = s.how.TopP * s.total
	}
	reached := 0.0
	for len(s.order) < most && reached < upTo {
		reached += s.pop()
	}
	if s.how.TopP > 0 && most < len(s.shares) { // top-p applies after top-k
		upTo, reached = s.how.TopP*reached, 0
		for i, share := range s.kept {
			if reached += float64(share); reached >= upTo {
				s.order, s.kept = s.order[:i+1], s.kept[:i+1]
				break
			}
		}
	}
	s.total = reached
}

// pop moves the likeliest token of the heap to order, and returns its share.
func (s *Sampler) pop() float64 {
	token, last := s.heap[0], len(s.heap)-1
	s.order, s.kept = append(s.order, token), append(s.kept, s.shares[token])
	s.heap[0], s.heap = s.heap[last], s.heap[:last]
	s.sink(0)
	return float64(s.shares[token])
}

// sink restores the order of the heap below i.
func (s *Sampler) sink(i int) {
	for {
		child := 2*i + 1
		if child+1 < len(s.heap) && s.likelier(s.heap[child+1], s.heap[child]) {
			child++
		}
		if child >= len(s.heap) || s.likelier(s.heap[i], s.heap[child]) {
			return
		}
		s.heap[i], s.heap[child] = s.heap[child], s.heap[i]
		i = child
	}
}

// likelier reports whether token a comes before b.
func (s *Sampler) likelier(a, b int32) bool {
	return s.shares[a] > s.shares[b] || s.shares[a] == s.shares[b] && a < b
}

// sum16 returns the sum of lanes numbers.
func sum16(x *[lanes]float32) float64 {
	a := (x[0] + x[1]) + (x[2] + x[3])
	b := (x[4] + x[5]) + (x[6] + x[7])
	c := (x[8] + x[9]) + (x[10] + x[11])
	d := (x[12] + x[13]) + (x[14] + x[15])
	return float64((a + b) + (c + d))
}

// total16 returns the sum of weights, added in the same order as in pick.
func total16(weights []float32) (sum float64) {
	for ; len(weights) >= lanes; weights = weights[lanes:] {
		sum += sum16((*[lanes]float32)(weights))
	}
	for _, w := range weights {
		sum += float64(w)
	}
	return sum
}

// pick returns the first index at which the running sum of weights exceeds left. It never
// picks a zero weight. If left is not below the total, it picks the last positive weight.
func pick(weights []float32, left float64) (place int) {
	lo := 0
	for ; len(weights)-lo > lanes; lo += lanes { // skip whole blocks
		sum := sum16((*[lanes]float32)(weights[lo:]))
		if left < sum {
			break
		}
		left -= sum
	}
	for i, w := range weights[lo:] {
		if w > 0 {
			place = lo + i
		}
		if left -= float64(w); left < 0 && w > 0 {
			break
		}
	}
	return place
}
