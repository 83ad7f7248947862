package engines

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// likely is an entry of prompt_logprobs.
type likely struct {
	LogProb *float64 `json:"logprob"`
}

// Score implements [policy.Scorer]. The server limits top, by --max-logprobs.
func (c *VLLM) Score(ctx context.Context, tokens []quintain.Token, top int) (scores []policy.Score, err error) {
	p := policy.Prompt{Tokens: tokens, N: 1, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 1}}
	if err := policy.CheckPrompt(p); err != nil {
		return nil, fmt.Errorf("vllm: %w", err)
	}
	fields := vllmSampling(p.Sampling, 1)
	fields["model"], fields["prompt"], fields["prompt_logprobs"], fields["return_token_ids"] = c.cfg.Model, tokens, top, true
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("vllm: body of the request: %w", err)
	}
	err = c.server.Ask(ctx, remote.Call{
		Path: "v1/completions", Body: body, Missing: vllmMissing, Begin: func(int32) {},
		Read: func(body []byte) (fault *remote.Error) {
			var r vllmReply
			if fault := remote.Decode(body, &r); fault != nil {
				return fault
			}
			if len(r.Choices) != 1 || len(r.Choices[0].PromptLogProbs) != len(tokens) {
				return remote.Nonsensef("the answer has no log-probability for each of %d tokens", len(tokens))
			}
			scores, fault = scoresOf(tokens, r.Choices[0].PromptLogProbs, top)
			return fault
		},
	})
	return scores, err
}

// scoresOf reads the entries of each place: the token itself and the likeliest ones.
func scoresOf(tokens []quintain.Token, places []map[string]likely, top int) ([]policy.Score, *remote.Error) {
	scores := make([]policy.Score, len(tokens))
	for i := 1; i < len(tokens); i++ {
		found := false
		for name, e := range places[i] {
			id, err := strconv.ParseInt(name, 10, 32)
			if err != nil {
				return nil, remote.Nonsensef("place %d: token %.40q is not a number", i, name)
			}
			p, err := policy.LogProb(e.LogProb)
			if err != nil {
				return nil, remote.Nonsensef("place %d: log-probability of token %d %w", i, id, err)
			}
			if quintain.Token(id) == tokens[i] {
				scores[i].LogProb, found = p, true
			}
			scores[i].Top = append(scores[i].Top, policy.Likely{Token: quintain.Token(id), LogProb: p})
		}
		if !found {
			return nil, remote.Nonsensef("place %d: no log-probability of token %d", i, tokens[i])
		}
		slices.SortFunc(scores[i].Top, func(a, b policy.Likely) int {
			return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), cmp.Compare(a.Token, b.Token))
		})
		scores[i].Top = scores[i].Top[:min(top, len(scores[i].Top))]
	}
	return scores, nil
}
