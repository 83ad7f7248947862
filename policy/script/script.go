// Package script provides policies with scripted replies: fakes for tests, demonstrations
// and load tests that keep every promise of a real policy.
//
// Their vocabulary is [quintain.UTF8]; package policy describes how they read messages. A
// reply that stops ends with the token [policy.End], which is not part of its text. Calls of the
// request's tools have the form plain of package toolcall.
package script

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// Say is a policy that replies with the text of a function, called for sample k of a
// request, from 0 to N-1. An empty finish means [quintain.Stop]. A reply longer than the
// request's MaxTokens is cut and finishes with [quintain.Length]. Replies come immediately,
// at version 0. Their log-probabilities are random but depend only on the text.
//
// Many goroutines may use it at once if the function allows that.
type Say func(r quintain.Request, k int) (text string, finish quintain.Finish)

// Always replies texts[k mod len(texts)] in sample k of every request.
func Always(texts ...string) Say {
	return func(_ quintain.Request, k int) (string, quintain.Finish) {
		return texts[k%len(texts)], quintain.Stop
	}
}

// Sample implements [quintain.Policy].
func (s Say) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := cmp.Or(policy.Check(r), policy.CheckFree(r), policy.CheckText(r)); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	samples := make([]quintain.Sample, r.N)
	for k := range samples {
		text, finish := s(r, k)
		if finish == "" {
			finish = quintain.Stop
		}
		samples[k] = write(r, text, finish)
		samples[k].LogProbs = logProbs(rng.New(0, "say", text), len(samples[k].Wrote))
		samples[k].Versions = make([]int32, len(samples[k].Wrote))
	}
	share(samples, policy.Read(r))
	return samples, nil
}

// write returns text as a sample of r without Read, log-probabilities and versions.
func write(r quintain.Request, text string, finish quintain.Finish) quintain.Sample {
	begin, end := policy.Stopped(text, r.Stop)
	if begin >= 0 {
		text, finish = text[:end], quintain.Stop
	}
	wrote := policy.Encode(text)
	if finish == quintain.Stop && begin < 0 {
		wrote = append(wrote, policy.End)
	}
	if most := r.Sampling.MaxTokens; most > 0 && len(wrote) > most {
		wrote, finish, begin = wrote[:most:most], quintain.Length, -1
	}
	said := policy.Decode(wrote)
	if begin >= 0 {
		said = text[:begin]
	}
	s := quintain.Sample{Text: said, Whole: said, Wrote: wrote, Finish: finish, Vocabulary: quintain.UTF8}
	policy.ReadCalls(&s, r, toolcall.Plain(), false)
	return s
}

// share gives all samples the same read, so that appending to one leaves the others alone.
func share(samples []quintain.Sample, read []quintain.Token) {
	for k := range samples {
		samples[k].Read = read[:len(read):len(read)]
	}
}

// logProbs draws n log-probabilities: finite, not above zero, -0.2 on average.
func logProbs(r *rng.Rand, n int) []float32 {
	probs := make([]float32, n)
	for i := range probs {
		probs[i] = float32(0.2 * math.Log(1-r.Float()))
	}
	return probs
}

// stream returns the random stream of sample k of r.
func stream(seed uint64, use string, r quintain.Request, k int) *rng.Rand {
	return rng.New(seed, use, r.Key, strconv.Itoa(len(r.Messages)), strconv.Itoa(k))
}
