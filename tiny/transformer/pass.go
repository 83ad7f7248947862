package transformer

import "fmt"

// A Pass takes micro-batches through a model: forward to log-probabilities, and backward
// to gradients. It reuses its memory from one batch to the next. Only one goroutine may
// use it at a time; it uses all processors itself.
//
// The caller computes the loss from the log-probabilities: for supervised training
// dL/dlogprob is -1/n; policy gradients have another one.
type Pass struct {
	model *Model
	grads *Model
	turns rotation

	plan
	scores Scores    // the result of Forward
	flat   []float32 // memory of scores
	byRow  rowScores // the scores by row
	dByRow rowScores // derivatives by these

	weights []packing // of each matrix but embed, for the forward pass
	flipped []packing // of each matrix but embed, transposed
	layers  []layerActs
	stream  matrix // residual stream on the way forward, its gradient on the way back
	last    matrix // normalised stream before the head
	lastInv []float32
	probs   matrix // probabilities, then gradients of the logits; rows × Vocab
	scratch []scratch
	jobs    []gradJob
	ready   bool // Forward without Backward so far
}

// Scores holds a model's predictions for sequences. Entry [s][t] belongs to token t of
// sequence s; [s][0] is zero, as nothing predicts the first token.
type Scores struct {
	LogProbs  [][]float32 // natural log of the probability of the token given those before, at temperature 1
	Entropies [][]float32 // entropy of the distribution that predicts the token, in nats
}

// rowScores holds the log-probability of each row's next token and the entropy of its
// distribution.
type rowScores struct{ logProbs, entropies []float32 }

// resize makes room for the given number of rows.
func (r *rowScores) resize(rows int) {
	r.logProbs, r.entropies = grown(r.logProbs, rows), grown(r.entropies, rows)
}

// layerActs holds the activations of one layer, and the inputs for the gradients of its
// matrices.
type layerActs struct {
	normed        matrix    // normalised stream before attention
	in            matrix    // the same, plus the share of the preceding token
	mid           matrix    // normalised stream before the perceptron
	inInv, midInv []float32 // factors of normed and mid
	qkv           matrix    // queries and keys rotated, values
	probs         []float32 // attention probabilities: per sequence, head and row
	mixed         matrix    // attended values
	hidden        matrix    // positive part of hidden units
	square        matrix    // its square

	dIn                       matrix // gradient of in
	dQKV, dMid, dHidden, dOut matrix // gradients of the outputs of qkv, out, up and down
}

// scratch is the memory of one goroutine.
type scratch struct {
	dIn, dMixed matrix
	keys        packing // of one head; on the way back, its values
	dProbs      matrix
}

// minShard is the number of rows at which a shard is large enough.
const minShard = 48

// NewPass returns a pass through m. Each Forward reads the parameters of m again.
func NewPass(m *Model) *Pass {
	c := m.config
	grads, err := blank(c)
	if err != nil {
		panic("transformer: a model with invalid sizes")
	}
	return &Pass{
		model: m, grads: grads, turns: newRotation(c), plan: plan{heads: c.Heads},
		weights: make([]packing, len(m.tensors)), flipped: make([]packing, len(m.tensors)),
		layers: make([]layerActs, c.Layers),
	}
}

// Grads returns the gradients that Backward added up, in the model's layout. They belong
// to the pass; the caller may change them and must clear them after use.
func (p *Pass) Grads() []float32 { return p.grads.params }

// Gradients returns Grads tensor by tensor.
func (p *Pass) Gradients() []Tensor { return p.grads.tensors }

// Forward scores every token but the first of every sequence. Sequences have at least one
// token and at most Context; for a longer one it returns [ErrContext]. It does not retain
// the batch. The scores are valid until the next Forward.
//
// Forward computes a common beginning of adjacent sequences, such as the prompt of a
// group of samples, only once; that does not change a bit of the scores.
//
// Memory grows with the tokens of the largest batch: about 4·(18·Width + 3·Hidden +
// Heads·sequence length)·Layers bytes for each.
func (p *Pass) Forward(batch [][]int32) (Scores, error) {
	p.ready = false
	for s, tokens := range batch {
		if len(tokens) == 0 {
			return Scores{}, fmt.Errorf("sequence %d is empty", s)
		}
		if err := p.model.config.checkTokens(tokens); err != nil {
			return Scores{}, fmt.Errorf("sequence %d: %w", s, err)
		}
	}
	p.lay(batch)
	p.prepare()
	parallel(len(p.weights)-1, workers(), func(_, i int) { p.packWeights(i + 1) })
	parallel(len(p.shards), len(p.scratch), func(w, i int) { p.forward(p.shards[i], &p.scratch[w]) })
	p.collect()
	p.ready = true
	return p.scores, nil
}

