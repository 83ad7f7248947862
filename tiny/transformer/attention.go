package transformer

import "math"

// attend computes the attended values of one span, head by head, from its queries and from
// the keys and values at all its positions.
func (p *Pass) attend(acts *layerActs, s span, w *scratch) {
	c := p.net.config
	own, before, mixed := s.own(acts.qkv), acts.before(s), s.own(acts.mixed)
	for h := range c.Heads {
		at, shared := own.head(h, c), before.head(h, c)
		probs := s.attention(acts.probs, h)
		if h%c.groupSize() == 0 {
			w.keys.resize(c.headWidth(), s.all())
			w.keys.putTransposed(shared.keys, 0)
			w.keys.putTransposed(at.keys, s.shared)
		}
		causalScores(probs, at.queries, &w.keys)
		for i := range s.rows {
			n := s.shared + i + 1
			softmax(probs.full(i)[:padded(n)], n, c.attentionScale())
		}
		causalMix(mixed.columns(h*c.headWidth(), c.headWidth()), probs, shared.values, at.values)
	}
}

// before returns the shared rows of a span.
func (acts *layerActs) before(s span) matrix {
	if s.constant {
		return s.common(acts.constant)
	}
	return s.common(acts.qkv)
}

// groupSize returns how many adjacent heads of queries have the same keys and values.
func (c Config) groupSize() int { return c.Heads / c.kvHeads() }

// attentionScale returns the factor for the products of queries and keys.
func (c Config) attentionScale() float32 { return float32(1 / math.Sqrt(float64(c.headWidth()))) }

// A headView is one head's part of the rows of a sequence.
type headView struct{ queries, keys, values matrix }

// head returns head h of the queries of a matrix of queries, keys and values, and its keys and values.
func (m matrix) head(h int, c Config) headView {
	n, kv := c.headWidth(), h/c.groupSize()
	return headView{
		queries: m.columns(h*n, n),
		keys:    m.columns((c.Heads+kv)*n, n),
		values:  m.columns((c.Heads+c.kvHeads()+kv)*n, n),
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

// causalMixT adds to each position's row of common or own the sum of the rows of b from its own on,
// weighted by its column of weights. A common matrix without data gets nothing.
func causalMixT(common, own, weights, b matrix) {
	lo := 0
	if common.data == nil {
		lo = common.rows
	}
	for lo < weights.cols {
		hi := min(padded(lo+1), weights.cols)
		var c matrix
		first := 0 // the first row that attends to these positions
		if lo < common.rows {
			hi = min(hi, common.rows)
			c = common.between(lo, hi)
		} else {
			first = lo - common.rows
			c = own.between(first, hi-common.rows)
		}
		from := weights.between(first, weights.rows).columns(lo, hi-lo)
		mulPanels(c, from.turned(), b.between(first, weights.rows).panels(c.cols/lanes), true)
		lo = hi
	}
}

// attendBack turns the gradient of one span's attended values into that of its own
// queries, keys and values, and adds to the gradient of the shared keys and values, unless these are constant.
func (p *Pass) attendBack(acts *layerActs, s span, dMixed matrix, w *scratch) {
	c := p.net.config
	own, before, n := s.own(acts.qkv), acts.before(s), c.headWidth()
	dOwn, dBefore := s.own(acts.dQKV), matrix{rows: s.shared}
	if !s.constant {
		dBefore = s.common(acts.dQKV)
	}
	for i := range s.rows {
		clear(dOwn.row(i)[c.mixedWidth():])
	}
	w.dProbs.resize(s.rows, s.all())
	for h := range c.Heads {
		at, shared := own.head(h, c), before.head(h, c)
		grad, gradBefore := dOwn.head(h, c), dBefore.head(h, c)
		probs, d := s.attention(acts.probs, h), dMixed.columns(h*n, n)
		causalMixT(gradBefore.values, grad.values, probs, d)
		if h%c.groupSize() == 0 {
			w.keys.resize(n, s.all())
			w.keys.putTransposed(shared.values, 0)
			w.keys.putTransposed(at.values, s.shared)
		}
		causalScores(w.dProbs, d, &w.keys)
		for i := range s.rows {
			m := padded(s.shared + i + 1)
			softmaxBack(w.dProbs.full(i)[:m], probs.full(i)[:m], c.attentionScale())
		}
		causalMix(grad.queries, w.dProbs, shared.keys, at.keys)
		causalMixT(gradBefore.keys, grad.keys, w.dProbs, at.queries)
	}
}

// turnBack undoes the rotation and the normalisation in the gradients of one span's own queries and keys.
func (p *Pass) turnBack(l int, s span, row []float32) {
	c, acts := p.net.config, &p.layers[l]
	dQKV := s.own(acts.dQKV)
	for i := range s.rows {
		p.turns.turn(dQKV.row(i)[:c.turnedWidth()], s.shared+i, -1)
	}
	if b := &p.net.layers[l]; b.q != nil {
		d := dQKV.columns(0, c.headWidth())
		acts.eachNorm(b, c, s, func(h headNorm) {
			h.backward(d, row)
			d = d.columns(c.headWidth(), c.headWidth())
		})
	}
}
