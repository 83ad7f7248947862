// Package exact plays with servers that take and give tokens. It renders prompts itself and
// never encodes sampled tokens again.
//
// A [Renderer] turns messages into tokens and replies into text; a [policy.Generator]
// samples tokens. If the server interrupts a reply, to load new weights, say, the policy
// continues it: the reply then has tokens of several versions.
package exact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
)

// A Policy is a [quintain.Policy]. Many goroutines may use it at once.
type Policy struct {
	Settings Settings // change them before the first Sample

	from   policy.Generator
	render Renderer

	resumed, noProbs         atomic.Int64
	clean, realigned, forked atomic.Int64
}

// New returns a policy that renders with r and samples from g, with the default settings.
func New(g policy.Generator, r Renderer) *Policy {
	return &Policy{Settings: Defaults(), from: g, render: r}
}

// Stats counts a policy's replies.
type Stats struct {
	Clean, Realigned, Forked int64 // replies after a conversation's first, by the drift of their prompt

	Resumed    int64 // continuations of replies cut by the server or by a chunk
	NoLogProbs int64 // samples without log-probabilities
}

// Stats returns the counts so far.
func (p *Policy) Stats() Stats {
	return Stats{
		Clean: p.clean.Load(), Realigned: p.realigned.Load(), Forked: p.forked.Load(),
		Resumed: p.resumed.Load(), NoLogProbs: p.noProbs.Load(),
	}
}

// Sample implements [quintain.Policy]. Samples of one request share their Read.
func (p *Policy) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := cmp.Or(policy.Check(r), policy.CheckText(r)); err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	if r.ToolChoice != "" || len(r.Schema) > 0 && !p.from.Can().Schema {
		return nil, fmt.Errorf("exact: %w", policy.CheckFree(r))
	}
	read, err := Read(p.render, r)
	if err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	if len(r.Context) > 0 {
		p.count(read.Drift)
	}
	if does := p.Settings.OnDrift; read.Drift == Forked && (does == Drop || does == Fail) {
		return nil, fmt.Errorf("exact: %w", &DriftError{OnDrift: does, Key: r.Key, Why: read.Why})
	}
	prompt := policy.Prompt{Key: r.Key, Tokens: read.Tokens, N: r.N, Sampling: r.Sampling, Size: p.render.Size(), Stop: r.Stop, Schema: r.Schema, Within: r.Within, Exam: r.Exam}
	if r.Text != nil && r.N == 1 {
		prompt.Sampled = p.telling(r)
	}
	if read.Drift != Forked && len(r.Context) > 0 {
		prompt.Tokens = slices.Concat(r.Context, read.Tokens)
	}
	if most := r.Sampling.MaxTotal; most > 0 {
		room := most - len(prompt.Tokens)
		if room < 1 {
			return nil, fmt.Errorf("exact: the conversation has %s; with the reply it may have %d: %w", stats.Count(len(prompt.Tokens), "token"), most, quintain.ErrNoRoom)
		}
		prompt.Sampling.MaxTokens = min(room, cmp.Or(prompt.Sampling.MaxTokens, room))
	}
	outputs, err := p.draw(ctx, prompt)
	samples := make([]quintain.Sample, 0, len(outputs))
	for _, o := range outputs {
		if o.LogProbs == nil {
			p.noProbs.Add(1)
		}
		stop(p.render, &o, r.Stop)
		samples = append(samples, read.Sample(p.render, r, o, err != nil))
	}
	return samples, err
}

// Read returns the prompt for the reply to r: the given tokens of a first one as they are.
func Read(by Renderer, r quintain.Request) (Rendering, error) {
	if len(r.Tokens) == 0 || len(r.Context) > 0 {
		return by.Render(r)
	}
	for at, t := range r.Tokens {
		if t < 0 || int(t) >= by.Size() {
			return Rendering{}, fmt.Errorf("token %d of the given prompt is %d, outside the vocabulary of %d tokens: is it of another model? %w", at, t, by.Size(), quintain.ErrFinal)
		}
	}
	return Rendering{Tokens: r.Tokens, Drift: Clean}, nil
}

