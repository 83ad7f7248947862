package engines

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A sglangQuery is one request and its output.
type sglangQuery struct {
	prompt  policy.Prompt
	request sglangRequest
	version int32 // of the weights when it was sent
	output  policy.Output

	believes func(version int32) bool // of [remote.Server]
}

// A sglangReply is an answer of the server.
type sglangReply struct {
	OutputIDs []quintain.Token `json:"output_ids"`
	Meta      *meta            `json:"meta_info"`
}

type meta struct {
	ID            string          `json:"id"`
	PromptTokens  int             `json:"prompt_tokens"`
	Tokens        int             `json:"completion_tokens"`
	WeightVersion json.RawMessage `json:"weight_version"`
	Sampled       []place         `json:"output_token_logprobs"`
	Given         []place         `json:"input_token_logprobs"`
	GivenTop      [][]place       `json:"input_top_logprobs"`
	FinishReason  *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"finish_reason"`
}

// read reads a whole answer.
func (q *sglangQuery) read(body []byte) *remote.Error {
	var r sglangReply
	if fault := remote.Decode(body, &r); fault != nil {
		return fault
	}
	m := r.Meta
	switch {
	case m == nil || m.FinishReason == nil:
		return remote.Nonsensef("no finish_reason: was the reply cut?")
	case m.ID != q.request.ID:
		return remote.Nonsensef("the answer is to request %.60q, asked as %q", m.ID, q.request.ID)
	case m.FinishReason.Type == "abort" && len(m.Sampled) == 0:
		return &remote.Error{Kind: remote.Aborted, Err: fmt.Errorf("there is no token yet: %.200s", m.FinishReason.Message)}
	case m.PromptTokens != len(q.prompt.Tokens) && m.FinishReason.Type != "abort": // the metadata of an aborted request may be incomplete
		return remote.Nonsensef("the answer is to a prompt of %d tokens, sent %d", m.PromptTokens, len(q.prompt.Tokens))
	case len(m.Sampled) != m.Tokens:
		return remote.Nonsensef("%s for %s", stats.Count(len(m.Sampled), "log-probability"), stats.Count(m.Tokens, "token"))
	}
	o, fault := q.whole(m)
	if fault != nil {
		return fault
	}
	if len(r.OutputIDs) == len(o.Tokens) && !slices.Equal(r.OutputIDs, o.Tokens) {
		return remote.Nonsensef("the log-probabilities are those of other tokens")
	}
	q.output = o
	return nil
}

// whole returns the output that m describes.
func (q *sglangQuery) whole(m *meta) (o policy.Output, fault *remote.Error) {
	finish, err := policy.ParseFinish(m.FinishReason.Type)
	if err != nil {
		return o, remote.Nonsensef("%w", err)
	}
	o.Finish = finish
	for i, at := range m.Sampled {
		p, err := policy.LogProb(at.LogProb)
		if err != nil {
			return o, remote.Nonsensef("log-probability of token %d %w", i, err)
		}
		o.Tokens, o.LogProbs = append(o.Tokens, at.Token), append(o.LogProbs, p)
	}
	if err := policy.CheckOutput(q.prompt, o); err != nil {
		return o, remote.Nonsensef("%w", err)
	}
	version := q.version
	if told, known := remote.ParseVersion(m.WeightVersion); known && q.believes(told) {
		version = min(version, told)
	}
	o.Versions = slices.Repeat([]int32{version}, len(o.Tokens))
	return o, nil
}

// A place is a token with its log-probability, in JSON [log-probability, token, text]. A
// sequence's first token has the log-probability null.
type place struct {
	LogProb *float64
	Token   quintain.Token
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *place) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := strictjson.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) < 2 {
		return errors.New("a log-probability without a token")
	}
	if err := strictjson.Unmarshal(list[0], &p.LogProb); err != nil {
		return err
	}
	return strictjson.Unmarshal(list[1], &p.Token)
}
