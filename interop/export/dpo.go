package export

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/trace"
)

// DPO is a [Sink] of pairs for preference optimisation: two episodes of one group with
// different scores. It writes each pair in one call, as a line of JSON:
//
//	{"prompt": [messages], "chosen": [messages], "rejected": [messages], "tools": "[…]", "score_chosen": 1, "score_rejected": 0}
//
// Tools are as in [SFT].
//
// The prompt is the common opening of both episodes; chosen and rejected are the rest of
// each. Set the fields before the first Write and do not change them afterwards.
type DPO struct {
	Out      io.Writer
	Atropos  bool    // write lines like atropos-dpo-gen: {"pos": […], "score": 1, "neg": […]}
	MinScore float64 // least score of the chosen episode
	MaxScore float64 // largest score of the chosen episode; 0: no limit
	Gap      float64 // minimum score gap, chosen to rejected
	Pairs    int     // most pairs per group; 0: no limit
	Shaping          // tells which episodes are not trained on

	mu   sync.Mutex
	seen seen // written pairs
}

type dpoLine struct {
	Prompt        []quintain.Message `json:"prompt"`
	Chosen        []quintain.Message `json:"chosen"`
	Rejected      []quintain.Message `json:"rejected"`
	Tools         string             `json:"tools,omitempty"`
	ScoreChosen   float64            `json:"score_chosen"`
	ScoreRejected float64            `json:"score_rejected"`
}

type atroposLine struct {
	Pos   []quintain.Message `json:"pos"`
	Score float64            `json:"score"` // of pos
	Neg   []quintain.Message `json:"neg"`
}

// Write implements [Sink]. It pairs the best episode with the worst, the second best with
// the second worst, and so on: each is in at most one pair. A pair is written once, however
// often it was played.
func (d *DPO) Write(r *trace.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	order := d.ranked(r)
	for k := range len(order) / 2 {
		best, worst := order[k], order[len(order)-1-k]
		if d.Pairs > 0 && k == d.Pairs || r.Scores[best] < d.MinScore || !d.apart(r.Scores[best], r.Scores[worst]) {
			return nil
		}
		if d.MaxScore != 0 && r.Scores[best] > d.MaxScore {
			continue
		}
		prompt, same := opening(&r.Episodes[best], &r.Episodes[worst])
		if !same {
			continue
		}
		chosen, rejected := mainBranch(&r.Episodes[best]), mainBranch(&r.Episodes[worst])
		fresh, err := d.seen.add([][]quintain.Message{chosen, rejected})
		if err != nil {
			return fmt.Errorf("dpo: group %s: %w", r.Group(), err)
		}
		if !fresh {
			continue
		}
		tools := r.Episodes[best].Offered(r.Episodes[best].Path(r.Episodes[best].Last()))
		line := any(dpoLine{prompt, chosen[len(prompt):], rejected[len(prompt):], string(tools), r.Scores[best], r.Scores[worst]})
		if d.Atropos {
			line = atroposLine{chosen, r.Scores[best], rejected}
		}
		if err := strictjson.WriteLegible(d.Out, line); err != nil {
			return fmt.Errorf("dpo: group %s: %w", r.Group(), err)
		}
	}
	return nil
}

// apart reports whether two scores make a pair.
func (d *DPO) apart(better, worse float64) bool { return better > worse && better-worse >= d.Gap }

// mainBranch returns the conversation of an episode, of a tree that of its main branch.
func mainBranch(t *quintain.Trajectory) []quintain.Message { return t.Talk(t.Path(t.Last())) }

// opening returns the first messages that two episodes observed in these, if they are the
// same.
func opening(a, b *quintain.Trajectory) (prompt []quintain.Message, same bool) {
	if len(a.Turns) == 0 || len(b.Turns) == 0 {
		return nil, false
	}
	one, other := a.Path(a.Last())[0], b.Path(b.Last())[0]
	return a.Turns[one].Observed, reflect.DeepEqual(a.Turns[one].Observed, b.Turns[other].Observed)
}

// ranked returns the indices of the episodes with a reply, best first, without those that are
// not trained on; none if any episode lacks a score.
func (s *Shaping) ranked(r *trace.Record) (order []int) {
	if len(r.Scores) != len(r.Episodes) {
		return nil
	}
	for i := range r.Episodes {
		if len(r.Episodes[i].Turns) > 0 && !s.Rules.Masked(&r.Episodes[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Scores[b], r.Scores[a]) })
	return order
}
