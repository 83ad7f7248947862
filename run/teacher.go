package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
)

// A Teacher is another model that scores the tokens of groups, for distillation. It must
// have the vocabulary of the policy; nothing checks that here. The method Waiting() string
// of From, if it has one, tells the report why scores are late.
type Teacher struct {
	From policy.Scorer
	Top  int // likeliest tokens to score at each position; 0: only the token there
}

// distill sets the fields of g for distillation: a row for each token, empty for the first
// of a sequence. If one sequence cannot be scored, it sets none.
func (t *Teacher) distill(ctx context.Context, g *quintain.Group) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := g.Sequences()
	tokens, probs := make([][][]quintain.Token, n), make([][][]float64, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			scores, err := t.From.Score(ctx, g.Tokens[i], t.Top)
			if err != nil {
				cancel(err)
				return
			}
			if len(scores) != len(g.Tokens[i]) {
				cancel(fmt.Errorf("%d scores for %s", len(scores), stats.Count(len(g.Tokens[i]), "token")))
				return
			}
			tokens[i], probs[i] = t.rows(g.Tokens[i], scores)
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	g.DistillTokens, g.DistillLogProbs = tokens, probs
	return nil
}

// rows returns the scores of a sequence as tokens and their log-probabilities.
func (t *Teacher) rows(sequence []quintain.Token, scores []policy.Score) (tokens [][]quintain.Token, probs [][]float64) {
	tokens, probs = make([][]quintain.Token, len(scores)), make([][]float64, len(scores))
	for i, s := range scores {
		tokens[i], probs[i] = []quintain.Token{}, []float64{}
		top := s.Top
		if t.Top == 0 && i > 0 {
			top = []policy.Likely{{Token: sequence[i], LogProb: s.LogProb}}
		}
		for _, l := range top {
			tokens[i], probs[i] = append(tokens[i], l.Token), append(probs[i], float64(l.LogProb))
		}
	}
	return tokens, probs
}
