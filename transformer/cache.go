package transformer

// A page holds the keys and values of lanes consecutive positions, in all layers. Slots
// that begin with the same tokens share pages; a shared page is read-only.
type page struct {
	data []float32 // layer × (keys: head × column of it × position; values: panel of columns × position × column)
	refs int       // slots that hold it
}

// layer is the rows of one layer.
func (p *page) layer(c Config, l int) matrix { return p.part(2*l*c.Width, 2*c.Width) }

// part is n rows from lo on.
func (p *page) part(lo, n int) matrix {
	return matrix{data: p.data[lo*lanes:][:n*lanes], rows: n, cols: lanes, stride: lanes}
}

// keys are those of each head in one layer: a row for each of its columns.
func (p *page) keys(c Config, layer int) stack {
	n := c.headWidth()
	return stack{data: p.part(2*layer*c.Width, c.Width).data, rows: n, apart: n * lanes, stride: lanes}
}

// values are those of one panel of columns of each head in one layer: a row for each of the
// first n positions.
func (p *page) values(c Config, layer, panel, n int) stack {
	from := p.part((2*layer+1)*c.Width+panel*lanes, c.Width-panel*lanes)
	return stack{data: from.data, rows: n, apart: c.headWidth() * lanes, stride: lanes}
}

// put stores the keys and values of one position, which stand side by side in both, into
// the rows of one layer.
func put(rows matrix, pos int, both []float32) {
	n, at := len(both)/2, pos%lanes
	for k, x := range both[:n] {
		rows.data[k*lanes+at] = x
	}
	for j := 0; j < n; j += lanes {
		copy(rows.row(n+j+at), both[n+j:])
	}
}

// page returns an unused page, held once.
func (d *Decoder) page() *page {
	if last := len(d.free) - 1; last >= 0 {
		p := d.free[last]
		d.free, p.refs = d.free[:last], 1
		return p
	}
	return &page{data: make([]float32, 2*d.config.Layers*d.config.Width*lanes), refs: 1}
}

// leave releases one hold on a page.
func (d *Decoder) leave(p *page) {
	if p.refs--; p.refs == 0 {
		d.free = append(d.free, p)
	}
}

// room gives a slot an unshared page for a position, which is the slot's next or lies in
// its last page.
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
