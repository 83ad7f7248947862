package transformer

import (
	"errors"
	"fmt"
	"math"
)

// score turns the logits of one row into probabilities and stores the row's scores.
func (p *Pass) score(i int) {
	row := p.probs.full(i)
	logit := row[p.next[i]]
	all := softmax(row, p.probs.cols, 1)
	p.byRow.logProbs[i] = logit - all.norm()
	p.byRow.entropies[i] = all.entropy()
}

// Backward adds the gradients of a loss to [Pass.Grads]. dLogProbs[s][t] is the
// derivative of the loss by the log-probability of token t of sequence s, as the last
// Forward returned it; it ignores [s][0]. dEntropies is the same for the entropies; nil
// means that the loss does not depend on them. Each Forward allows one Backward.
func (p *Pass) Backward(dLogProbs, dEntropies [][]float32) error {
	if !p.ready {
		return errors.New("backward without forward")
	}
	if err := p.checkShape("log-probabilities", dLogProbs); err != nil {
		return err
	}
	if dEntropies != nil {
		if err := p.checkShape("entropies", dEntropies); err != nil {
			return err
		}
	}
	p.ready = false
	clear(p.dByRow.logProbs)
	clear(p.dByRow.entropies)
	for s, at := range p.batch {
		at.scatter(p.dByRow.logProbs, dLogProbs[s][1:])
		if dEntropies != nil {
			at.scatter(p.dByRow.entropies, dEntropies[s][1:])
		}
	}
	if p.net.model.base != nil {
		p.net.load(p.net.model, true, team{pool: p.pool})
	}
	p.eachShard(p.backward)
	if p.net.config.Rank == 0 {
		p.addGradients()
	}
	return nil
}

// checkShape checks that derivatives have the shape of the batch.
func (p *Pass) checkShape(name string, d [][]float32) error {
	if len(d) != len(p.batch) {
		return fmt.Errorf("derivatives by %s: %d sequences, want %d", name, len(d), len(p.batch))
	}
	for s := range d {
		if n := p.batch[s].all() + 1; len(d[s]) != n {
			return fmt.Errorf("derivatives by %s of sequence %d: %d tokens, want %d", name, s, len(d[s]), n)
		}
	}
	return nil
}

// scatter adds a sequence's values to its rows.
func (s span) scatter(byRow, from []float32) {
	if !s.constant {
		for i, x := range from[:s.shared] {
			byRow[s.trunk+i] += x
		}
	}
	for i, x := range from[s.shared:] {
		byRow[s.row+i] += x
	}
}

// scoreBack turns the probabilities of one row into gradients of its logits.
func (p *Pass) scoreBack(i int) {
	row, d, dEntropy := p.probs.row(i), p.dByRow.logProbs[i], p.dByRow.entropies[i]
	if dEntropy == 0 {
		for j := range row {
			row[j] *= -d
		}
	} else {
		distributionBack(row, d, dEntropy, p.byRow.entropies[i])
	}
	row[p.next[i]] += d
}

// distributionBack turns probabilities into gradients of their logits, without the term
// of the sampled token: by logit j, the log-probability of token k changes by [j=k]-pⱼ,
// and the entropy H by -pⱼ·(log pⱼ + H).
func distributionBack(probs []float32, d, dEntropy, entropy float32) {
	for j, q := range probs {
		if q > 0 {
			probs[j] = -q * (d + dEntropy*(float32(math.Log(float64(q)))+entropy))
		}
	}
}

// A walkBack is a shard on its way back.
type walkBack struct {
	walk
	*scratch        // of the first goroutine
	dx       matrix // gradient of the stream
}

// backward takes the gradients of one shard from logits to embeddings, and leaves the
// inputs for the gradients of the matrices in the layers; those of adapters it adds.
func (p *Pass) backward(s shard, t team) {
	w := walkBack{walk{Pass: p, team: t, shard: s, plan: &p.plan}, &p.scratch[t.worker], p.stream.between(s.row, s.row+s.rows)}
	c := p.net.config
	w.dIn.resize(s.rows, c.Width)
	w.dMixed.resize(s.rows, c.mixedWidth())
	w.dSquare.resize(s.rows, c.Hidden)
	t.rows(s.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			p.scoreBack(s.row + i)
			clear(w.dx.row(i))
		}
	})
	p.net.head.backward(w.dIn, w.rowsOf(p.probs), t)
	w.normaliseBack(p.net.last, w.rowsOf(p.lastNormed), p.lastInv[s.row:])
	for l := len(p.layers) - 1; l >= 0; l-- {
		w.acts, w.block = &p.layers[l], &p.net.layers[l]
		w.perceptronBack()
		w.attentionBack(l)
	}
}

// normaliseBack adds to dx what reaches it through a normalisation with gains; dIn has the gradient of the
// result, and normed the result without gains.
func (w *walkBack) normaliseBack(gains []float32, normed matrix, inv []float32) {
	w.team.rows(w.dx.rows, func(lo, hi int) {
		d := w.dIn.between(lo, hi)
		for i := range d.rows {
			if gains != nil {
				setProduct(d.row(i), d.row(i), gains)
			}
		}
		normaliseBack(w.dx.between(lo, hi), d, normed.between(lo, hi), inv[lo:])
	})
}

