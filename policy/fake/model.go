package fake

import (
	"hash/fnv"
	"math"
	"sort"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/rng"
)

// vocabulary is the number of tokens: the bytes.
const vocabulary = 256

// A Model is a distribution over the tokens that follow a sequence. It depends on the
// last token, by weights that each version draws anew, and on how many tokens ago a
// message ended, by the lengths of replies. Many goroutines may use it at once.
type Model struct {
	seed    uint64
	lengths lengths
}

// Weights are those of one version of a [Model]. Many goroutines may use them at once.
type Weights struct {
	Version int32

	model *Model
	rows  [vocabulary]atomic.Pointer[row]
}

// A row holds the probabilities of the tokens that follow one token, if the reply does
// not end.
type row struct {
	p   [vocabulary]float64
	sum [vocabulary]float64 // of p up to a token
}

// Weights returns the weights of a version. Equal ones are equal wherever they are made.
func (m *Model) Weights(version int32) *Weights { return &Weights{Version: version, model: m} }

// row returns what follows prev.
func (w *Weights) row(prev byte) *row {
	if r := w.rows[prev].Load(); r != nil {
		return r
	}
	draw := rng.Named("fake", "weights").Stream(w.model.seed, int(w.Version)<<8|int(prev))
	r, total := new(row), 0.0
	for t := range r.p {
		u := draw.Float()
		switch {
		case quintain.Token(t) == policy.End:
			u = 0 // its probability is that of the length
		case t == ' ', t >= 'a' && t <= 'z':
			u = math.Exp(4 * u)
		case t > ' ' && t < 0x7f:
			u /= 10
		default:
			u = 1e-6 * (0.5 + u) // so that no text is impossible
		}
		r.p[t] = u
		total += u
	}
	sum := 0.0
	for t := range r.p {
		r.p[t] /= total
		sum += r.p[t]
		r.sum[t] = sum
	}
	w.rows[prev].Store(r)
	return r
}

// A state is all of a sequence that the next token depends on.
type state struct {
	prev  byte
	since int // tokens after the last End
}

// opening is how many tokens of a message come before its text.
const opening = len("<|" + quintain.RoleAssistant + "|>")

func stateOf(tokens []quintain.Token) (s state) {
	if n := len(tokens); n > 0 {
		s.prev = byte(tokens[n-1])
	}
	for s.since < len(tokens) && tokens[len(tokens)-1-s.since] != policy.End {
		s.since++
	}
	return s
}

func (s state) after(t quintain.Token) state {
	if t == policy.End {
		return state{byte(t), 0}
	}
	return state{byte(t), s.since + 1}
}

// end is the probability that the message ends.
func (w *Weights) end(s state) float64 {
	const least = 1e-9
	if s.since < opening {
		return least
	}
	return min(max(w.model.lengths(s.since-opening+1), least), 1-least)
}

// p is the probability of each token after s.
func (w *Weights) p(s state) (p [vocabulary]float64) {
	p = w.row(s.prev).p
	end := w.end(s)
	for t := range p {
		p[t] *= 1 - end
	}
	p[policy.End] = end
	return p
}

// LogProb returns the natural logarithm of the probability of token t, a byte, after
// tokens.
func (w *Weights) LogProb(tokens []quintain.Token, t quintain.Token) float64 {
	return w.logProb(stateOf(tokens), t)
}

func (w *Weights) logProb(s state, t quintain.Token) float64 {
	if t == policy.End {
		return math.Log(w.end(s))
	}
	return math.Log1p(-w.end(s)) + math.Log(w.row(s.prev).p[t])
}

// draw samples the token after s.
func (w *Weights) draw(r *rng.Rand, s state, how quintain.Sampling) quintain.Token {
	if how.Temperature != 1 || how.TopK > 0 || how.TopP > 0 && how.TopP < 1 {
		return drawFrom(r, w.p(s), how)
	}
	if r.Chance(w.end(s)) {
		return policy.End
	}
	sums := &w.row(s.prev).sum
	u := r.Float() * sums[vocabulary-1]
	return quintain.Token(sort.Search(vocabulary-1, func(t int) bool { return sums[t] > u }))
}

// drawFrom samples a token of the distribution p as how says.
func drawFrom(r *rng.Rand, p [vocabulary]float64, how quintain.Sampling) quintain.Token {
	order := make([]int, vocabulary)
	for t := range order {
		order[t] = t
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] > p[order[j]] })
	if how.Temperature == 0 {
		return quintain.Token(order[0])
	}
	for t := range p {
		p[t] = math.Pow(p[t], 1/how.Temperature)
	}
	if how.TopK > 0 {
		order = order[:min(how.TopK, vocabulary)]
	}
	total := sumOf(p, order)
	if how.TopP > 0 && how.TopP < 1 {
		sum, n := 0.0, 0
		for n < len(order) && sum < how.TopP*total {
			sum += p[order[n]]
			n++
		}
		order, total = order[:max(1, n)], sum
	}
	u := r.Float() * total
	for _, t := range order {
		if u -= p[t]; u < 0 {
			return quintain.Token(t)
		}
	}
	return quintain.Token(order[0])
}

func sumOf(p [vocabulary]float64, tokens []int) (sum float64) {
	for _, t := range tokens {
		sum += p[t]
	}
	return sum
}

// hash is a number for a sequence of tokens.
func hash(tokens []quintain.Token) uint64 {
	h := fnv.New64a()
	raw := make([]byte, 0, len(tokens))
	for _, t := range tokens {
		raw = append(raw, byte(t))
	}
	_, _ = h.Write(raw)
	return h.Sum64()
}

// top returns the n likeliest tokens after tokens, the likeliest first.
func (w *Weights) top(tokens []quintain.Token, n int) []policy.Likely {
	p := w.p(stateOf(tokens))
	list := make([]policy.Likely, vocabulary)
	for t := range p {
		list[t] = policy.Likely{Token: quintain.Token(t), LogProb: float32(math.Log(p[t]))}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].LogProb > list[j].LogProb })
	return list[:min(max(0, n), vocabulary)]
}