// Sample returns o, an output for this prompt, as a sample of r. If it ends with a stop text, its
// last token completes that. One that was cut is [quintain.Aborted], and calls no tools.
func (read Rendering) Sample(by Renderer, r quintain.Request, o policy.Output, cut bool) quintain.Sample {
	text, whole := texts(by, o, r.Stop)
	if cut {
		o.Finish = quintain.Aborted
	}
	s := quintain.Sample{
		Text: text, Whole: whole, Read: slices.Clip(read.Tokens), Wrote: slices.Clip(o.Tokens),
		LogProbs: slices.Clip(o.LogProbs), Versions: slices.Clip(o.Versions),
		Finish: o.Finish, Fork: read.Drift == Forked, Realigned: read.Drift == Realigned, Vocabulary: by.Vocabulary(), Took: o.Took,
	}
	if !cut && len(r.Tools) > 0 {
		policy.ReadCalls(&s, r, by.Form(), by.Thinking(read.Tokens))
	}
	return s
}

func (p *Policy) count(d Drift) {
	switch d {
	case Realigned:
		p.realigned.Add(1)
	case Forked:
		p.forked.Add(1)
	default:
		p.clean.Add(1)
	}
}

// draw returns p.N outputs, whole unless ctx ends.
func (p *Policy) draw(ctx context.Context, prompt policy.Prompt) ([]policy.Output, error) {
	n := prompt.N
	if n == 1 || p.from.Can().Several && prompt.Sampling.Temperature > 0 {
		outputs, err := p.generate(ctx, prompt)
		if err != nil {
			return outputs, err
		}
		return p.together(ctx, n, func(ctx context.Context, k int) (policy.Output, error) {
			return p.complete(ctx, prompt, outputs[k])
		})
	}
	prompt.N = 1
	return p.together(ctx, n, func(ctx context.Context, _ int) (policy.Output, error) {
		one, err := p.generate(ctx, prompt)
		if err != nil {
			return firstOf(one), err
		}
		return p.complete(ctx, prompt, one[0])
	})
}

// generate samples at most one chunk of tokens. It marks an output that ends with the chunk
// as interrupted there. A reply that keeps to a schema is not cut into chunks.
func (p *Policy) generate(ctx context.Context, prompt policy.Prompt) ([]policy.Output, error) {
	most, chunk := prompt.Sampling.MaxTokens, p.Settings.NewTokensPerChunk
	if len(prompt.Stop) > 0 && !p.from.Can().Stop {
		chunk = min(stopChunk, cmp.Or(chunk, stopChunk))
	}
	if len(prompt.Schema) > 0 || chunk == 0 || most > 0 && most <= chunk {
		return p.fill(ctx, prompt)
	}
	prompt.Sampling.MaxTokens = chunk
	outputs, err := p.fill(ctx, prompt)
	for i := range outputs {
		if o := &outputs[i]; o.Finish == quintain.Length && len(o.Tokens) == chunk {
			o.Finish = quintain.Aborted
		}
	}
	return outputs, err
}

// fill samples up to the limit of tokens, or fewer if the server's context holds fewer:
// servers refuse a limit beyond their context, but without one they fill it.
func (p *Policy) fill(ctx context.Context, prompt policy.Prompt) ([]policy.Output, error) {
	outputs, err := p.from.Generate(ctx, prompt)
	if prompt.Sampling.MaxTokens == 0 || !errors.Is(err, quintain.ErrNoRoom) {
		return outputs, err
	}
	prompt.Sampling.MaxTokens = 0
	return p.from.Generate(ctx, prompt)
}

