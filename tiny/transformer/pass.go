package transformer

import "fmt"

// A Pass takes micro-batches through a model: forward to log-probabilities, and backward
// to gradients. It reuses its memory from one batch to the next. Only one goroutine may
// use it at a time; it uses all processors itself.
//
// The caller computes the loss from the log-probabilities: for supervised training
// dL/dlogprob is -1/n; policy gradients have another one.
type Pass struct {
	grads *Model
	turns rotation
	net   *network
	pool  *workerPool

	plan
	constant plan      // rows of constant beginnings
	scores   Scores    // the result of Forward
	flat     []float32 // memory of scores
	byRow    rowScores // the scores by row
	dByRow   rowScores // derivatives by these

	layers     []layerActs
	brief      layerActs // of constant rows, for any layer
	beginnings int       // rows of constant beginnings one after the other, with those that they share
	before     matrix    // residual stream of constant rows
	stream     matrix    // residual stream on the way forward, its gradient on the way back
	lastNormed matrix    // normalised stream before the head
	last       matrix    // the same with gains
	lastInv    []float32
	probs      matrix // probabilities, then gradients of the logits; rows × Vocab
	scratch    []scratch
	jobs       []gradJob
	ready      bool // Forward without Backward so far
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
	in            matrix    // the same, with gains, or plus the share of the preceding token
	midNormed     matrix    // normalised stream before the perceptron
	mid           matrix    // the same with gains
	inInv, midInv []float32 // factors of normed and midNormed
	qkv           matrix    // queries and keys rotated, values
	constant      matrix    // the same of constant rows
	qk            matrix    // queries and keys normalised, without gains
	qkInv         []float32 // factors of these, head by head
	probs         []float32 // attention probabilities: per sequence, head and row
	mixed         matrix    // attended values
	hidden        matrix    // positive part of hidden units; or gates and units
	square        matrix    // its square; or the product of both

	dIn                       matrix // gradient of in
	dQKV, dMid, dHidden, dOut matrix // gradients of the outputs of qkv, out, up and down
}

// scratch is the memory of one goroutine.
type scratch struct {
	dIn, dMixed, dSquare matrix
	keys                 packing // of one head; on the way back, its values
	dProbs               matrix
	line                 []float32 // of one row
}

// minShard is the number of rows at which a shard is large enough.
const minShard = 48

