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
	parallel(len(p.shards), len(p.scratch), func(w, i int) {
		s := p.shards[i]
		for row := s.row; row < s.row+s.rows; row++ {
			p.scoreBack(row)
		}
		p.backward(s, &p.scratch[w])
	})
	p.addGradients()
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
	for i, x := range from[:s.shared] {
		byRow[s.trunk+i] += x
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

// backward takes the gradients of one shard from logits to embeddings, and leaves the
// inputs for the gradients of the matrices in the layers.
func (p *Pass) backward(s shard, w *scratch) {
	lo, hi, c := s.row, s.row+s.rows, p.model.config
	dx := p.stream.between(lo, hi)
	w.dIn.resize(s.rows, c.Width)
	w.dMixed.resize(s.rows, c.Width)
	for i := range dx.rows {
		clear(dx.row(i))
	}
	multiply(w.dIn, p.probs.between(lo, hi), &p.flipped[1], false)
	normaliseBack(dx, w.dIn, p.last.between(lo, hi), p.lastInv[lo:])
	for l := len(p.layers) - 1; l >= 0; l-- {
		acts, flipped := &p.layers[l], p.flipped[2+l*layerTensors:]
		dHidden := acts.dHidden.between(lo, hi)
		acts.dOut.between(lo, hi).copyFrom(dx)
		multiply(dHidden, dx, &flipped[tensorDown], false)
		for i := range s.rows {
			squareReLUBack(dHidden.row(i), acts.hidden.row(lo+i))
		}
		multiply(w.dIn, dHidden, &flipped[tensorUp], false)
		normaliseBack(dx, w.dIn, acts.mid.between(lo, hi), acts.midInv[lo:])

		acts.dMid.between(lo, hi).copyFrom(dx)
		multiply(w.dMixed, dx, &flipped[tensorOut], false)
		for i := s.first; i < s.end; i++ {
			at := p.spans[i]
			p.attendBack(acts, at, w.dMixed.between(at.row-lo, at.row-lo+at.rows), w)
		}
		for i := s.first; i < s.end; i++ {
			p.turnBack(acts, p.spans[i])
		}
		multiply(acts.dIn.between(lo, hi), acts.dQKV.between(lo, hi), &flipped[tensorQKV], false)
		w.dIn.copyFrom(acts.dIn.between(lo, hi))
		for i := s.first; i < s.end; i++ {
			acts.shiftBack(w.dIn, lo, p.spans[i], p.model.layer(l)[tensorShift].Data)
		}
		normaliseBack(dx, w.dIn, acts.normed.between(lo, hi), acts.inInv[lo:])
	}
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
	parallel(others+len(p.jobs), len(p.scratch), func(_, i int) {
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
