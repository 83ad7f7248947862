package transformer

// A page holds the keys and values of lanes consecutive positions, in all layers. Slots
// with the same first tokens share pages; a shared page is read-only.
type page struct {
	data []float32 // layer × (keys: head × column of it × position; values: panel of columns × position × column)
	refs int       // slots that use it
}

// An attention is that of one token of a sequence to the positions up to its own, in one
// layer: of all heads, or of those that have the same keys and values. Its matrices have a row for each head. A kernel gets a pointer to it: copying
// fields just written would take as long as its work.
type attention struct {
	pages   []*page // of all positions
	queries matrix
	weights matrix // a column for each position
	mixed   matrix
	keys    int // start of the first head's keys in each page: a row for each column of the head, of lanes positions
	values  int // start of the first lanes columns of the first head's values: a row for each position
	scale   float32
	apart   int // from one head's keys, or values, to the next head's; 0: they have the same
	group   int // from the keys, or values, of its heads to those of the heads after these
	all     int // numbers of all keys of a page in one layer
}

// begin prepares a for a model of these sizes.
func (a *attention) begin(c Config) {
	n, heads := c.headWidth(), c.Heads
	a.all, a.scale, a.apart = c.kvWidth()*lanes, c.attentionScale(), n*lanes
	if size := c.groupSize(); size > 1 {
		heads, a.apart, a.group = size, 0, n*lanes
	}
	a.queries = matrix{rows: heads, cols: n, stride: n}
	a.mixed = a.queries
	a.weights.resize(heads, c.Context)
}

// layer moves to a layer.
func (a *attention) layer(l int) {
	a.keys, a.values = 2*l*a.all, (2*l+1)*a.all
}

// score sets the weights of all positions of the pages to the products of queries and keys,
// summed like in [mulPanels].
func (a *attention) score() {
	last := a.queries.rows - 1
	_ = a.queries.data[last*a.queries.stride+a.queries.cols-1]
	_ = a.weights.data[last*a.weights.stride+len(a.pages)*lanes-1]
	for _, p := range a.pages {
		_ = p.data[a.keys+last*a.apart+a.queries.cols*lanes-1]
	}
	kernels.score(a)
}

// soften applies [softmax] to the weights of each head.
func (a *attention) soften() {
	last := a.weights.rows - 1
	_ = a.weights.data[last*a.weights.stride+padded(a.weights.cols)-1]
	if kernels.soften != nil {
		kernels.soften(a)
		return
	}
	for h := range a.weights.rows {
		softmax(a.weights.full(h), a.weights.cols, a.scale)
	}
}

// mix sets mixed to the sums of the values, by their weights, and moves its data past them.
// It sums like [mulPanels].
func (a *attention) mix() {
	last, held := a.queries.rows-1, a.weights.cols
	_ = a.weights.data[last*a.weights.stride+held-1]
	_ = a.mixed.data[last*a.mixed.stride+a.mixed.cols-1]
	for _, p := range a.pages[:padded(held)/lanes] {
		_ = p.data[a.values+last*a.apart+a.mixed.cols*lanes-1]
	}
	for j := 0; j < a.mixed.cols; j += lanes {
		kernels.mix(a)
		a.mixed.data, a.values = a.mixed.data[lanes:], a.values+lanes*lanes
	}
	a.values -= a.mixed.cols * lanes
}

// scorePlain is the kernel of score in plain Go.
func scorePlain(a *attention) {
	for at, p := range a.pages {
		for i := range a.queries.rows {
			keys := rowsOf(p, a.keys+i*a.apart, a.queries.cols)
			mulPlain(a.weights.between(i, i+1).columns(at*lanes, lanes), a.queries.between(i, i+1).factor(), keys.panels(1), false)
		}
	}
}

// mixPlain is the kernel of mix in plain Go, for the first lanes columns.
func mixPlain(a *attention) {
	for i := range a.mixed.rows {
		for at := 0; at < a.weights.cols; at += lanes {
			values := rowsOf(a.pages[at/lanes], a.values+i*a.apart, min(lanes, a.weights.cols-at))
			mulPlain(a.mixed.between(i, i+1), a.weights.between(i, i+1).columns(at, lanes).factor(), values.panels(1), at > 0)
		}
	}
}

// rowsOf returns n rows of a page.
func rowsOf(p *page, from, n int) matrix {
	return matrix{data: p.data[from:][:n*lanes], rows: n, cols: lanes, stride: lanes}
}

// put stores the adjacent key and value of one position in one layer.
func (p *page) put(layer, pos int, both []float32) {
	n, at := len(both)/2, pos%lanes
	keys, values := p.data[2*layer*n*lanes:][:n*lanes], p.data[(2*layer+1)*n*lanes:][:n*lanes]
	putColumn(keys[at:], both[:n])
	for j := 0; j < n; j += lanes {
		*(*[lanes]float32)(values[(j+at)*lanes:]) = [lanes]float32(both[n+j:])
	}
}

// putColumn sets the first column of rows of lanes numbers. It is a separate function so
// that the loop stays in registers.
//
//go:noinline
func putColumn(rows, column []float32) {
	for i, x := range column {
		rows[i*lanes] = x
	}
}

// page returns an unused page with one reference.
func (d *Decoder) page() *page {
	if last := len(d.free) - 1; last >= 0 {
		p := d.free[last]
		d.free, p.refs = d.free[:last], 1
		return p
	}
	return &page{data: make([]float32, 2*d.config.Layers*d.config.kvWidth()*lanes), refs: 1}
}

// leave drops one reference to a page.
func (d *Decoder) leave(p *page) {
	if p.refs--; p.refs == 0 {
		d.free = append(d.free, p)
	}
}

// room gives a slot an unshared page for a position: the slot's next one, or one in its
// last page.
func (d *Decoder) room(slot, pos int) {
	s := &d.slots[slot]
	if pos/lanes == len(s.pages) {
		s.pages = append(s.pages, d.page())
		return
	}
	if was := s.pages[pos/lanes]; was.refs > 1 {
		own := d.page()
		copy(own.data, was.data)
		d.leave(was)
		s.pages[pos/lanes] = own
	}
}
