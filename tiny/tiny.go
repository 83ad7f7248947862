// Package tiny is the embedded policy: a transformer in this process, with its [Vocabulary] and its
// [Learner]. It needs no server and no key; the starter, whose vocabulary is [Own], needs no download either.
//
// The page docs/formats/vocabulary.md describes how it renders a conversation: a message
// is the token of its role, its content and [End]. A reply begins after [Assistant],
// which the policy reads, and ends with [End], which it samples. A language model has its own
// template and tokenizer instead, a [Chat].
package tiny

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// Options configure a policy. The zero value is ready to use.
type Options struct {
	// MaxSequences is the number of samples in progress at once; further ones wait. 0:
	// 128. Each of their tokens takes 8·Width·Layers bytes, in the model's sizes. Tokens
	// shared by the samples of a request count once.
	MaxSequences int

	Seed uint64 // seed of the random streams

	Vocabulary Vocabulary // of the model; nil: [Own]
}

// Policy implements [quintain.Policy] with a [transformer.Model]. One batcher,
// [Policy.Run], extends all samples in progress by one token at a time. Samples join and
// leave between tokens. Samples of a request pass through the model once while their
// tokens are the same: all of them for the prompt, then those that drew the same tokens,
// even if new weights arrive in between. A later turn reuses the slot of the previous
// turn unless another sample has taken it.
//
// A sample depends only on the seed, the weights and the request. Each has a random
// stream named by the seed, the request's Key, the number of its messages and the
// sample's index, and the model's arithmetic does not depend on the rest of the batch. If
// new weights arrive in the middle of a sample, it also depends on when they arrive.
//
// A Policy is safe for concurrent use.
type Policy struct {
	config  transformer.Config
	options Options
	decoder *transformer.Decoder // belongs to the goroutine in Run
	wake    chan struct{}        // holds one element whenever inbox may have jobs
	calls   sync.WaitGroup       // calls of Sample with a job
	sampled atomic.Int64

	mu      sync.Mutex
	inbox   []*job // jobs not yet taken by Run
	started bool
	ended   error // why no more jobs are accepted; nil: open
	version int32 // of the last SetWeights
	next    *transformer.Model
	spare   []*transformer.Model // memory for next
}

// New returns a policy that samples from a copy of m, a model with the tokens of the vocabulary. Version
// is the trainer's version of m's weights.
func New(m *transformer.Model, version int32, o Options) (*Policy, error) {
	if o.MaxSequences == 0 {
		o.MaxSequences = 128
	}
	if o.Vocabulary == nil {
		o.Vocabulary = Own{}
	}
	if err := checkModel(m, o.Vocabulary); err != nil {
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

// ErrEnded answers a request after the policy's Run has returned or while it is
// returning.
var ErrEnded = errors.New("tiny: the policy has ended")

// Sample implements [quintain.Policy]. It waits until [Policy.Run] has sampled.
//
// The log-probabilities are the model's own, at temperature 1 and over all tokens,
// whatever the request's Sampling. A training forward pass gives the same for the same
// weights, within 1e-4. At temperature 1, without top-p and top-k, they are also those of
// the sampling distribution.
//
// A reply ends with a token that [Vocabulary].Ends (Stop), or with the last token of MaxTokens or of the model's
// context (Length). A conversation that fills the context is a [quintain.ErrNoRoom]: no
// sampled token is ever beyond the context.
func (p *Policy) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := cmp.Or(policy.Check(r), policy.CheckFree(r), policy.CheckText(r)); err != nil {
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
		return nil, fmt.Errorf("tiny: the conversation has %d tokens, and the model's context %d: %w", len(j.prompt), p.config.Context, quintain.ErrNoRoom)
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
		return j.samples(false), nil
	}
	return j.samples(true), context.Cause(ctx)
}

// Vocabulary returns that of the model.
func (p *Policy) Vocabulary() Vocabulary { return p.options.Vocabulary }

// Context returns the most tokens of a conversation.
func (p *Policy) Context() int { return p.config.Context }

// Sampled returns the number of tokens sampled so far.
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
	default: // Run will look anyway
	}
	return nil
}

// cut ends a job: at once if Run has not taken it yet, else before its next token.
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

// take appends the new jobs to waiting.
func (p *Policy) take(waiting []*job) []*job {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting = append(waiting, p.inbox...)
	clear(p.inbox)
	p.inbox = p.inbox[:0]
	return waiting
}

// Run samples until ctx is done, which is not an error. Before it returns, it answers
// every waiting call of Sample, if necessary with [ErrEnded]; all later calls get
// [ErrEnded] too. Run may be called only once.
func (p *Policy) Run(ctx context.Context) error {
	p.mu.Lock()
	again := p.started
	p.started = true
	p.mu.Unlock()
	if again {
		return errors.New("tiny: Run was called a second time")
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
