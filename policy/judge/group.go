package judge

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/quintain-rl/quintain/internal/stats"
)

// A Result is a verdict, or why there is none.
type Result struct {
	Verdict Verdict
	Err     error // an [*Ungraded], the cause of the context, or a mistake in the group
}

// Group judges the replies of a group, as the rubric's mode says. Equal replies are judged once.
// If replies are compared and one comparison has no verdict, none of them has one.
func (j *Judge) Group(ctx context.Context, items []Item) []Result {
	results := make([]Result, len(items))
	j.group(ctx, items, results)
	if j.cfg.LengthControl {
		j.control(items, results)
	}
	return results
}

// group judges the replies of a group.
func (j *Judge) group(ctx context.Context, items []Item, results []Result) {
	switch {
	case j.cfg.Rewards != nil:
		j.reward(ctx, items, results)
	case j.cfg.Rubric.Mode == Absolute:
		j.each(ctx, items, results)
	default:
		if err := sameQuestion(items); err != nil {
			for i := range results {
				results[i].Err = err
			}
			return
		}
		j.compare(ctx, items, results)
	}
}

// each judges every reply by itself.
func (j *Judge) each(ctx context.Context, items []Item, results []Result) {
	type content struct{ question, reference, text string }
	met := map[content]int{}
	same := make([]int, len(items)) // the first item with the same content
	var distinct []int
	for i := range items {
		c := content{items[i].Question, items[i].Reference, items[i].shown(j.cfg.Rubric.View)}
		at, known := met[c]
		if !known {
			at = i
			met[c] = i
			distinct = append(distinct, i)
		}
		same[i] = at
	}
	_ = atOnce(len(distinct), func(k int) error {
		i := distinct[k]
		results[i].Verdict, results[i].Err = j.Grade(ctx, items[i])
		return nil
	})
	for i, at := range same {
		results[i] = results[at]
	}
}

// sameQuestion reports why replies cannot be compared.
func sameQuestion(items []Item) error {
	if len(items) < 2 {
		return fmt.Errorf("judge: a group of %d cannot be compared: want 2 or more, or mode %s", len(items), Absolute)
	}
	for i := range items {
		if items[i].Question != items[0].Question || items[i].Reference != items[0].Reference {
			return fmt.Errorf("judge: replies 0 and %d answer different questions: want a group of one problem", i)
		}
	}
	return nil
}

// A match is a comparison of two different replies.
type match struct {
	a, b  int     // places among the different replies
	share float64 // of a: 1 if it wins, 0 if it loses
}

// compare judges replies by comparing them. A reply with nothing to judge loses, without a call.
func (j *Judge) compare(ctx context.Context, items []Item, results []Result) {
	var texts []string
	place := make([]int, len(items)) // among the texts; -1: nothing to judge
	met, blank := map[string]int{}, false
	for i := range items {
		text := items[i].shown(j.cfg.Rubric.View)
		at, known := met[text]
		switch {
		case !speaks(text, items[i].Reference):
			at, blank = -1, true
			j.malformed.Add(1)
			results[i].Verdict = Verdict{Malformed: true, Why: "the reply is empty"}
		case !known:
			at = len(texts)
			met[text] = at
			texts = append(texts, text)
		}
		place[i] = at
	}
	matches := schedule(len(texts))
	var calls, cached atomic.Int64
	err := atOnce(len(matches), func(k int) error {
		m := &matches[k]
		return j.patiently(ctx, func() error {
			return j.fitting([]string{texts[m.a], texts[m.b]}, func(shown []string) error {
				share, cost, err := j.play(ctx, items[0], [2]string(shown))
				m.share = share
				calls.Add(int64(cost.Calls))
				cached.Add(int64(cost.Cached))
				return err
			})
		})
	})
	scores := shares(len(texts), matches, blank)
	if j.cfg.Rubric.Mode == Rank {
		scores = strengths(len(texts), matches, blank)
	}
	for i, at := range place {
		switch {
		case at < 0:
		case err != nil:
			results[i].Err = err
		default:
			results[i].Verdict = Verdict{Score: scores[at], Calls: int(calls.Load()), Cached: int(cached.Load()), Why: fmt.Sprintf("%.3g among %s", scores[at], stats.Count(len(texts), "different reply"))}
			j.note(scores[at], len(texts[at]))
		}
	}
}

// mostAll is the largest group of which all pairs are compared.
const mostAll = 8

// schedule returns the pairs of n replies: all, or in a large group each reply with the next and
// with the third after it, around a circle.
func schedule(n int) (matches []match) {
	for a := range n {
		if n > mostAll {
			matches = append(matches, match{a: a, b: (a + 1) % n}, match{a: a, b: (a + 3) % n})
			continue
		}
		for b := a + 1; b < n; b++ {
			matches = append(matches, match{a: a, b: b})
		}
	}
	return matches
}

