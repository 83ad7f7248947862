package transformer

import "math"

// attend makes the attended values of one sequence from its queries, keys and
// values, head by head. Queries and keys are rotated here.
func (p *Pass) attend(acts *layerActs, s span, w *scratch) {
	c := p.model.config
	qkv, mixed := acts.qkv.between(s.row, s.row+s.rows), acts.mixed.between(s.row, s.row+s.rows)
	for i := range s.rows {
		p.turns.turn(qkv.row(i)[:2*c.Width], i, 1)
	}
	for h := range c.Heads {
		at := qkv.head(h, c)
		probs := s.attention(acts.probs, h)
		w.keys.packTransposed(at.keys)
		causalScores(probs, at.queries, &w.keys)
		for i := range s.rows {
			softmax(probs.full(i)[:padded(i+1)], i+1, c.attentionScale())
		}
		w.values.pack(at.values)
		causalMix(mixed.columns(h*c.headWidth(), c.headWidth()), probs, &w.values)
	}
}

// attentionScale is what products of queries and keys are multiplied by.
func (c Config) attentionScale() float32 { return float32(1 / math.Sqrt(float64(c.headWidth()))) }

// A headView is the windows of one head on the rows of a sequence.
type headView struct{ queries, keys, values matrix }

// head is head h of a matrix of queries, keys and values.
func (m matrix) head(h int, c Config) headView {
	n := c.headWidth()
	return headView{
		queries: m.columns(h*n, n),
		keys:    m.columns(c.Width+h*n, n),
		values:  m.columns(2*c.Width+h*n, n),
	}
}

// attention is the probabilities of head h: row i holds how much token i attends to
// each token up to itself. Behind those, up to the next multiple of lanes, are
// zeros, and then nothing of meaning.
func (s span) attention(probs []float32, h int) matrix {
	stride := padded(s.rows)
	return matrix{data: probs[s.probs+h*s.rows*stride:], rows: s.rows, cols: s.rows, stride: stride}
}

// causalScores sets each row of scores to the products of that row of a with the
// columns of b up to its own, and some beyond.
func causalScores(scores, a matrix, b *packing) {
	for j := range b.panels() {
		lo := j * lanes
		mulPanel(scores.between(lo, a.rows).columns(lo, lanes), a.between(lo, a.rows), b.panel(j), false)
	}
}

// causalMix sets each row of c to the sum of the rows of b up to its own, weighted by
// its row of weights.
func causalMix(c, weights matrix, b *packing) {
	for lo := 0; lo < c.rows; lo += lanes {
		hi := min(lo+lanes, c.rows)
		from := weights.between(lo, hi).columns(0, hi)
		for j := range b.panels() {
			mulPanel(c.between(lo, hi).columns(j*lanes, lanes), from, b.panel(j)[:hi], false)
		}
	}
}

// causalMixT sets each row of c to the sum of the rows of b from its own on, weighted
// by its column of weights.
func causalMixT(c, weights matrix, b *packing) {
	for lo := 0; lo < c.rows; lo += lanes {
		hi := min(lo+lanes, c.rows)
		from := weights.between(lo, c.rows).columns(lo, hi-lo)
		for j := range b.panels() {
			mulPanelT(c.between(lo, hi).columns(j*lanes, lanes), from, b.panel(j)[lo:], false)
		}
	}
}

// attendBack turns the gradient of the attended values of one sequence, whose rows
// are those of dMixed from row on, into that of its queries, keys and values.
func (p *Pass) attendBack(acts *layerActs, s span, dMixed matrix, w *scratch) {
	c := p.model.config
	qkv, dQKV := acts.qkv.between(s.row, s.row+s.rows), acts.dQKV.between(s.row, s.row+s.rows)
	w.dProbs.resize(s.rows, s.rows)
	for h := range c.Heads {
		at, grad := qkv.head(h, c), dQKV.head(h, c)
		probs, d := s.attention(acts.probs, h), dMixed.columns(h*c.headWidth(), c.headWidth())
		w.values.pack(d)
		causalMixT(grad.values, probs, &w.values)
		w.keys.packTransposed(at.values)
		causalScores(w.dProbs, d, &w.keys)
		for i := range s.rows {
			n := padded(i + 1)
			softmaxBack(w.dProbs.full(i)[:n], probs.full(i)[:n], c.attentionScale())
		}
		w.values.pack(at.keys)
		causalMix(grad.queries, w.dProbs, &w.values)
		w.values.pack(at.queries)
		causalMixT(grad.keys, w.dProbs, &w.values)
	}
	for i := range s.rows {
		p.turns.turn(dQKV.row(i)[:2*c.Width], i, -1)
	}
}
