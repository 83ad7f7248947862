package transformer

import "slices"

// run takes the planned rows through the model: without adapters each goroutine takes whole slots, else all
// take a part of each product, so that the matrices come from memory once.
func (d *Decoder) run() {
	for _, r := range d.rows {
		d.room(r.slot, r.pos)
	}
	if d.config.Rank > 0 {
		for rows := range slices.Chunk(d.rows, wideChunk) {
			d.forward(rows, &d.scratch[0], team{pool: d.pool})
		}
	} else {
		d.runSlots()
	}
	for _, r := range d.rows {
		d.slots[r.slot].used, d.slots[r.slot].end = r.pos+1, r.token
	}
	d.drop()
}

// runSlots takes the rows of whole slots through the model at a time.
func (d *Decoder) runSlots() {
	most := d.pool.size()
	share := padded4((len(d.rows) + most - 1) / most)
	d.shards = d.shards[:0]
	open := shard{}
	for i, r := range d.rows {
		open.rows++
		if r.last && (open.rows >= share || i == len(d.rows)-1) {
			d.shards = append(d.shards, open)
			open = shard{row: i + 1}
		}
	}
	if d.lookup != nil {
		d.lookup.fill(d)
	}
	d.pool.do(len(d.shards), func(w, i int) {
		s := d.shards[i]
		for rows := range slices.Chunk(d.rows[s.row:][:s.rows], chunk) {
			d.forward(rows, &d.scratch[w], team{worker: w})
		}
	})
}

// How many rows go through all layers at a time: the data between two layers should stay in the fastest cache;
// with adapters the matrices take most of the time, and more rows share it.
const (
	chunk     = 16
	wideChunk = 512
)

// padded4 returns n rounded up to a multiple of four, the rows that a kernel takes at once.
func padded4(n int) int { return (n + 3) &^ 3 }

// forward takes rows from tokens to logits.
func (d *Decoder) forward(rows []decoderRow, w *decoderScratch, t team) {
	w.resize(len(rows), &d.config)
	for i, r := range rows {
		d.net.embed(w.x.row(i), r.token)
	}
	for l := range d.config.Layers {
		b := &d.net.layers[l]
		d.attention(l, rows, w, t)
		b.out.forward(w.x, w.mixed, true, t)
		in := w.normalise(w.x, b.mid, d.epsilon)
		b.up.forward(w.hidden, in, false, t)
		b.down.forward(w.x, w.activate(d, t), true, t)
	}
	n := 0
	for i, r := range rows {
		if r.last {
			copy(w.last.row(n), w.x.row(i))
			n++
		}
	}
	w.logits.resize(n, d.config.Vocab)
	d.net.head.forward(w.logits, w.normalise(w.last.between(0, n), d.net.last, d.epsilon), false, t)
	n = 0
	for _, r := range rows {
		if r.last {
			copy(d.slots[r.slot].logits, w.logits.row(n))
			n++
		}
	}
}

// normalise returns x normalised, with gains if there are any.
func (w *decoderScratch) normalise(x matrix, gains []float32, epsilon float32) matrix {
	to := w.normed.between(0, x.rows)
	normalise(to, x, w.inv, epsilon)
	if gains != nil {
		for i := range to.rows {
			setProduct(to.row(i), to.row(i), gains)
		}
	}
	return to
}

// activate returns the activations of the perceptron.
func (w *decoderScratch) activate(d *Decoder, t team) matrix {
	if d.config.Rank == 0 {
		for i := range w.hidden.rows {
			squareReLU(w.hidden.row(i), w.hidden.row(i))
		}
		return w.hidden
	}
	t.each(w.hidden.rows, func(worker, i int) { gate(w.square.row(i), w.hidden.row(i), d.scratch[worker].line) })
	return w.square
}

// resize makes room for the given number of rows.
func (w *decoderScratch) resize(rows int, c *Config) {
	for _, m := range []*matrix{&w.x, &w.normed, &w.in, &w.last} {
		m.resize(rows, c.Width)
	}
	w.mixed.resize(rows, c.mixedWidth())
	w.qkv.resize(rows, c.qkvWidth())
	w.hidden.resize(rows, c.upWidth())
	if c.Rank > 0 {
		w.square.resize(rows, c.Hidden)
	}
	w.inv = grown(w.inv, rows)
}

// attention sets mixed to the attended values of the rows in layer l.
func (d *Decoder) attention(l int, rows []decoderRow, w *decoderScratch, t team) {
	b := &d.net.layers[l]
	switch {
	case l == 0 && d.lookup != nil:
		d.lookup.read(w.qkv, rows)
	case b.share != nil:
		w.normalise(w.x, nil, d.epsilon)
		d.shift(l, rows, w)
		b.qkv.forward(w.qkv, w.in, false, t)
	default:
		b.qkv.forward(w.qkv, w.normalise(w.x, b.in, d.epsilon), false, t)
	}
	if t.pool == nil { // a row may read only what rows before it put
		w.attention.layer(l)
		for i, r := range rows {
			d.put(l, r, w.qkv.row(i))
			d.attend(r, w.qkv.row(i), w.mixed.row(i), &w.attention)
		}
		return
	}
	for i, r := range rows {
		d.put(l, r, w.qkv.row(i))
	}
	t.each(len(rows), func(worker, i int) {
		a := &d.scratch[worker].attention
		a.layer(l)
		d.attend(rows[i], w.qkv.row(i), w.mixed.row(i), a)
	})
}

// shift computes the input of attention for the rows in layer l.
func (d *Decoder) shift(l int, rows []decoderRow, w *decoderScratch) {
	share := d.net.layers[l].share
	for i, r := range rows {
		to, before := w.in.row(i), d.slots[r.slot].before.row(l)
		copy(to, w.normed.row(i))
		if r.pos > 0 {
			addProduct(to, before, share)
		}
		copy(before, w.normed.row(i))
	}
}

// put rotates the queries and keys of a row, and puts its keys and values into the cache of layer l.
func (d *Decoder) put(l int, r decoderRow, qkv []float32) {
	if b := &d.net.layers[l]; b.q != nil {
		n := d.config.headWidth()
		for h := 0; h < d.values; h += n {
			gain := b.q
			if h >= d.keys {
				gain = b.k
			}
			head := matrix{data: qkv[h : h+n], rows: 1, cols: n, stride: n}
			headNorm{head, head, []float32{0}, gain}.forward(d.epsilon)
		}
	}
	d.turns.turn(qkv[:d.values], r.pos, 1)
	d.slots[r.slot].pages[r.pos/lanes].put(l, r.pos, qkv[d.keys:])
}

// attend computes the attended values of a row from all positions of its slot up to its own.
func (d *Decoder) attend(r decoderRow, qkv, mixed []float32, a *attention) {
	a.pages, a.weights.cols = d.slots[r.slot].pages[:r.pos/lanes+1], r.pos+1
	keys, values := a.keys, a.values
	size := a.queries.rows * a.queries.cols
	for at := 0; at < len(mixed); at += size {
		a.queries.data, a.mixed.data = qkv[at:][:size], mixed[at:]
		a.score()
		a.soften()
		a.mix()
		a.keys, a.values = a.keys+a.group, a.values+a.group
	}
	a.keys, a.values = keys, values
}
