package transformer

// Attention reads, beside each token, a share of the token before, by column: so a layer
// need not spend its attention on finding what stands next to what. This is the depthwise
// convolution of So et al., "Primer" (2021), of width two, and in front of the projections
// to queries, keys and values instead of behind them.

// shift makes what attention reads of one sequence.
func (acts *layerActs) shift(s span, share []float32) {
	for i := s.row; i < s.row+s.rows; i++ {
		to := acts.in.row(i)
		copy(to, acts.normed.row(i))
		if i > s.row {
			addProduct(to, acts.normed.row(i-1), share)
		}
	}
}

// shiftBack turns the gradient d of what attention reads of one sequence into that of its
// normalised stream. d begins as a copy of acts.dIn.
func (acts *layerActs) shiftBack(d matrix, s span, share []float32) {
	for i := range s.rows - 1 {
		addProduct(d.row(i), acts.dIn.row(s.row+i+1), share)
	}
}

// addShift adds the gradient of the shares of layer l.
func (p *Pass) addShift(l int) {
	acts, grad := &p.layers[l], p.grads.layer(l)[tensorShift].Data
	for _, s := range p.batch {
		for i := s.row + 1; i < s.row+s.rows; i++ {
			addProduct(grad, acts.normed.row(i-1), acts.dIn.row(i))
		}
	}
}
