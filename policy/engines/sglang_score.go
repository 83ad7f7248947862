package engines

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Score implements [policy.Scorer].
func (c *SGLang) Score(ctx context.Context, tokens []quintain.Token, top int) (scores []policy.Score, err error) {
	p := policy.Prompt{Tokens: tokens, N: 1}
	if err := policy.CheckPrompt(p); err != nil {
		return nil, fmt.Errorf("sglang: %w", err)
	}
	none := 0
	r := sglangRequest{ID: newID(), InputIDs: tokens, ReturnLogProb: true, Top: top, Sampling: sglangSampling(p)}
	r.Sampling.MaxNewTokens = &none
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("sglang: body of the request: %w", err)
	}
	err = c.server.Ask(ctx, remote.Call{
		Path: "generate", Body: body, Missing: "is this the address of SGLang's server?", Begin: func(int32) {},
		Read: func(body []byte) (fault *remote.Error) {
			var answer sglangReply
			if fault := remote.Decode(body, &answer); fault != nil {
				return fault
			}
			if answer.Meta == nil || answer.Meta.ID != r.ID || len(answer.Meta.Given) != len(tokens) {
				return remote.Nonsensef("the answer has no log-probability for each of %d tokens", len(tokens))
			}
			scores, fault = answer.Meta.scores(tokens)
			return fault
		},
	})
	return scores, err
}

// scores returns the scores of tokens; the first has none.
func (m *meta) scores(tokens []quintain.Token) ([]policy.Score, *remote.Error) {
	scores := make([]policy.Score, len(tokens))
	for i, at := range m.Given {
		if at.Token != tokens[i] {
			return nil, remote.Nonsensef("place %d has token %d, sent %d", i, at.Token, tokens[i])
		}
		if i == 0 {
			continue
		}
		var err error
		if scores[i].LogProb, err = policy.LogProb(at.LogProb); err != nil {
			return nil, remote.Nonsensef("place %d: log-probability %w", i, err)
		}
		if i >= len(m.GivenTop) {
			continue
		}
		for _, other := range m.GivenTop[i] {
			p, err := policy.LogProb(other.LogProb)
			if err != nil {
				return nil, remote.Nonsensef("place %d: log-probability of token %d %w", i, other.Token, err)
			}
			scores[i].Top = append(scores[i].Top, policy.Likely{Token: other.Token, LogProb: p})
		}
	}
	return scores, nil
}