// play compares two replies, in both orders if the rubric says so. The winner must win in both:
// else it is a tie.
func (j *Judge) play(ctx context.Context, it Item, texts [2]string) (share float64, cost Verdict, err error) {
	orders := 2
	if j.cfg.Rubric.Order == Forward {
		orders = 1
	}
	var won [2]map[string]string // by order: who wins each criterion, as in the forward order
	var costs [2]Verdict
	err = atOnce(orders, func(o int) (err error) {
		shown := texts
		if o == 1 {
			shown[0], shown[1] = texts[1], texts[0]
		}
		won[o], err = j.look(ctx, it, shown, &costs[o])
		return err
	})
	if err != nil {
		return 0, cost, err
	}
	winners, turned := won[0], false
	if orders == 2 {
		winners, turned = agreed(won[0], won[1])
		j.pairs.Add(1)
	}
	if turned {
		j.swapped.Add(1)
	}
	if costs[0].Split || costs[1].Split {
		j.disagreed.Add(1)
	}
	cost.Calls, cost.Cached = costs[0].Calls+costs[1].Calls, costs[0].Cached+costs[1].Cached
	return j.share(winners), cost, nil
}

// look asks which of two replies is better, by each criterion.
func (j *Judge) look(ctx context.Context, it Item, texts [2]string, cost *Verdict) (map[string]string, error) {
	winners := map[string]string{}
	for _, batch := range j.batches() {
		p, err := j.poll(ctx, it.Key, j.pair(it, texts, batch))
		if err != nil {
			return nil, err
		}
		p.into(cost)
		for k, c := range batch {
			winners[c.Name] = majority(p.of(k))
		}
	}
	return winners, nil
}

// agreed returns who wins each criterion in both orders, and whether any winner turned with the
// order.
func agreed(forward, swapped map[string]string) (winners map[string]string, turned bool) {
	back := map[string]string{first: second, second: first, tie: tie}
	winners = map[string]string{}
	for name, winner := range forward {
		if back[swapped[name]] != winner {
			winner, turned = tie, true
		}
		winners[name] = winner
	}
	return winners, turned
}

// share returns the share of the first reply: that of the weights it wins, a tie counting half.
// A criterion that must hold decides alone, if it has a winner.
func (j *Judge) share(winners map[string]string) float64 {
	values := map[string]float64{first: 1, tie: 0.5, second: 0}
	sum, weights := 0.0, 0.0
	for _, c := range j.cfg.Rubric.Criteria {
		value := values[winners[c.Name]]
		if c.Must && value != 0.5 {
			return value
		}
		sum += float64(c.Weight * value)
		weights += c.Weight
	}
	return sum / weights
}

// even is the score of replies that have nobody to be compared with, because all are equal.
const even = 0.5

// shares returns the mean share of each of n replies. If there were blank replies, all win one
// match against them.
func shares(n int, matches []match, blank bool) []float64 {
	sums, counts := make([]float64, n), make([]float64, n)
	for _, m := range matches {
		sums[m.a] += m.share
		sums[m.b] += 1 - m.share
		counts[m.a]++
		counts[m.b]++
	}
	for i := range sums {
		if blank {
			sums[i]++
			counts[i]++
		}
		if counts[i] == 0 {
			sums[i], counts[i] = even, 1
		}
		sums[i] /= counts[i]
	}
	return sums
}

// Limits of the model of strengths.
const (
	mostRounds = 1000
	still      = 1e-10
)

// strengths returns for each of n replies the mean probability that it beats the others, by the
// model of Bradley and Terry. Each reply has also drawn with one of strength 1, so that winners of
// everything have a finite strength.
func strengths(n int, matches []match, blank bool) []float64 {
	won := make([]float64, n)
	for _, m := range matches {
		won[m.a] += m.share
		won[m.b] += 1 - m.share
	}
	p := make([]float64, n)
	for i := range p {
		p[i] = 1
	}
	for range mostRounds {
		met := make([]float64, n)
		for _, m := range matches {
			met[m.a] += 1 / (p[m.a] + p[m.b])
			met[m.b] += 1 / (p[m.a] + p[m.b])
		}
		moved := 0.0
		for i := range p {
			next := (won[i] + 0.5) / (met[i] + 1/(p[i]+1))
			moved = max(moved, math.Abs(next-p[i]))
			p[i] = next
		}
		if moved < still {
			break
		}
	}
	scores := make([]float64, n)
	for i := range scores {
		others := 0.0
		for k := range p {
			if k != i {
				scores[i] += p[i] / (p[i] + p[k])
				others++
			}
		}
		if blank {
			scores[i]++
			others++
		}
		if others == 0 {
			scores[i], others = even, 1
		}
		scores[i] /= others
	}
	return scores
}
