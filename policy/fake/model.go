package fake

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Model is a distribution over the next token of a sequence. It depends on the last
// token, by weights that each version draws anew, and on the number of tokens since a reply
// began, by the reply lengths. With given replies, it continues one of them as long as the
// sequence does. Many goroutines may use it at once.
type Model struct {
	seed    uint64
	lengths lengths
	tokens  *alphabet
	replies replies
}

// Weights holds one version of a [Model]'s weights. Many goroutines may use it at once.
type Weights struct {
	Version int32

	model *Model
	rows  [256]atomic.Pointer[row]
}

// A row holds the probabilities of the tokens after one token, if the reply does not end.
type row struct {
	p   []float64 // of each common token
	sum []float64 // running sum of p
}

// Probabilities of rare events, so that no text is impossible.
const (
	rare  = 1e-6 // any one token that is not common
	stray = 1e-6 // a token outside the given replies
	least = 1e-9 // the end of a reply, and its continuation
)

// Weights returns the weights of a version, the same wherever they are made.
func (m *Model) Weights(version int32) *Weights { return &Weights{Version: version, model: m} }

// row returns the distribution after prev: one of 256 rows, by its lowest byte.
func (w *Weights) row(prev quintain.Token) *row {
	kept := &w.rows[byte(prev)]
	if r := kept.Load(); r != nil {
		return r
	}
	draw := rng.Named("fake", "weights").Stream(w.model.seed, int(w.Version)<<8|int(byte(prev)))
	n := len(w.model.tokens.common)
	r, total := &row{make([]float64, n), make([]float64, n)}, 0.0
	for k := range r.p {
		r.p[k] = math.Exp(4 * draw.Float())
		total += r.p[k]
	}
	if w.model.tokens.rare > 0 {
		total /= 1 - rare
	}
	sum := 0.0
	for k := range r.p {
		r.p[k] /= total
		sum += r.p[k]
		r.sum[k] = sum
	}
	kept.Store(r)
	return r
}

// A state is all that the next token depends on.
type state struct {
	prev   quintain.Token
	since  int // tokens since the last end or opening of a reply, or the start
	opened int // tokens at the end that may open a reply
	reply  course
}

// stateOf returns the state after tokens.
func (m *Model) stateOf(tokens []quintain.Token) (s state) {
	for _, t := range tokens {
		s = m.after(s, t)
	}
	return s
}

// after returns the state after s and t.
func (m *Model) after(s state, t quintain.Token) state {
	next := state{prev: t, since: s.since + 1, reply: m.replies.after(s.reply, t)}
	if t == m.tokens.end {
		next.since = 0
	}
	opening := m.tokens.opening
	if len(opening) == 0 {
		return next
	}
	switch t {
	case opening[s.opened]:
		next.opened = s.opened + 1
	case opening[0]:
		next.opened = 1
	}
	if next.opened == len(opening) {
		return m.opened(next)
	}
	return next
}

// opened returns the state s with a reply beginning.
func (m *Model) opened(s state) state { return state{prev: s.prev, reply: m.replies.begin()} }

// end returns the probability that the reply ends, without given replies.
func (w *Weights) end(s state) float64 {
	return min(max(w.model.lengths(s.since+1), least), 1-least)
}

// p returns the probability of token t after s.
func (w *Weights) p(s state, t quintain.Token) float64 {
	p := w.end(s)
	if k, common := w.model.tokens.place[t]; common {
		p = (1 - p) * w.row(s.prev).p[k]
	} else if t != w.model.tokens.end {
		p = (1 - p) * rare / float64(w.model.tokens.rare)
	}
	if s.reply.open() {
		return stray*p + (1-stray)*w.model.replies.p(s.reply, t)
	}
	return p
}

// LogProb returns the natural logarithm of the probability of token t, which must be in the
// vocabulary, after tokens.
func (w *Weights) LogProb(tokens []quintain.Token, t quintain.Token) float64 {
	return math.Log(w.p(w.model.stateOf(tokens), t))
}

