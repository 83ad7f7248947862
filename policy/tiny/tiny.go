// Package tiny is the embedded policy: a small transformer in this process, with a
// vocabulary of characters and tags. It needs no server, no key and no download.
//
// A conversation is rendered as the format page docs/formats/vocabulary.md says:
// a message is the token of its role, its content and [End]. A reply begins behind
// [Assistant], which belongs to what is read, and ends with [End], which is sampled.
package tiny

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/transformer"
)

// Options say how a policy works. The zero value is ready.
type Options struct {
	// MaxSequences is the number of samples that are under way at once; the others
	// wait. 0: 128. Each of their tokens takes 8·Width·Layers bytes of the model's
	// sizes; those that samples of a request have in common take it once.
	MaxSequences int

	Seed uint64 // names the streams of chance
}

// Policy implements [quintain.Policy] with a [transformer.Model]. One batcher, which
// is [Policy.Run], takes all samples that are under way a token further at a time.
// Samples join and leave between the tokens of others. The samples of a request go through
// the model once as long as their tokens are the same: all of them while they read the
// prompt, and those that drew alike after that, also when weights arrive while they are
// under way. A later turn goes on with what the turn before left in its slot, where no
// other sample has taken that.
//
// What is sampled depends on the seed, the weights and the request alone: each sample
// has a stream of chance named by the seed, the request's Key, the number of its
// messages and the place of the sample, and the model's arithmetic does not depend on
// what else is in the batch. Where weights arrive in the middle of a sample, it also
// depends on the token at which they do.
//
// Many goroutines may use a Policy.
type Policy struct {
	config  transformer.Config
	options Options
	decoder *transformer.Decoder // of the goroutine in Run
	wake    chan struct{}        // holds one while there may be something in inbox
	calls   sync.WaitGroup       // of Sample, that have a job
	sampled atomic.Int64

	mu      sync.Mutex
	inbox   []*job // that Run has not taken yet
	started bool
	ended   error // why no job is taken any more; nil: they are
	version int32 // of the weights that were set last
	next    *transformer.Model
	spare   []*transformer.Model // memory for next
}

// New returns a policy that samples from a copy of m, whose vocabulary has [Size]
// tokens. Version is that of m's weights, in the count of the trainer.
func New(m *transformer.Model, version int32, o Options) (*Policy, error) {
	if o.MaxSequences == 0 {
		o.MaxSequences = 128
	}
	if err := checkModel(m); err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	decoder, err := transformer.NewDecoder(m, o.MaxSequences)
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	return &Policy{
		config: m.Config(), options: o, version: version,
		decoder: decoder, wake: make(chan struct{}, 1),
	}, nil
}

// ErrEnded is the error for a request that the policy can no longer answer, as its Run
// has returned or is about to.
var ErrEnded = errors.New("tiny: the policy has ended")

// Sample implements [quintain.Policy]. It waits for [Policy.Run] to sample.
//
// The log-probabilities are those of the model itself, at temperature 1 and with
// nothing left out, whatever the request's Sampling: what a forward pass of training
// gives for the same weights, within 1e-4. At temperature 1, without top-p and top-k,
// they are also those of the distribution that was sampled from.
//
// A reply ends with [End] (Stop), or when MaxTokens or the model's context is used up
// (Length). A conversation that leaves no room in the context for a reply is not
// sampled from: its samples have Length and no tokens, and what they Read may exceed
// the context. No token that was sampled ever stands beyond the context.
func (p *Policy) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := policy.Check(r); err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	j, err := p.newJob(r)
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	if j.room < 1 {
		return j.unsampled(), nil
	}
	if err := p.enter(j); err != nil {
		return nil, err
	}
	defer p.calls.Done()
	select {
	case <-j.done:
	case <-ctx.Done():
		p.cut(j)
		<-j.done
	}
	switch {
	case j.err != nil:
		return nil, j.err
	case j.whole():
		return j.samples(), nil
	}
	samples := j.samples()
	for k := range samples {
		samples[k].Finish = quintain.Aborted
	}
	return samples, context.Cause(ctx)
}

// Sampled is the number of tokens that were sampled so far.
func (p *Policy) Sampled() int64 { return p.sampled.Load() }

// enter hands a job to Run, and counts the call.
func (p *Policy) enter(j *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return p.ended
	}
	p.calls.Add(1)
	p.inbox = append(p.inbox, j)
	select {
	case p.wake <- struct{}{}:
	default: // Run looks soon in any case
	}
	return nil
}

// cut asks for the end of a job: at once where Run has not taken it, by its next
// token otherwise.
func (p *Policy) cut(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, waiting := range p.inbox {
		if waiting == j {
			p.inbox = append(p.inbox[:i], p.inbox[i+1:]...)
			close(j.done)
			return
		}
	}
	j.cut.Store(true)
}

// take appends to waiting the jobs that came in.
func (p *Policy) take(waiting []*job) []*job {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting = append(waiting, p.inbox...)
	clear(p.inbox)
	p.inbox = p.inbox[:0]
	return waiting
}

// Run samples until ctx is done, which is no error. When it returns, every call of
// Sample that waited for it has its answer, an [ErrEnded] where it had none yet, and
// all later ones get that too. It may be called once.
func (p *Policy) Run(ctx context.Context) error {
	p.mu.Lock()
	again := p.started
	p.started = true
	p.mu.Unlock()
	if again {
		return errors.New("tiny: the policy is run a second time")
	}
	b := newBatch(p)
	err := b.run(ctx)
	why := fmt.Errorf("%w: %w", ErrEnded, context.Cause(ctx))
	if err != nil {
		why = fmt.Errorf("%w: %w", ErrEnded, err)
	}
	p.mu.Lock()
	p.ended = why
	b.waiting = append(b.waiting, p.inbox...)
	p.inbox = nil
	p.mu.Unlock()
	b.end(why)
	p.calls.Wait()
	return err
}
