package script

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Solver is a policy that solves problems with a given accuracy, so that the scores
// within a group differ. A reply has the form
//
//	<think>short reasoning</think>
//	<answer>X</answer>
//
// with the solution as X. A wrong reply damages the solution, does not know it, has no
// tags, or has two answers. If a task accepts several answers, a damaged solution may
// happen to be right.
//
// The text and log-probabilities of a sample depend only on Seed, the request's Key, its
// number of messages and the sample's index k. Many goroutines may use a Solver at once
// while its fields do not change. A waiting request holds only a timer.
type Solver struct {
	// Answer returns the solution of the problem that r.Key names, like [Book.Answer]. It
	// is called once per request, from many goroutines at once. An error fails the request.
	Answer func(r quintain.Request) (string, error)

	// Plan returns the calls of tools that lead to the solution, like [Book.Plan]. A sample of a request with tools
	// makes the next of them before it answers. Nil: it calls none.
	Plan func(r quintain.Request) ([]quintain.ToolCall, error)
	// Advice returns the replies that the scenario advises, like [Book.Advice]; with them there
	// is no call of Answer, a right reply is one of the best, and a wrong one any that the rules
	// allow. Nil, or a nil advice: none.
	Advice func(ctx context.Context, r quintain.Request) (*quintain.Advice, error)

	Accuracy float64       // probability that a sample is right, 0 to 1
	Seed     uint64        // seed of the random choices
	Delay    time.Duration // time from a request to its reply

	// Pieces is the number of equal parts in which a reply is written during Delay; 0: 4. A
	// cancelled request returns the parts written so far.
	Pieces int

	// Version is called at the start of each piece and returns the version of its
	// tokens. nil: the version is 0.
	Version func() int32
}

// Declare implements [settings.Declarer] for Accuracy and Delay.
func (s *Solver) Declare(d *settings.Section) {
	d.Float(&s.Accuracy, "accuracy", "probability that a scripted reply is right").Between(0, 1)
	d.Duration(&s.Delay, "delay", "time of a scripted reply").AtLeast(0)
}

// Sample implements [quintain.Policy].
func (s *Solver) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := cmp.Or(policy.Check(r), policy.CheckFree(r), policy.CheckText(r)); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	versions, cut := s.wait(ctx) // nothing is allocated before, so a waiting request is small
	say, err := s.speaker(ctx, r)
	switch {
	case err != nil && cut != nil:
		return nil, cut
	case err != nil:
		return nil, fmt.Errorf("script: solution of %s: %w", r.Key, err)
	}
	samples := make([]quintain.Sample, r.N)
	for k := range samples {
		chance := stream(s.Seed, "solver", r, k)
		samples[k] = write(r, say(chance), quintain.Stop)
		samples[k].LogProbs = logProbs(chance, len(samples[k].Wrote))
		s.age(&samples[k], versions)
	}
	share(samples, policy.Read(r))
	return samples, cut
}

// next returns the text of the next call of the plan; empty: there is none.
func (s *Solver) next(r quintain.Request) (string, error) {
	if s.Plan == nil || len(r.Tools) == 0 {
		return "", nil
	}
	plan, err := s.Plan(r)
	if err != nil {
		return "", err
	}
	for _, m := range r.Messages {
		if len(plan) > 0 && m.Role == quintain.RoleAssistant {
			plan = plan[min(len(plan), len(m.ToolCalls)):]
		}
	}
	if len(plan) == 0 {
		return "", nil
	}
	return toolcall.AppendPlain("I use a tool.", plan[:1]), nil
}

// speaker returns what draws a reply.
func (s *Solver) speaker(ctx context.Context, r quintain.Request) (func(*rng.Rand) string, error) {
	if next, err := s.next(r); err != nil || next != "" {
		return func(*rng.Rand) string { return next }, err
	}
	if s.Advice != nil {
		if advice, err := s.Advice(ctx, r); err != nil || advice != nil {
			return func(chance *rng.Rand) string { return s.follow(chance, advice) }, err
		}
	}
	solution, err := s.Answer(r)
	return func(chance *rng.Rand) string { return s.reply(chance, solution) }, err
}

