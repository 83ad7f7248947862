package script

import (
	"context"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/settings"
)

// A Solver is a policy that solves problems with a given accuracy, so that the
// scores of a group differ. A reply has the form
//
//	<think>short reasoning</think>
//	<answer>X</answer>
//
// where X is the solution. A wrong reply has a damaged solution, says that it does
// not know, has no tags, or has two answers. Where a task takes several answers,
// a damaged solution is right now and then.
//
// The text and log-probabilities of a sample follow from Seed, the request's Key,
// its number of messages and the sample's place k alone. Many goroutines may use
// a Solver whose fields do not change. A request that waits holds a timer and
// nothing else.
type Solver struct {
	// Answer returns the solution of the problem that r.Key names, as a [Book] does. It
	// is called once for a request, and from many goroutines. An error fails the
	// request.
	Answer func(r quintain.Request) (string, error)

	Accuracy float64       // probability that a sample is right, 0 to 1
	Seed     uint64        // names the stream of chance
	Delay    time.Duration // from a request to its reply

	// Pieces is the number of equal parts in which replies are written while
	// Delay passes; 0: 4. A request that is cut returns the parts that it has.
	Pieces int

	// Version is read at the start of each piece, and marks its tokens. nil: the
	// version is 0.
	Version func() int32
}

// Declare implements [settings.Declarer]: for Accuracy and Delay.
func (s *Solver) Declare(d *settings.Section) {
	d.Float(&s.Accuracy, "accuracy", "how often the script is right").Between(0, 1)
	d.Duration(&s.Delay, "delay", "how long a reply of the script takes").AtLeast(0)
}

// Sample implements [quintain.Policy].
func (s *Solver) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := policy.Check(r); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	versions, cut := s.wait(ctx) // nothing is made before, so that a request that waits is small
	solution, err := s.Answer(r)
	switch {
	case err != nil && cut != nil:
		return nil, cut
	case err != nil:
		return nil, fmt.Errorf("script: solution of %s: %w", r.Key, err)
	}
	samples := make([]quintain.Sample, r.N)
	for k := range samples {
		chance := stream(s.Seed, "solver", r, k)
		samples[k] = write(r, s.reply(chance, solution), quintain.Stop)
		samples[k].LogProbs = logProbs(chance, len(samples[k].Wrote))
		s.age(&samples[k], versions)
	}
	share(samples, policy.Read(r))
	return samples, cut
}

// wait lets Delay pass and returns the version at the start of each piece that
// was finished, or of all and the cause of ctx where it ended before.
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

// version reads the version, which never falls within one reply.
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

// age marks the tokens of a whole sample with the versions of its pieces, and
// cuts it where there are fewer versions than pieces.
func (s *Solver) age(sample *quintain.Sample, versions []int32) {
	pieces, whole := s.pieces(), len(sample.Wrote)
	if written := whole * len(versions) / pieces; len(versions) < pieces {
		sample.Wrote = sample.Wrote[:written:written]
		sample.LogProbs = sample.LogProbs[:written:written]
		sample.Text = policy.Decode(sample.Wrote)
		sample.Finish = quintain.Aborted
	}
	sample.Versions = make([]int32, 0, len(sample.Wrote))
	for i, v := range versions {
		for len(sample.Versions) < whole*(i+1)/pieces {
			sample.Versions = append(sample.Versions, v)
		}
	}
}

// thoughts is what a reply reasons, whether right or wrong.
var thoughts = []string{
	"Let me see.",
	"I read the question again and work it out step by step.",
	"First I note what is given, then what is asked.",
	"This is like one I have seen. I check the result once more.",
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

// damage returns s with one to three characters changed, and never s itself.
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
