package transformer

// A walk is a shard on its way forward through one layer.
type walk struct {
	*Pass
	team
	shard
	plan  *plan
	acts  *layerActs
	block *block
	x     matrix // residual stream of the shard
}

// rowsOf returns the shard's rows of a matrix of all rows.
func (w *walk) rowsOf(m matrix) matrix { return m.between(w.row, w.row+w.shard.rows) }

// begin takes constant rows from tokens to the keys and values of the last layer.
func (p *Pass) begin(s shard, t team) {
	w := walk{Pass: p, team: t, shard: s, plan: &p.constant, acts: &p.brief, x: p.before.between(s.row, s.row+s.rows)}
	w.embed()
	for l := range p.layers {
		w.block = &p.net.layers[l]
		w.attention()
		p.keep(s, p.layers[l].constant)
		if l < len(p.layers)-1 {
			w.perceptron()
		}
	}
}

// keep copies the keys and values of the beginnings in a shard to where spans find them.
func (p *Pass) keep(s shard, constant matrix) {
	row := 0
	for _, at := range p.constant.batch {
		if at.trunk >= s.row && at.trunk < s.row+s.rows { // it may have no rows of its own
			constant.between(row, row+at.shared).copyFrom(at.common(p.brief.qkv))
			constant.between(row+at.shared, row+at.all()).copyFrom(at.own(p.brief.qkv))
		}
		row += at.all()
	}
}

// forward takes the rows of one shard from tokens to scores.
func (p *Pass) forward(s shard, t team) {
	w := walk{Pass: p, team: t, shard: s, plan: &p.plan, x: p.stream.between(s.row, s.row+s.rows)}
	w.embed()
	for l := range p.layers {
		w.block, w.acts = &p.net.layers[l], &p.layers[l]
		w.attention()
		w.perceptron()
	}
	normed, last := w.rowsOf(p.lastNormed), w.rowsOf(p.last)
	w.normalise(normed, last, p.lastInv[s.row:], p.net.last)
	p.net.head.forward(w.rowsOf(p.probs), last, false, t)
	t.rows(s.rows, func(lo, hi int) {
		for i := s.row + lo; i < s.row+hi; i++ {
			p.score(i)
		}
	})
}

// embed sets the stream to the embeddings.
func (w *walk) embed() {
	for i := range w.x.rows {
		w.net.embed(w.x.row(i), w.plan.tokens[w.row+i])
	}
}

// normalise sets normed to the normalised stream, and its result (to) to the same with gains; without any, that is normed or
// left alone.
func (w *walk) normalise(normed, to matrix, inv, gains []float32) {
	w.team.rows(w.x.rows, func(lo, hi int) {
		normed := normed.between(lo, hi)
		normalise(normed, w.x.between(lo, hi), inv[lo:], w.net.config.epsilon())
		if gains == nil {
			return
		}
		for i := range normed.rows {
			setProduct(to.row(lo+i), normed.row(i), gains)
		}
	})
}

// attention adds the attended values to the stream.
func (w *walk) attention() {
	acts, in, qkv := w.acts, w.rowsOf(w.acts.in), w.rowsOf(w.acts.qkv)
	w.normalise(w.rowsOf(acts.normed), in, acts.inInv[w.row:], w.block.in)
	spans := w.plan.spans[w.first:w.end]
	if w.block.share != nil {
		for _, s := range spans {
			acts.shift(s, w.block.share)
		}
	}
	w.block.qkv.forward(qkv, in, false, w.team)
	w.each(len(spans), func(_, i int) { w.Pass.turn(w.block, acts, spans[i]) }) // all: a span attends to the rows that it shares
	w.each(len(spans), func(worker, i int) { w.attend(acts, spans[i], &w.scratch[worker]) })
	w.block.out.forward(w.x, w.rowsOf(acts.mixed), true, w.team)
}

// perceptron adds the products of the perceptron to the stream.
func (w *walk) perceptron() {
	acts, mid, hidden, square := w.acts, w.rowsOf(w.acts.mid), w.rowsOf(w.acts.hidden), w.rowsOf(w.acts.square)
	w.normalise(w.rowsOf(acts.midNormed), mid, acts.midInv[w.row:], w.block.mid)
	w.block.up.forward(hidden, mid, false, w.team)
	if w.net.config.Rank == 0 {
		for i := range hidden.rows {
			squareReLU(square.row(i), hidden.row(i))
		}
	} else {
		w.eachRow(hidden.rows, func(s *scratch, i int) { gate(square.row(i), hidden.row(i), s.line) })
	}
	w.block.down.forward(w.x, square, true, w.team)
}

// eachRow calls f for n rows, with the memory of the goroutine.
func (w *walk) eachRow(n int, f func(s *scratch, i int)) {
	const most = 8
	w.each((n+most-1)/most, func(worker, i int) {
		for row := i * most; row < min((i+1)*most, n); row++ {
			f(&w.scratch[worker], row)
		}
	})
}

// turn normalises the queries and keys of one span, if the model does, and rotates them.
func (p *Pass) turn(b *block, acts *layerActs, s span) {
	c, own := p.net.config, s.own(acts.qkv)
	if b.q != nil {
		acts.eachNorm(b, c, s, func(h headNorm) { h.forward(c.epsilon()) })
	}
	for i := range s.rows {
		p.turns.turn(own.row(i)[:c.turnedWidth()], s.shared+i, 1)
	}
}

// A headNorm is the normalisation of the rows of a span in one head of queries or keys.
type headNorm struct {
	x, normed matrix
	inv, gain []float32
}

// eachNorm calls f for all heads of queries and keys of a span.
func (acts *layerActs) eachNorm(b *block, c Config, s span, f func(headNorm)) {
	own, normed, n, heads := s.own(acts.qkv), s.own(acts.qk), c.headWidth(), c.Heads+c.kvHeads()
	for h := range heads {
		gain := b.q
		if h >= c.Heads {
			gain = b.k
		}
		inv := acts.qkInv[(h*acts.qk.rows + s.row):][:s.rows]
		f(headNorm{own.columns(h*n, n), normed.columns(h*n, n), inv, gain})
	}
}

// forward normalises x.
func (h headNorm) forward(epsilon float32) {
	normalise(h.normed, h.x, h.inv, epsilon)
	for i := range h.x.rows {
		setProduct(h.x.row(i), h.normed.row(i), h.gain)
	}
}

// backward turns d, the gradient of the result, into that of what was normalised. row has room for one of d's.
func (h headNorm) backward(d matrix, row []float32) {
	row = row[:d.cols]
	for i := range d.rows {
		to, normed := d.between(i, i+1), h.normed.between(i, i+1)
		setProduct(row, to.row(0), h.gain)
		clear(to.row(0))
		normaliseBack(to, matrix{data: row, rows: 1, cols: d.cols, stride: d.cols}, normed, h.inv[i:])
	}
}
