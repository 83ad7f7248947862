package tiny

import (
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A batch holds the samples in progress. It belongs to one goroutine. Between two rounds,
// the slot of each live sequence holds the sequence's tokens before fed.
type batch struct {
	policy   *Policy
	decoder  *transformer.Decoder
	version  int32
	waiting  []*job      // waiting for slots, in order of arrival
	live     []*sequence // those of a job are adjacent
	free     []int       // slots, in the order of becoming free
	held     [][]int32   // by slot: the tokens still in a free slot; nil for other slots
	feeds    []transformer.Feed
	samplers []transformer.Sampler // one per goroutine of the decoder
}

// newBatch returns an empty batch.
func newBatch(p *Policy) *batch {
	b := &batch{policy: p, decoder: p.decoder, version: p.Version(), samplers: make([]transformer.Sampler, p.decoder.Workers())}
	b.held = make([][]int32, p.decoder.Slots())
	for slot := range p.decoder.Slots() {
		b.free = append(b.free, slot)
	}
	return b
}

// run repeats rounds until ctx is done or the decoder fails.
func (b *batch) run(ctx context.Context) error {
	for b.await(ctx) {
		if err := b.round(); err != nil {
			return fmt.Errorf("tiny: %w", err)
		}
	}
	return nil
}

// await waits until there may be work, and returns false when ctx is done.
func (b *batch) await(ctx context.Context) bool {
	if len(b.live) == 0 && len(b.waiting) == 0 {
		select {
		case <-ctx.Done():
		case <-b.policy.wake:
		}
	}
	return ctx.Err() == nil
}

// round takes in new jobs and weights, and samples one token of each sequence.
func (b *batch) round() error {
	b.waiting = b.policy.take(b.waiting)
	b.join()
	if err := b.refresh(); err != nil {
		return err
	}
	if err := b.feed(); err != nil {
		return err
	}
	b.draw()
	b.part()
	b.sweep()
	return nil
}

// join gives slots to waiting jobs while there are enough for all samples of the first
// one. If the samples of a job join together, the model reads its prompt only once.
func (b *batch) join() {
	for len(b.waiting) > 0 {
		j := b.waiting[0]
		left := j.request.N - len(j.sequences)
		if len(b.free) < min(left, b.decoder.Slots()) {
			return
		}
		first := j.add(b.claim(j))
		b.live = append(b.live, first)
		for range min(left-1, len(b.free)) {
			s := j.add(b.take(0), 0)
			s.lead = first
			b.live = append(b.live, s)
		}
		if len(j.sequences) == j.request.N {
			b.waiting = b.waiting[1:]
		}
	}
}

// claim returns a free slot for a sequence of j, and how many of j's tokens it already
// holds: a later turn finds the slot of the previous turn if that is still free.
func (b *batch) claim(j *job) (slot, fed int) {
	at := 0
	for i, slot := range b.free {
		if n := len(b.held[slot]); n > fed && n <= len(j.request.Context) && slices.Equal(b.held[slot], j.prompt[:n]) {
			at, fed = i, n
		}
	}
	slot = b.take(at)
	if fed == 0 {
		b.decoder.Reset(slot)
	}
	return slot, fed
}

// take removes free[at] from the free slots and returns it.
func (b *batch) take(at int) int {
	slot := b.free[at]
	b.free = slices.Delete(b.free, at, at+1)
	b.held[slot] = nil
	return slot
}

// refresh loads new weights, if any, and then empties all slots.
func (b *batch) refresh() error {
	m, version := b.policy.takeWeights()
	if m == nil {
		return nil
	}
	if err := b.decoder.Load(m); err != nil {
		return fmt.Errorf("weights of version %d: %w", version, err)
	}
	b.version = version
	clear(b.held)
	for _, s := range b.live {
		s.fed = 0
	}
	b.policy.giveBack(m)
	return nil
}

// feed gives each slot its missing tokens. A new sequence of a model with adapters begins with what it has in common
// with another one, once that one's slot has it.
func (b *batch) feed() error {
	b.feeds = b.feeds[:0]
	var later []*sequence
	for i, s := range b.live {
		if s.lead != nil {
			continue
		}
		if _, n := b.alike(s, b.live[:i]); n >= minAlike {
			later = append(later, s)
		} else {
			b.give(s)
		}
	}
	if err := b.decoder.Extend(b.feeds...); err != nil {
		return err
	}
	b.feeds = b.feeds[:0]
	for _, s := range later {
		from, n := b.alike(s, b.live)
		b.decoder.Begin(s.slot, from.slot, n)
		s.fed = n
	}
	for _, s := range later {
		b.give(s)
	}
	return b.decoder.Extend(b.feeds...)
}

// alike returns the one of others whose fed tokens have the most in common with a sequence in an empty slot, and how
// many; always one less than all, since the last one gives the logits.
func (b *batch) alike(s *sequence, others []*sequence) (from *sequence, n int) {
	if b.policy.config.Rank == 0 || s.fed > 0 {
		return nil, 0
	}
	for _, other := range others {
		if other.lead != nil {
			continue
		}
		same := 0
		for same < min(len(s.tokens)-1, other.fed) && s.tokens[same] == other.tokens[same] {
			same++
		}
		if same > n {
			from, n = other, same
		}
	}
	return from, n
}

// give plans to feed a sequence.
func (b *batch) give(s *sequence) {
	b.feeds = append(b.feeds, transformer.Feed{Slot: s.slot, Tokens: s.tokens[s.fed:]})
	s.fed = len(s.tokens)
}

// minAlike is how many tokens a sequence must have in common with another to begin with them.
const minAlike = 16

// draw samples one token of each sequence, in equal shares of the work.
func (b *batch) draw() {
	shares := max(1, min(len(b.samplers), len(b.live)/minShare))
	b.decoder.Do(shares, func(w, i int) { b.drawShare(&b.samplers[w], i, shares) })
	b.policy.sampled.Add(int64(len(b.live)))
}

// minShare is the smallest number of sequences worth another goroutine.
const minShare = 4

// drawShare samples for share i of shares.
func (b *batch) drawShare(by *transformer.Sampler, i, shares int) {
	n := len(b.live)
	var from *sequence // the sequence whose logits were read last
	var err error
	for _, s := range b.live[i*n/shares : (i+1)*n/shares] {
		if s.source() != from {
			from = s.source()
			err = by.Read(b.decoder.Logits(from.slot), s.job.sampling)
		}
		if s.err = err; err != nil {
			continue
		}
		s.take(by.Draw(s.chance), b.version)
	}
}

// part separates sequences from a sequence with a shared slot once they draw a different
// token or end. Their own slot then gets the tokens of the shared slot before that one.
func (b *batch) part() {
	for i, s := range b.live {
		if s.lead == nil || s.finish == "" && s.last() == s.lead.last() {
			continue
		}
		from := s.lead
		s.lead = nil
		if s.finish == "" {
			s.lead = s.twin(b.live[:i])
		}
		if s.lead == nil {
			b.decoder.Copy(s.slot, from.slot)
			s.fed = from.fed
		}
	}
}

// sweep removes ended and unwanted sequences from the batch, and answers the jobs without
// any left.
func (b *batch) sweep() {
	b.mark()
	kept := b.live[:0]
	for _, s := range b.live {
		if s.finish == "" && !s.job.dropped {
			kept = append(kept, s)
			continue
		}
		b.free = append(b.free, s.slot)
		b.held[s.slot] = s.tokens[:s.fed]
		s.job.leave()
	}
	clear(b.live[len(kept):])
	b.live = kept
	waiting := b.waiting[:0]
	for _, j := range b.waiting {
		if !j.dropped {
			waiting = append(waiting, j)
			continue
		}
		close(j.done) // it has no live sequence
	}
	clear(b.waiting[len(waiting):])
	b.waiting = waiting
}

// mark drops cut jobs and jobs with a failed sample. It handles all jobs before any
// sequence leaves, since a job may be cut at any time.
func (b *batch) mark() {
	for _, j := range b.waiting {
		j.dropped = j.dropped || j.cut.Load()
	}
	for _, s := range b.live {
		j := s.job
		if s.err != nil && j.err == nil {
			j.err = fmt.Errorf("tiny: token %d of a reply: %w", len(s.versions), s.err)
		}
		j.dropped = j.dropped || j.err != nil || j.cut.Load()
	}
}

// end answers all jobs with err.
func (b *batch) end(err error) {
	for _, s := range b.live {
		s.job.err = err
		s.job.leave()
	}
	for _, j := range b.waiting {
		j.err = err
		close(j.done)
	}
	b.live, b.waiting = nil, nil
}