// follow draws one of the best replies, or any that the rules allow.
func (s *Solver) follow(r *rng.Rand, advice *quintain.Advice) string {
	from := advice.Allowed
	if r.Chance(s.Accuracy) {
		from = advice.Best
	}
	if len(from) == 0 {
		return ""
	}
	return "<think>" + rng.Pick(r, thoughts) + "</think>\n" + rng.Pick(r, from)
}

// wait waits for Delay and returns the version at the start of each piece. If ctx ends
// first, it returns those of the finished pieces and the cause of ctx.
func (s *Solver) wait(ctx context.Context) ([]int32, error) {
	pieces := s.pieces()
	versions := make([]int32, 0, pieces)
	step := s.Delay / time.Duration(pieces)
	if step <= 0 {
		for range pieces {
			versions = append(versions, s.version(versions))
		}
		return versions, nil
	}
	timer := time.NewTimer(step)
	defer timer.Stop()
	for {
		version := s.version(versions)
		select {
		case <-ctx.Done():
			return versions, context.Cause(ctx)
		case <-timer.C:
		}
		if versions = append(versions, version); len(versions) == pieces {
			return versions, nil
		}
		timer.Reset(step)
	}
}

// version returns the version of the next piece, which never falls within a reply.
func (s *Solver) version(before []int32) int32 {
	if s.Version == nil {
		return 0
	}
	if n := len(before); n > 0 {
		return max(before[n-1], s.Version())
	}
	return s.Version()
}

func (s *Solver) pieces() int {
	if s.Pieces < 1 {
		return 4
	}
	return s.Pieces
}

// age sets the versions of a sample's tokens to those of its pieces, and cuts the sample if
// there are fewer versions than pieces.
func (s *Solver) age(sample *quintain.Sample, versions []int32) {
	pieces, whole := s.pieces(), len(sample.Wrote)
	if written := whole * len(versions) / pieces; len(versions) < pieces {
		sample.Wrote = sample.Wrote[:written:written]
		sample.LogProbs = sample.LogProbs[:written:written]
		sample.Text = policy.Decode(sample.Wrote)
		sample.Whole = sample.Text
		sample.Finish = quintain.Aborted
	}
	sample.Versions = make([]int32, 0, len(sample.Wrote))
	for i, v := range versions {
		for len(sample.Versions) < whole*(i+1)/pieces {
			sample.Versions = append(sample.Versions, v)
		}
	}
}

// thoughts are the reasoning of replies, right or wrong.
var thoughts = []string{
	"Let me see.",
	"Let me read the question again and work it out step by step.",
	"First I note what is given, then what is asked for.",
	"I have seen one like this before. Let me check the result once more.",
}

// reply draws a right or a wrong reply.
func (s *Solver) reply(r *rng.Rand, solution string) string {
	right := r.Chance(s.Accuracy)
	think := "<think>" + rng.Pick(r, thoughts) + "</think>\n"
	if right {
		return think + tagged(solution)
	}
	switch r.Between(0, 3) {
	case 0:
		return think + tagged("I do not know")
	case 1:
		return think + "It might be " + damage(r, solution)
	case 2:
		return think + tagged(damage(r, solution)) + " or " + tagged(damage(r, solution))
	default:
		return think + tagged(damage(r, solution))
	}
}

func tagged(answer string) string { return "<answer>" + answer + "</answer>" }

// damage returns s with one to three changed characters, never s itself.
func damage(r *rng.Rand, s string) string {
	text := []rune(s)
	for range r.Between(1, 3) {
		text = damageOne(r, text)
	}
	if string(text) == s {
		return s + "7"
	}
	return string(text)
}

// damageOne swaps two characters, drops one or changes one, in place.
func damageOne(r *rng.Rand, text []rune) []rune {
	n := len(text)
	if n == 0 {
		return text
	}
	at := r.Between(0, n-1)
	switch kind := r.Between(0, 2); {
	case kind == 0 && n > 1:
		other := r.Between(0, n-1)
		text[at], text[other] = text[other], text[at]
	case kind == 1 && n > 1:
		text = append(text[:at], text[at+1:]...)
	case text[at] >= '0' && text[at] <= '9':
		text[at] = '0' + (text[at]-'0'+rune(r.Between(1, 9)))%10
	default:
		text[at] = 'a' + rune(r.Between(0, 25))
	}
	return text
}
