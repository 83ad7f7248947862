package transformer

import "math"

// attend computes the attended values of one span, head by head, from its queries and from
// the keys and values at all its positions. It first rotates the span's own queries and
// keys.
func (p *Pass) attend(acts *layerActs, s span, w *scratch) {
	c := p.model.config
	own, shared, mixed := s.own(acts.qkv), s.common(acts.qkv), s.own(acts.mixed)
	for i := range s.rows {
		p.turns.turn(own.row(i)[:2*c.Width], s.shared+i, 1)
	}
	for h := range c.Heads {
		at, before := own.head(h, c), shared.head(h, c)
		probs := s.attention(acts.probs, h)
		w.keys.resize(c.headWidth(), s.all())
		w.keys.putTransposed(before.keys, 0)
		w.keys.putTransposed(at.keys, s.shared)
		causalScores(probs, at.queries, &w.keys)
		for i := range s.rows {
			n := s.shared + i + 1
			softmax(probs.full(i)[:padded(n)], n, c.attentionScale())
		}
		causalMix(mixed.columns(h*c.headWidth(), c.headWidth()), probs, before.values, at.values)
	}
}

// attentionScale returns the factor for the products of queries and keys.
func (c Config) attentionScale() float32 { return float32(1 / math.Sqrt(float64(c.headWidth()))) }

// A headView is one head's part of the rows of a sequence.
type headView struct{ queries, keys, values matrix }

// head returns head h of a matrix of queries, keys and values.
func (m matrix) head(h int, c Config) headView {
	n := c.headWidth()
	return headView{
		queries: m.columns(h*n, n),
		keys:    m.columns(c.Width+h*n, n),
		values:  m.columns(2*c.Width+h*n, n),
	}
}

// attention returns the probabilities of head h. Row i holds how much the span's own token
// i attends to each position up to itself, then zeros up to the next multiple of lanes.
// The rest of the row is undefined.
func (s span) attention(probs []float32, h int) matrix {
	stride := padded(s.all())
	return matrix{data: probs[s.probs+h*s.rows*stride:], rows: s.rows, cols: s.all(), stride: stride}
}

// Below, a matrix with n rows has a column for every position and a row for each of the
// last n.

// causalScores sets each row of scores to the products of that row of a with the
// columns of b up to its own position, and with some columns beyond.
func causalScores(scores, a matrix, b *packing) {
	before := scores.cols - scores.rows
	for j := range b.panels() {
		lo := max(0, j*lanes-before)
		mulPanels(scores.between(lo, a.rows).columns(j*lanes, lanes), a.between(lo, a.rows).factor(), b.panel(j).panels(1), false)
	}
}

// causalMix sets each row of c to the sum of the shared rows and of the own rows up to its
// position, weighted by its row of weights.
func causalMix(c, weights, common, own matrix) {
	n := c.cols / lanes
	mulPanels(c, weights.factor(), common.panels(n), false)
	for lo := 0; lo < c.rows; {
		end := min(padded(common.rows+lo+1), weights.cols) // positions with a weight or a zero
		hi := end - common.rows
		from := weights.between(lo, hi).columns(common.rows, hi)
		mulPanels(c.between(lo, hi), from.factor(), own.between(0, hi).panels(n), true)
		lo = hi
	}
}

// causalMixT computes, for each position, the sum of the rows of b from its own on,
// weighted by its column of weights. It adds the sum for a shared position to the row of
// common, and sets the row of own to that for an own position.
func causalMixT(common, own, weights, b matrix) {
	for lo := 0; lo < weights.cols; {
		hi := min(padded(lo+1), weights.cols)
		shared := lo < common.rows
		var c matrix
		first := 0 // the first row that attends to these positions
		if shared {
			hi = min(hi, common.rows)
			c = common.between(lo, hi)
		} else {
			first = lo - common.rows
			c = own.between(first, hi-common.rows)
		}
		from := weights.between(first, weights.rows).columns(lo, hi-lo)
		mulPanels(c, from.turned(), b.between(first, weights.rows).panels(c.cols/lanes), shared)
		lo = hi
	}
}

// attendBack turns the gradient of one span's attended values into that of its own
// queries, keys and values, and adds to the gradient of the shared keys and values.
func (p *Pass) attendBack(acts *layerActs, s span, dMixed matrix, w *scratch) {
	c := p.model.config
	own, shared := s.own(acts.qkv), s.common(acts.qkv)
	dOwn, dShared := s.own(acts.dQKV), s.common(acts.dQKV)
	w.dProbs.resize(s.rows, s.all())
	for h := range c.Heads {
		at, before := own.head(h, c), shared.head(h, c)
		grad, gradBefore := dOwn.head(h, c), dShared.head(h, c)
		probs, d := s.attention(acts.probs, h), dMixed.columns(h*c.headWidth(), c.headWidth())
		causalMixT(gradBefore.values, grad.values, probs, d)
		w.keys.resize(c.headWidth(), s.all())
		w.keys.putTransposed(before.values, 0)
		w.keys.putTransposed(at.values, s.shared)
		causalScores(w.dProbs, d, &w.keys)
		for i := range s.rows {
			n := padded(s.shared + i + 1)
			softmaxBack(w.dProbs.full(i)[:n], probs.full(i)[:n], c.attentionScale())
		}
		causalMix(grad.queries, w.dProbs, before.keys, at.keys)
		causalMixT(gradBefore.keys, grad.keys, w.dProbs, at.queries)
	}
}

// turnBack undoes the rotation in the gradients of one span's own queries and keys.
func (p *Pass) turnBack(acts *layerActs, s span) {
	dQKV := s.own(acts.dQKV)
	for i := range s.rows {
		p.turns.turn(dQKV.row(i)[:2*p.model.config.Width], s.shared+i, -1)
	}
}