// perceptronBack takes dx back through the perceptron.
func (w *walkBack) perceptronBack() {
	acts, dHidden, hidden := w.acts, w.rowsOf(w.acts.dHidden), w.rowsOf(w.acts.hidden)
	if w.net.config.Rank > 0 {
		w.block.down.backward(w.dSquare, w.dx, w.team)
		square := w.rowsOf(acts.square)
		w.eachRow(w.dx.rows, func(s *scratch, i int) {
			gate(square.row(i), hidden.row(i), s.line)
			gateBack(dHidden.row(i), w.dSquare.row(i), hidden.row(i), s.line)
		})
		w.addAdapters(&w.block.down, square, w.dx)
	} else {
		w.rowsOf(acts.dOut).copyFrom(w.dx)
		w.block.down.backward(dHidden, w.dx, w.team)
		for i := range hidden.rows {
			squareReLUBack(dHidden.row(i), hidden.row(i))
		}
	}
	w.block.up.backward(w.dIn, dHidden, w.team)
	w.addAdapters(&w.block.up, w.gained(acts.mid, acts.midNormed, w.block.mid), dHidden)
	w.normaliseBack(w.block.mid, w.rowsOf(acts.midNormed), acts.midInv[w.row:])
}

// gained makes the shard's rows of a normalised stream with gains again, if there are any.
func (w *walkBack) gained(to, normed matrix, gains []float32) matrix {
	to, normed = w.rowsOf(to), w.rowsOf(normed)
	if gains != nil {
		w.team.rows(to.rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				setProduct(to.row(i), normed.row(i), gains)
			}
		})
	}
	return to
}

// attentionBack takes dx back through the attention of layer l.
func (w *walkBack) attentionBack(l int) {
	acts, dIn := w.acts, w.rowsOf(w.acts.dIn)
	if w.block.share != nil {
		w.rowsOf(acts.dMid).copyFrom(w.dx)
	}
	w.block.out.backward(w.dMixed, w.dx, w.team)
	w.addAdapters(&w.block.out, w.rowsOf(acts.mixed), w.dx)
	spans := w.plan.spans[w.first:w.end]
	w.each(len(spans), func(worker, i int) {
		s := spans[i]
		w.attendBack(acts, s, w.dMixed.between(s.row-w.row, s.row-w.row+s.rows), &w.Pass.scratch[worker])
	})
	w.each(len(spans), func(worker, i int) { w.turnBack(l, spans[i], w.Pass.scratch[worker].line) })
	w.block.qkv.backward(dIn, w.rowsOf(acts.dQKV), w.team)
	w.addAdapters(&w.block.qkv, w.gained(acts.in, acts.normed, w.block.in), w.rowsOf(acts.dQKV))
	w.dIn.copyFrom(dIn)
	if w.block.share != nil {
		for _, s := range spans {
			acts.shiftBack(w.dIn, w.row, s, w.block.share)
		}
	}
	w.normaliseBack(w.block.in, w.rowsOf(acts.normed), acts.inInv[w.row:])
}

// addAdapters adds the gradients of the adapters of a linear, given its input and the gradient of its output.
func (w *walkBack) addAdapters(l *linear, x, dy matrix) {
	if l.ups == nil {
		return
	}
	w.jobs = appendJobs(w.jobs[:0], w.grads.tensors[l.down.tensor], x, l.dRanks)
	for i, up := range l.ups {
		w.jobs = appendJobs(w.jobs, w.grads.tensors[up.tensor], l.ranks.columns(i*up.w.k, up.w.k), dy.columns(up.at, up.w.n))
	}
	w.each(len(w.jobs), func(_, i int) { w.jobs[i].add() })
}

// A gradJob computes one or two panels of the gradient of one matrix: inᵀ·out.
type gradJob struct{ grad, in, out matrix }

func (j gradJob) add() {
	for lo := 0; lo < j.in.rows; lo += depth {
		hi := min(lo+depth, j.in.rows)
		mulPanels(j.grad, j.in.between(lo, hi).turned(), j.out.between(lo, hi).panels(j.grad.cols/lanes), true)
	}
}

// addGradients adds the gradients of all tensors. Each sum runs over the rows of the
// whole batch in a fixed order, whichever goroutine computes it.
func (p *Pass) addGradients() {
	p.jobs = appendJobs(p.jobs[:0], p.grads.head(), p.probs, p.last)
	for l := range p.layers {
		acts, grads := &p.layers[l], p.grads.layer(l)
		p.jobs = appendJobs(p.jobs, grads[tensorQKV], acts.in, acts.dQKV)
		p.jobs = appendJobs(p.jobs, grads[tensorOut], acts.mixed, acts.dMid)
		p.jobs = appendJobs(p.jobs, grads[tensorUp], acts.mid, acts.dHidden)
		p.jobs = appendJobs(p.jobs, grads[tensorDown], acts.square, acts.dOut)
	}
	others := 1 + len(p.layers)
	p.pool.do(others+len(p.jobs), func(_, i int) {
		switch {
		case i == 0:
			p.addEmbedding()
		case i < others:
			p.addShift(i - 1)
		default:
			p.jobs[i-others].add()
		}
	})
}

// appendJobs adds the jobs of one tensor to list.
func appendJobs(list []gradJob, t Tensor, in, out matrix) []gradJob {
	for j := 0; j < t.Cols; j += 2 * lanes {
		n := min(2*lanes, t.Cols-j)
		list = append(list, gradJob{t.matrix().columns(j, n), in, out.columns(j, n)})
	}
	return list
}

// addEmbedding adds the gradient of every row to that of its token.
func (p *Pass) addEmbedding() {
	embed := p.grads.embed().matrix()
	for i, token := range p.tokens {
		addScaled(embed.row(int(token)), p.stream.row(i), 1)
	}
}
