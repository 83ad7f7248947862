package transformer

// A page holds the keys and values of lanes consecutive positions, in all layers. Slots
// that begin with the same tokens share pages; a shared page is read-only.
type page struct {
	rows [][lanes]float32 // layer × (keys: head × column of it × position; values: panel of columns × position × column)
	refs int              // slots that hold it
}

// layer is the rows of one layer.
func (p *page) layer(c Config, l int) [][lanes]float32 { return p.rows[2*l*c.Width:][:2*c.Width] }

// keys are those of one head in one layer: a row for each of its columns.
func (p *page) keys(c Config, layer, head int) [][lanes]float32 {
	n := c.headWidth()
	return p.rows[2*layer*c.Width+head*n:][:n]
}

// values are those of one panel of columns in one layer: a row for each position.
func (p *page) values(c Config, layer, panel int) [][lanes]float32 {
	return p.rows[(2*layer+1)*c.Width+panel*lanes:][:lanes]
}

// put stores the keys and values of one position, which stand side by side in both, into
// the rows of one layer.
func put(rows [][lanes]float32, pos int, both []float32) {
	n := len(both) / 2
	for k, x := range both[:n] {
		rows[k][pos%lanes] = x
	}
	for j := 0; j < n; j += lanes {
		rows[n+j+pos%lanes] = [lanes]float32(both[n+j:])
	}
}

// page returns an unused page, held once.
func (d *Decoder) page() *page {
	if last := len(d.free) - 1; last >= 0 {
		p := d.free[last]
		d.free, p.refs = d.free[:last], 1
		return p
	}
	return &page{rows: make([][lanes]float32, 2*d.config.Layers*d.config.Width), refs: 1}
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
		copy(own.rows, was.rows)
		d.leave(was)
		s.pages[pos/lanes] = own
	}
}
