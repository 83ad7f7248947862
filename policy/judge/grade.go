package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// grade judges one reply once.
func (j *Judge) grade(ctx context.Context, it Item, text string) (Verdict, error) {
	v := Verdict{Choices: map[string]string{}}
	batches := j.batches()
	polls := make([]poll, len(batches))
	err := atOnce(len(batches), func(i int) (err error) {
		polls[i], err = j.poll(ctx, it.Key, j.single(it, text, batches[i]))
		return err
	})
	if err != nil {
		return Verdict{}, err
	}
	for i, batch := range batches {
		polls[i].into(&v)
		for k, c := range batch {
			v.Choices[c.Name] = middle(c.Choices, polls[i].of(k))
		}
	}
	if v.Split {
		j.disagreed.Add(1)
	}
	j.score(&v)
	return v, nil
}

// batches returns the criteria of each call.
func (j *Judge) batches() [][]Criterion {
	list := j.cfg.Rubric.Criteria
	each := j.cfg.Rubric.Each
	if each == 0 {
		each = len(list)
	}
	return slices.Collect(slices.Chunk(list, each))
}

// score works out the score of the choices.
func (j *Judge) score(v *Verdict) {
	sum, weights, failed := 0.0, 0.0, ""
	why := make([]string, len(j.cfg.Rubric.Criteria))
	for i, c := range j.cfg.Rubric.Criteria {
		choice := v.Choices[c.Name]
		value := c.value(choice)
		sum += float64(c.Weight * value)
		weights += c.Weight
		why[i] = c.Name + ": " + choice
		if c.Must && value == 0 && failed == "" {
			failed = c.Name
		}
	}
	v.Score, v.Why = sum/weights, strings.Join(why, "; ")
	v.Right = v.Score == 1
	if failed != "" {
		v.Score = 0
		v.Why += fmt.Sprintf(" (%s must not be %s)", failed, v.Choices[failed])
	}
}

// A poll has the valid votes on the criteria of one prompt.
type poll struct {
	ballots []ballot
	invalid int
}

// poll takes all votes on a prompt. With fewer than half of them valid, the error is an
// [*Ungraded], or the cause of ctx.
func (j *Judge) poll(ctx context.Context, key string, p *prompt) (result poll, err error) {
	n := j.cfg.Rubric.Votes
	ballots, faults := make([]ballot, n), make([]error, n)
	_ = atOnce(n, func(v int) error {
		ballots[v], faults[v] = j.vote(ctx, key, p, v)
		return nil
	})
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	var worst error
	for v, fault := range faults {
		if fault == nil {
			result.ballots = append(result.ballots, ballots[v])
			continue
		}
		result.invalid++
		if u, ok := errors.AsType[*Ungraded](fault); worst == nil || ok && u.Kind == OverBudget {
			worst = fault
		}
	}
	if 2*len(result.ballots) > n {
		return result, nil
	}
	return result, worst
}

// of returns the votes on criterion k.
func (p *poll) of(k int) []string {
	votes := make([]string, len(p.ballots))
	for i, b := range p.ballots {
		votes[i] = b.choices[k]
	}
	return votes
}

// into adds what the poll cost and how far it agreed to a verdict.
func (p *poll) into(v *Verdict) {
	v.Invalid += p.invalid
	for i, b := range p.ballots {
		v.Split = v.Split || !slices.Equal(b.choices, p.ballots[0].choices)
		v.Calls += b.calls
		if b.calls == 0 {
			v.Cached++
			v.Since = earlier(v.Since, b.at)
		}
		if i == 0 {
			v.Reasoned = strings.TrimPrefix(v.Reasoned+"\n\n"+b.reasoned, "\n\n")
		}
	}
}

// earlier returns the earlier of two times; the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// middle returns the vote in the middle, by the order of the choices: the majority's, if there is
// one. Of two in the middle it is the worse.
func middle(choices, votes []string) string {
	places := make([]int, len(votes))
	for i, vote := range votes {
		places[i] = slices.Index(choices, vote)
	}
	slices.Sort(places)
	return choices[places[(len(places)-1)/2]]
}

// majority returns the vote of more than half; without one, it is a tie.
func majority(votes []string) string {
	counts := map[string]int{}
	for _, vote := range votes {
		if counts[vote]++; 2*counts[vote] > len(votes) {
			return vote
		}
	}
	return tie
}

// atOnce calls do for 0 to n-1, at the same time, and returns the first error by number.
func atOnce(n int, do func(i int) error) error {
	if n == 1 {
		return do(0)
	}
	faults := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { faults[i] = do(i) })
	}
	all.Wait()
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}