// NewPass returns a pass through m. Each Forward reads the trained parameters of m again.
func NewPass(m *Model) *Pass {
	c := m.config
	grads, err := blank(c)
	if err != nil {
		panic("transformer: a model with invalid sizes")
	}
	return &Pass{
		grads: grads, turns: newRotation(c), net: newNetwork(m), pool: newWorkerPool(),
		plan: plan{heads: c.Heads}, constant: plan{heads: c.Heads}, layers: make([]layerActs, c.Layers),
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
// The first fixed[s] tokens of sequence s are constant: they have no scores (zero), and Backward
// takes no gradient through them; nil: none are. Only a model with adapters may have any.
//
// Forward computes a common beginning of adjacent sequences, such as the prompt of a
// group of samples, only once; that does not change a bit of the scores.
//
// Memory grows with the tokens of the largest batch: about 4·(18·Width + 3·Hidden +
// Heads·sequence length)·Layers bytes for each; with adapters 4·(5·Width + 2·Hidden + Heads·sequence
// length)·Layers + 4·Vocab, and 8·Width·Layers for a constant one.
func (p *Pass) Forward(batch [][]int32, fixed []int) (Scores, error) {
	p.ready = false
	for s, tokens := range batch {
		if len(tokens) == 0 {
			return Scores{}, fmt.Errorf("sequence %d is empty", s)
		}
		if err := p.net.config.checkTokens(tokens); err != nil {
			return Scores{}, fmt.Errorf("sequence %d: %w", s, err)
		}
	}
	all := team{pool: p.pool}
	if p.net.model.base == nil {
		p.lay(batch)
	} else {
		if fixed == nil {
			fixed = make([]int, len(batch))
		}
		p.beginnings = p.layAfter(batch, fixed, &p.constant)
	}
	p.prepare()
	p.net.load(p.net.model, p.net.model.base == nil, all)
	for _, s := range p.constant.shards {
		p.begin(s, all)
	}
	p.eachShard(p.forward)
	p.collect()
	p.ready = true
	return p.scores, nil
}

// eachShard takes every shard through f: each in one goroutine, or one after the other with all processors.
func (p *Pass) eachShard(f func(s shard, t team)) {
	if p.net.model.base == nil {
		p.pool.do(len(p.shards), func(w, i int) { f(p.shards[i], team{worker: w}) })
		return
	}
	for _, s := range p.shards {
		f(s, team{pool: p.pool})
	}
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
	if s.constant {
		clear(to[:s.shared])
	} else {
		copy(to, byRow[s.trunk:][:s.shared])
	}
	copy(to[s.shared:], byRow[s.row:][:s.rows])
}

// prepare makes room for the batch.
func (p *Pass) prepare() {
	c, rows := p.net.config, len(p.tokens)
	for i := range p.layers {
		l, first := &p.layers[i], &p.layers[0]
		if c.Rank > 0 && i > 0 { // the way back makes them again
			l.in, l.mid, l.square = first.in, first.mid, first.square
		}
		l.prepare(c, rows, p.probsAt)
		l.constant.resize(p.beginnings, c.qkvWidth())
		if c.Rank > 0 && i > 0 { // gradients are used at once
			l.dIn, l.dQKV, l.dHidden = first.dIn, first.dQKV, first.dHidden
			continue
		}
		l.dIn.resize(rows, c.Width)
		l.dHidden.resize(rows, c.upWidth())
		l.dQKV.resize(rows, c.qkvWidth())
		if c.Rank == 0 {
			l.dMid.resize(rows, c.Width)
			l.dOut.resize(rows, c.Width)
		}
	}
	p.brief.prepare(c, len(p.constant.tokens), p.constant.probsAt)
	p.before.resize(len(p.constant.tokens), c.Width)
	p.stream.resize(rows, c.Width)
	p.last.resize(rows, c.Width)
	if c.Rank > 0 {
		p.lastNormed.resize(rows, c.Width)
	} else {
		p.lastNormed = p.last
	}
	p.lastInv = grown(p.lastInv, rows)
	p.probs.resize(rows, c.Vocab)
	p.byRow.resize(rows)
	p.dByRow.resize(rows)
	for len(p.scratch) < p.pool.size() {
		p.scratch = append(p.scratch, scratch{line: make([]float32, max(c.Hidden, c.headWidth()))})
	}
}

// prepare makes room for what goes forward.
func (acts *layerActs) prepare(c Config, rows, probs int) {
	for _, m := range []*matrix{&acts.normed, &acts.in, &acts.mid} {
		m.resize(rows, c.Width)
	}
	if c.Rank > 0 {
		acts.midNormed.resize(rows, c.Width)
	} else {
		acts.midNormed = acts.mid
	}
	if c.QKNorm {
		heads := c.Heads + c.kvHeads()
		acts.qk.resize(rows, heads*c.headWidth())
		acts.qkInv = grown(acts.qkInv, rows*heads)
	}
	acts.qkv.resize(rows, c.qkvWidth())
	acts.mixed.resize(rows, c.mixedWidth())
	acts.hidden.resize(rows, c.upWidth())
	acts.square.resize(rows, c.Hidden)
	acts.inInv, acts.midInv = grown(acts.inInv, rows), grown(acts.midInv, rows)
	acts.probs = grown(acts.probs, probs)
}

// grown returns s with length n, in its own memory if that suffices.
func grown(s []float32, n int) []float32 {
	if n > cap(s) {
		if cap(s) == 0 { // many never grow
			return make([]float32, n)
		}
		return make([]float32, n, n+n/4)
	}
	return s[:n]
}