// draw samples the token after s.
func (w *Weights) draw(r *rng.Rand, s state, how quintain.Sampling) quintain.Token {
	switch {
	case s.reply.open() && how.Temperature == 1 && how.TopK == 0 && how.TopP > 0 && how.TopP <= 1-2*stray:
		return w.drawFrom(r, w.replyShares(s), how) // others are never among the likeliest
	case how.Temperature != 1 || how.TopK > 0 || how.TopP > 0 && how.TopP < 1:
		return w.drawFrom(r, w.shares(s), how)
	case s.reply.open() && !r.Chance(stray):
		return w.model.replies.draw(r, s.reply)
	case r.Chance(w.end(s)):
		return w.model.tokens.end
	}
	sums := w.row(s.prev).sum
	u := r.Float()
	k := sort.Search(len(sums), func(k int) bool { return sums[k] > u })
	if k == len(sums) && w.model.tokens.rare > 0 {
		return w.model.tokens.drawRare(r)
	}
	return w.model.tokens.common[min(k, len(sums)-1)]
}

// A share is the probability of a token.
type share struct {
	token quintain.Token // anyRare: all rare tokens together
	p     float64
}

const anyRare quintain.Token = -1

// replyShares returns the probabilities of the given replies' next tokens, greatest first.
func (w *Weights) replyShares(s state) (list []share) {
	for _, t := range w.model.replies.next(s.reply) {
		list = append(list, share{t, w.p(s, t)})
	}
	slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(b.p, a.p) })
	return list
}

// shares returns the probabilities after s, greatest first; last comes the sum for tokens
// that are neither common nor in a given reply.
func (w *Weights) shares(s state) (list []share) {
	a, sum := w.model.tokens, 0.0
	add := func(t quintain.Token) {
		list = append(list, share{t, w.p(s, t)})
		sum += list[len(list)-1].p
	}
	add(a.end)
	for _, t := range a.common {
		add(t)
	}
	for _, t := range w.model.replies.next(s.reply) {
		if _, common := a.place[t]; !common && t != a.end {
			add(t)
		}
	}
	slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(b.p, a.p) })
	return append(list, share{anyRare, max(0, 1-sum)})
}

// drawFrom samples a token from shares.
func (w *Weights) drawFrom(r *rng.Rand, shares []share, how quintain.Sampling) quintain.Token {
	if how.Temperature == 0 {
		return shares[0].token
	}
	total := 0.0
	for i := range shares {
		shares[i].p = math.Pow(shares[i].p, 1/how.Temperature)
		total += shares[i].p
	}
	if how.TopK > 0 && how.TopK < len(shares) {
		shares, total = upTo(shares[:how.TopK], math.Inf(1))
	}
	if how.TopP > 0 && how.TopP < 1 {
		shares, total = upTo(shares, how.TopP*total)
	}
	u := r.Float() * total
	for _, s := range shares {
		if u -= s.p; u < 0 {
			if s.token == anyRare {
				return w.model.tokens.drawRare(r)
			}
			return s.token
		}
	}
	return shares[0].token
}

// upTo returns the fewest first shares, at least one, with a sum of most or more, and that
// sum.
func upTo(shares []share, most float64) (first []share, sum float64) {
	n := 0
	for n < len(shares) && (n == 0 || sum < most) {
		sum += shares[n].p
		n++
	}
	return shares[:n], sum
}

// top returns the n likeliest tokens after s, likeliest first, without rare ones.
func (w *Weights) top(s state, n int) (list []policy.Likely) {
	if n == 0 {
		return nil
	}
	shares := w.shares(s)
	for _, s := range shares[:min(max(0, n), len(shares)-1)] {
		list = append(list, policy.Likely{Token: s.token, LogProb: float32(math.Log(s.p))})
	}
	return list
}

// hash hashes a sequence of tokens.
func hash(tokens []quintain.Token) uint64 {
	h := fnv.New64a()
	raw := make([]byte, 0, 4*len(tokens))
	for _, t := range tokens {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(t))
	}
	_, _ = h.Write(raw)
	return h.Sum64()
}
