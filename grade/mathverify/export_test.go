//go:build heavy

package mathverify

import (
	"context"
	"iter"

	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

// Candidates yields the candidates of a reply, and whether each is the reference.
func Candidates(gold, answer string) iter.Seq2[reply.Candidate, bool] {
	return func(yield func(reply.Candidate, bool) bool) {
		for found := range reply.Candidates(answer, newComparison(context.Background(), gold).goldText) {
			c := newComparison(context.Background(), gold)
			c.found(found.Found, found.Rule, answer)
			if !yield(found, c.verdict().Equal) {
				return
			}
		}
	}
}
