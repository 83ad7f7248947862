package main

import (
	"math"
	"slices"
)

// A group waits to be trained on.
type group struct {
	version int  // of the weights at its beginning
	length  tick // of its episodes, together
}

// A trainer steps on batches.
type trainer struct {
	version  int
	training bool
	queue    []group // oldest first
	serving  []int   // living workers whose server has a version, by version
	lowest   int     // version that is served
}

// put gives an accepted group to the trainer.
func (f *simulation) put(l *simLease) {
	g := group{l.version, l.work(f.now)}
	for _, d := range l.before {
		g.length += d
	}
	f.sums.groups++
	f.sums.length += g.length
	if f.stale(g) {
		f.drop()
		f.offer()
		return
	}
	f.trainer.queue = append(f.trainer.queue, g)
	f.train()
}

// stale reports whether g is dropped because of its age.
func (f *simulation) stale(g group) bool {
	return f.trainer.version-g.version > f.config.MaxLag && f.rule != staleIsTrained
}

// drop drops a stale group.
func (f *simulation) drop() {
	f.sums.stale++
	f.owner.pending -= f.config.GroupSize
}

// train begins a step, if there is a batch.
func (f *simulation) train() {
	t := &f.trainer
	n := f.config.Batch / f.config.GroupSize
	if t.training || len(t.queue) < n {
		return
	}
	for _, g := range t.queue[:n] {
		lag := t.version - g.version
		f.sums.lag += lag
		f.sums.trained++
		f.sums.trainedLength += g.length
		if lag > f.config.MaxLag {
			f.broken.TooOld++
		}
	}
	t.queue = t.queue[n:]
	t.training = true
	step := math.Round(f.config.Load * float64(f.config.Batch) / f.config.ideal())
	f.at(f.now+max(1, tick(step)), event{kind: stepEnds})
}

// stepEnds has a new version of the weights, which reach one server after another.
func (f *simulation) stepEnds() {
	t := &f.trainer
	t.training = false
	t.version++
	t.serving = append(t.serving, 0)
	f.sums.steps++
	f.owner.pending -= f.config.Batch
	t.queue = slices.DeleteFunc(t.queue, func(g group) bool {
		if !f.stale(g) {
			return false
		}
		f.drop()
		return true
	})
	for _, w := range f.workers {
		f.at(f.now+f.chance.network.exp(f.config.Sync), event{kind: weightsArrive, worker: w, version: t.version})
	}
	f.setRoom()
	f.train()
	f.offer()
}

// weightsArrive has the server of w take a version, unless it has a later one.
func (f *simulation) weightsArrive(w *worker, version int) {
	if version <= w.version {
		return
	}
	if w.alive {
		f.trainer.serving[w.version]--
		f.trainer.serving[version]++
	}
	w.version = version
	f.setRoom()
	f.offer()
}

// setRoom says how many episodes may be under way: fewer by a batch for each version that a
// living worker's server lacks.
func (f *simulation) setRoom() {
	t := &f.trainer
	for t.lowest < t.version && t.serving[t.lowest] == 0 {
		t.lowest++
	}
	f.owner.room = max(0, f.config.MaxLag+1-(t.version-t.lowest)) * f.config.Batch
}