// together draws n outputs concurrently. The first fault ends all. When ctx ends, it
// returns those that have tokens.
func (p *Policy) together(ctx context.Context, n int, draw func(context.Context, int) (policy.Output, error)) ([]policy.Output, error) {
	outputs := make([]policy.Output, n)
	play, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	one := func(k int) {
		o, err := draw(play, k)
		if outputs[k] = o; err != nil {
			cancel(err)
		}
	}
	var all sync.WaitGroup
	for k := 1; k < n; k++ {
		all.Go(func() { one(k) })
	}
	one(0)
	all.Wait()
	if play.Err() == nil {
		return outputs, nil
	}
	if ctx.Err() == nil {
		return nil, context.Cause(play)
	}
	return slices.DeleteFunc(outputs, func(o policy.Output) bool { return len(o.Tokens) == 0 }), context.Cause(ctx)
}

// complete continues o until it is whole. When ctx ends, it returns the tokens so far and
// the cause. A reply that keeps to a schema begins anew: a server begins at the schema's start.
func (p *Policy) complete(ctx context.Context, prompt policy.Prompt, o policy.Output) (policy.Output, error) {
	prompt.N = 1
	for !stop(p.render, &o, prompt.Stop) && o.Finish == quintain.Aborted {
		if len(prompt.Schema) > 0 {
			o = policy.Output{Took: o.Took}
		}
		rest := prompt
		rest.Sampled = continued(o.Tokens, prompt.Sampled)
		rest.Tokens = slices.Concat(prompt.Tokens, o.Tokens)
		if n := len(o.Versions); n > 0 {
			rest.AtLeast = o.Versions[n-1]
		}
		if most := prompt.Sampling.MaxTokens; most > 0 {
			if rest.Sampling.MaxTokens = most - len(o.Tokens); rest.Sampling.MaxTokens == 0 {
				o.Finish = quintain.Length
				return o, nil
			}
		}
		if rest.Within -= o.Took; prompt.Within > 0 && rest.Within <= 0 {
			return o, fmt.Errorf("exact: the reply took %v, the limit is %v: %w", o.Took, prompt.Within, quintain.ErrTimeout)
		}
		p.resumed.Add(1)
		more, err := p.generate(ctx, rest)
		if len(more) > 0 {
			if err := join(&o, more[0]); err != nil {
				return o, err
			}
		}
		if errors.Is(err, quintain.ErrNoRoom) { // the reply was interrupted at the end of the context
			o.Finish, err = quintain.Length, nil
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// join appends the continuation more to o.
func join(o *policy.Output, more policy.Output) error {
	if n, m := len(o.Versions), len(more.Versions); n > 0 && m > 0 && more.Versions[0] < o.Versions[n-1] {
		return fmt.Errorf("exact: a reply was interrupted at version %d and continued at version %d", o.Versions[n-1], more.Versions[0])
	}
	if o.LogProbs == nil && len(o.Tokens) > 0 || more.LogProbs == nil && len(more.Tokens) > 0 {
		o.LogProbs = nil
	} else {
		o.LogProbs = append(slices.Clip(o.LogProbs), more.LogProbs...)
	}
	o.Tokens = append(slices.Clip(o.Tokens), more.Tokens...)
	o.Versions = append(slices.Clip(o.Versions), more.Versions...)
	o.Finish = more.Finish
	o.Took += more.Took
	return nil
}

// firstOf returns the first output, or a zero one.
func firstOf(outputs []policy.Output) policy.Output {
	if len(outputs) == 0 {
		return policy.Output{}
	}
	return outputs[0]
}

// Score implements [policy.Scorer] if the generator does. Likely tokens outside the vocabulary
// are an error.
func (p *Policy) Score(ctx context.Context, tokens []quintain.Token, top int) ([]policy.Score, error) {
	scorer, can := p.from.(policy.Scorer)
	if !can {
		return nil, errors.New("exact: the server does not report the log-probabilities of given tokens")
	}
	scores, err := scorer.Score(ctx, tokens, top)
	for i := range scores {
		for _, l := range scores[i].Top {
			if l.Token < 0 || int(l.Token) >= p.render.Size() {
				return nil, fmt.Errorf("exact: token %d is likely at place %d, outside the vocabulary of %d tokens: is the teacher's vocabulary the policy's?", l.Token, i, p.render.Size())
			}
		}
	}
	return scores, err
}