// collect gives each sequence its scores.
func (p *Pass) collect() {
	total := 0
	for _, at := range p.batch {
		total += at.all() + 1
	}
	p.flat = grown(p.flat, 2*total)
	rest := p.flat
	p.scores.LogProbs, p.scores.Entropies = p.scores.LogProbs[:0], p.scores.Entropies[:0]
	for _, at := range p.batch {
		n := at.all() + 1
		logProbs, entropies := rest[:n:n], rest[n:2*n:2*n]
		logProbs[0], entropies[0] = 0, 0
		at.gather(logProbs[1:], p.byRow.logProbs)
		at.gather(entropies[1:], p.byRow.entropies)
		p.scores.LogProbs, p.scores.Entropies = append(p.scores.LogProbs, logProbs), append(p.scores.Entropies, entropies)
		rest = rest[2*n:]
	}
}

// gather copies the values of a sequence's rows.
func (s span) gather(to, byRow []float32) {
	copy(to[copy(to, byRow[s.trunk:][:s.shared]):], byRow[s.row:][:s.rows])
}

// prepare makes room for the batch.
func (p *Pass) prepare() {
	c, rows := p.model.config, len(p.tokens)
	for i := range p.layers {
		l := &p.layers[i]
		for _, m := range []*matrix{&l.normed, &l.in, &l.mid, &l.mixed, &l.dIn, &l.dMid, &l.dOut} {
			m.resize(rows, c.Width)
		}
		for _, m := range []*matrix{&l.hidden, &l.square, &l.dHidden} {
			m.resize(rows, c.Hidden)
		}
		l.qkv.resize(rows, 3*c.Width)
		l.dQKV.resize(rows, 3*c.Width)
		l.inInv, l.midInv = grown(l.inInv, rows), grown(l.midInv, rows)
		l.probs = grown(l.probs, p.probsAt)
	}
	p.stream.resize(rows, c.Width)
	p.last.resize(rows, c.Width)
	p.lastInv = grown(p.lastInv, rows)
	p.probs.resize(rows, c.Vocab)
	p.byRow.resize(rows)
	p.dByRow.resize(rows)
	for len(p.scratch) < workers() {
		p.scratch = append(p.scratch, scratch{})
	}
}

// grown returns s with length n, in its own memory if that suffices.
func grown(s []float32, n int) []float32 {
	if n > cap(s) {
		return make([]float32, n, n+n/4)
	}
	return s[:n]
}

// packWeights packs tensor i both ways.
func (p *Pass) packWeights(i int) {
	t := p.model.tensors[i].matrix()
	switch {
	case i == 1: // head: rows are outputs
		p.weights[i].packTransposed(t)
		p.flipped[i].pack(t)
	case !isShift(i):
		p.weights[i].pack(t)
		p.flipped[i].packTransposed(t)
	}
}

// forward takes the rows of one shard from tokens to scores.
func (p *Pass) forward(s shard, w *scratch) {
	lo, hi := s.row, s.row+s.rows
	x := p.stream.between(lo, hi)
	embed := p.model.embed().matrix()
	for i := range x.rows {
		copy(x.row(i), embed.row(int(p.tokens[lo+i])))
	}
	for l := range p.layers {
		acts, weights := &p.layers[l], p.weights[2+l*layerTensors:]
		in, qkv, mixed := acts.in.between(lo, hi), acts.qkv.between(lo, hi), acts.mixed.between(lo, hi)
		normalise(acts.normed.between(lo, hi), x, acts.inInv[lo:])
		for i := s.first; i < s.end; i++ {
			acts.shift(p.spans[i], p.model.layer(l)[tensorShift].Data)
		}
		multiply(qkv, in, &weights[tensorQKV], false)
		for i := s.first; i < s.end; i++ {
			p.attend(acts, p.spans[i], w)
		}
		multiply(x, mixed, &weights[tensorOut], true)

		mid, hidden, square := acts.mid.between(lo, hi), acts.hidden.between(lo, hi), acts.square.between(lo, hi)
		normalise(mid, x, acts.midInv[lo:])
		multiply(hidden, mid, &weights[tensorUp], false)
		for i := range s.rows {
			squareReLU(square.row(i), hidden.row(i))
		}
		multiply(x, square, &weights[tensorDown], true)
	}
	last, probs := p.last.between(lo, hi), p.probs.between(lo, hi)
	normalise(last, x, p.lastInv[lo:])
	multiply(probs, last, &p.weights[1], false)
	for i := lo; i < hi; i++ {
		p.score(i)
	}
}
