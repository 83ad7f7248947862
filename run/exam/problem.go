package exam

import (
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Problem has the results of a policy on one problem.
type Problem struct {
	ID       string    `json:"id"`
	Episodes []Episode `json:"episodes"` // all played ones

	scored        []float64 // scores of the scored episodes
	pass          []float64 // pass@k by the place of k in ks; shorter if fewer than k episodes are scored
	majority      []float64 // the same for the majority
	tokens        []float64 // that the policy sampled in each scored episode
	metrics       map[string][]float64
	right, broken int // right and malformed ones of the scored episodes
	cut           int // scored episodes in which a reply used up its tokens
}

// An Episode is an episode in a report.
type Episode struct {
	Outcome   quintain.Outcome `json:"outcome"`
	Score     float64          `json:"score"`               // its reward; 0 if it is not scored
	Right     bool             `json:"right,omitempty"`     // a reply was fully right
	Answer    string           `json:"answer,omitempty"`    // the last one; empty: none was found
	Malformed bool             `json:"malformed,omitempty"` // the last reply has no readable answer
	Tokens    int              `json:"tokens"`              // that the policy sampled
	Cut       bool             `json:"cut,omitempty"`       // a reply used up its tokens
	Play      *PlayRegret      `json:"moves,omitempty"`     // what was given away against the best play; nil: unknown

	Metrics map[string]float64 `json:"metrics,omitempty"` // see [quintain.Trajectory.Metrics]
	Others  map[string]Other   `json:"others,omitempty"`  // by player, what other policies wrote
}

// NewProblem returns the results of episodes of the problem id.
func NewProblem(id string, played []quintain.Trajectory) *Problem {
	p := &Problem{ID: id, Episodes: make([]Episode, len(played))}
	for i := range played {
		t := &played[i]
		e := Episode{Outcome: t.Outcome, Tokens: t.Sampled(), Others: OthersOf(t)}
		if t.Outcome.Rewarded() && len(t.Turns) > 0 {
			last := &t.Turns[t.Last()]
			e.Score, e.Right, e.Malformed = t.Reward(), t.Solved(), last.Malformed
			e.Answer, e.Cut = strings.TrimSpace(last.Answer), last.Finish == quintain.Length
			e.Play, e.Metrics = RegretOf(t).Play, t.Metrics()
		} else if _, is := t.Metrics()[HarborMetric]; is {
			e.Metrics = map[string]float64{HarborMetric: 0}
		}
		p.Episodes[i] = e
	}
	return p
}

// finish computes the inputs of summaries.
func (p *Problem) finish(ks []int) {
	*p = Problem{ID: p.ID, Episodes: p.Episodes, metrics: map[string][]float64{}}
	var answers []string
	var right []bool
	for _, e := range p.Episodes {
		if !e.Outcome.Rewarded() {
			continue
		}
		p.scored, p.tokens = append(p.scored, e.Score), append(p.tokens, float64(e.Tokens))
		answers, right = append(answers, e.Answer), append(right, e.Right)
		p.right += one(e.Right)
		p.broken += one(e.Malformed)
		p.cut += one(e.Cut)
		for name, value := range e.Metrics {
			p.metrics[name] = append(p.metrics[name], value)
		}
	}
	for _, k := range ks {
		if k > len(p.scored) {
			return
		}
		p.pass = append(p.pass, stats.PassAt(k, len(p.scored), p.right))
		p.majority = append(p.majority, stats.MajorityAt(k, answers, right))
	}
}

// one is 1 if a statement is true, else 0.
func one(statement bool) int {
	if statement {
		return 1
	}
	return 0
}

// mean is the mean score of the problem, which has a scored episode.
func (p *Problem) mean() float64 { return stats.Mean(p.scored) }
