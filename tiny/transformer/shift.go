package transformer

// Besides each token, attention reads a share of the token before it, by column, so a
// layer need not spend attention on finding neighbours. This is the depthwise convolution
// of So et al., "Primer" (2021), with width two, and applied before the projections to
// queries, keys and values instead of after them.

// shift computes the input of attention for one span.
func (acts *layerActs) shift(s span, share []float32) {
	for i := range s.rows {
		to := acts.in.row(s.row + i)
		copy(to, acts.normed.row(s.row+i))
		if s.shared+i > 0 {
			addProduct(to, acts.normed.row(s.before(i)), share)
		}
	}
}

// before returns the row of the token before that of the span's own row i.
func (s span) before(i int) int {
	if i == 0 {
		return s.trunk + s.shared - 1
	}
	return s.row + i - 1
}

// shiftBack turns the gradient of the input of attention of one span into that of its
// normalised stream. d must begin as a copy of the rows of acts.dIn from lo on.
func (acts *layerActs) shiftBack(d matrix, lo int, s span, share []float32) {
	for i := range s.rows {
		if s.shared+i > 0 {
			addProduct(d.row(s.before(i)-lo), acts.dIn.row(s.row+i), share)
		}
	}
}

// addShift adds the gradient of the shares of layer l.
func (p *Pass) addShift(l int) {
	acts, grad := &p.layers[l], p.grads.layer(l)[tensorShift].Data
	for _, s := range p.spans {
		for i := range s.rows {
			if s.shared+i > 0 {
				addProduct(grad, acts.normed.row(s.before(i)), acts.dIn.row(s.row+i))
			}
		}
	}
}
