package engines

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A reply is the body of an answer. Servers put token IDs in different places: those of the
// prompt next to the choices (vLLM), into each choice (SGLang) or into its message (NeMo
// Gym); those of the reply into the choice or its message.
type reply struct {
	Choices        []choice         `json:"choices"`
	PromptTokenIDs []quintain.Token `json:"prompt_token_ids"`
}

type choice struct {
	Message        *message         `json:"message"` // of chat completions
	Text           *string          `json:"text"`    // of text completions
	FinishReason   *string          `json:"finish_reason"`
	LogProbs       *logProbs        `json:"logprobs"`
	TokenIDs       []quintain.Token `json:"token_ids"`
	PromptTokenIDs []quintain.Token `json:"prompt_token_ids"`
}

type message struct {
	Content            *string             `json:"content"`
	ReasoningContent   *string             `json:"reasoning_content"` // DeepSeek, SGLang, older vLLM
	Reasoning          *string             `json:"reasoning"`         // newer vLLM
	ToolCalls          []quintain.ToolCall `json:"tool_calls"`
	TokenIDs           []quintain.Token    `json:"token_ids"`
	PromptTokenIDs     []quintain.Token    `json:"prompt_token_ids"`
	GenerationTokenIDs []quintain.Token    `json:"generation_token_ids"`
}

type logProbs struct {
	Content []entry `json:"content"`

	// Text completions: Tokens instead of Content; llama.cpp has Content in both.
	Tokens        []string   `json:"tokens"`
	TokenLogProbs []*float64 `json:"token_logprobs"`
}

// An entry is one token of the reply.
type entry struct {
	Token   string   `json:"token"`
	LogProb *float64 `json:"logprob"`
	Bytes   []byte   `json:"bytes"` // an array of numbers; null: the bytes of Token
}

// read returns the samples in body, 1 to q.n. Any body gives either samples that keep the
// promises of [quintain.Sample], or an error.
func (q *query) read(body []byte) ([]quintain.Sample, *remote.Error) {
	var r reply
	if fault := remote.Decode(body, &r); fault != nil {
		return nil, fault
	}
	switch n := len(r.Choices); {
	case n == 0:
		return nil, remote.Nonsensef("no choices")
	case n > q.n: // a beam search, perhaps: taking the first would bias the samples
		return nil, remote.Nonsensef("%s, asked for %d", stats.Count(n, "choice"), q.n)
	}
	if !q.config.TokenIDs {
		q.rendered = slices.Clip(policy.Read(q.Request))
	}
	samples := make([]quintain.Sample, len(r.Choices))
	for k := range r.Choices {
		s, fault := q.sample(&r, &r.Choices[k])
		if fault != nil {
			fault.Err = fmt.Errorf("choice %d: %w", k, fault.Err)
			return nil, fault
		}
		if k > 0 && slices.Equal(s.Read, samples[0].Read) {
			s.Read = samples[0].Read
		}
		samples[k] = s
	}
	return samples, nil
}

// sample reads one choice.
func (q *query) sample(r *reply, c *choice) (quintain.Sample, *remote.Error) {
	var s quintain.Sample
	fault := c.normalise(q.config.Prompt != nil)
	if fault != nil {
		return s, fault
	}
	if s.Finish, fault = finish(c.FinishReason); fault != nil {
		return s, fault
	}
	s.Text, s.ToolCalls = c.Message.text(s.Finish), c.Message.ToolCalls
	if q.config.TokenIDs {
		fault = q.exact(&s, r, c)
	} else {
		fault = q.retold(&s, c)
	}
	if fault != nil {
		return s, fault
	}
	if q.config.Prompt != nil {
		s.Whole = s.Text
		policy.ReadCalls(&s, q.Request, q.config.Calls, false)
	}
	policy.NameCalls(s.ToolCalls, q.Messages)
	s.Versions = slices.Repeat([]int32{q.version}, len(s.Wrote))
	return s, nil
}

// normalise converts c from a text completion, if text is true, to a chat completion.
func (c *choice) normalise(text bool) *remote.Error {
	if !text {
		if c.Message == nil {
			return remote.Nonsensef("no message")
		}
		return nil
	}
	if c.Text == nil {
		return remote.Nonsensef("no text")
	}
	c.Message = &message{Content: c.Text}
	l := c.LogProbs
	if l == nil || l.Content != nil || l.Tokens == nil {
		return nil
	}
	if len(l.Tokens) != len(l.TokenLogProbs) {
		return remote.Nonsensef("%s for %s", stats.Count(len(l.TokenLogProbs), "log-probability"), stats.Count(len(l.Tokens), "token"))
	}
	l.Content = make([]entry, len(l.Tokens))
	for i, token := range l.Tokens {
		l.Content[i] = entry{Token: token, LogProb: l.TokenLogProbs[i]}
	}
	return nil
}

// finish reads a finish_reason.
func finish(reason *string) (quintain.Finish, *remote.Error) {
	if reason == nil {
		return "", remote.Nonsensef("finish_reason is null: was the reply cut?")
	}
	switch *reason {
	case "stop", "eos", "eos_token", "stop_sequence", "tool_calls", "function_call":
		return quintain.Stop, nil
	case "length":
		return quintain.Length, nil
	case "abort":
		return "", &remote.Error{Kind: remote.Aborted, Err: errors.New(`finish_reason is "abort"`)}
	case "error":
		return "", &remote.Error{Kind: remote.ServerFailed, Err: fmt.Errorf("finish_reason is %q", *reason)}
	case "content_filter":
		return "", &remote.Error{Kind: remote.Filtered, Err: errors.New(`finish_reason is "content_filter"`)}
	}
	return "", remote.Nonsensef("finish_reason is %.40q, want stop, length or tool_calls", *reason)
}

// text is the content of the message, preceded by its reasoning.
func (m *message) text(finish quintain.Finish) string {
	content, think := deref(m.Content), deref(m.ReasoningContent)
	if think == "" {
		think = deref(m.Reasoning)
	}
	switch {
	case think == "":
		return content
	case content == "" && finish == quintain.Length:
		return "<think>" + think
	}
	return "<think>" + think + "</think>\n" + content
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// retold fills in the tokens of s from a text without token IDs.
func (q *query) retold(s *quintain.Sample, c *choice) *remote.Error {
	s.Vocabulary = quintain.UTF8
	s.Read = q.rendered
	said := toolcall.AppendPlain(s.Text, s.ToolCalls)
	s.Wrote = policy.Encode(said)
	if q.config.NoLogProbs || c.LogProbs == nil {
		return nil
	}
	probs, fault := c.LogProbs.list()
	if fault != nil {
		return fault
	}
	s.LogProbs = spread(c.LogProbs.Content, probs, said)
	return nil
}

// exact fills in the reported tokens.
func (q *query) exact(s *quintain.Sample, r *reply, c *choice) *remote.Error {
	prompt := firstOf(r.PromptTokenIDs, c.PromptTokenIDs, c.Message.PromptTokenIDs)
	if s.Wrote = firstOf(c.TokenIDs, c.Message.TokenIDs, c.Message.GenerationTokenIDs, c.LogProbs.named()); s.Wrote == nil || len(prompt) == 0 {
		return &remote.Error{Kind: remote.Unsupported, Err: errors.New("the answer has no token IDs"),
			Remedy: "vLLM 0.10.2 and newer report token IDs; with other servers turn token_ids off and train on text"}
	}
	for _, list := range [][]quintain.Token{prompt, s.Wrote} {
		if at := slices.IndexFunc(list, func(t quintain.Token) bool { return t < 0 }); at >= 0 {
			return remote.Nonsensef("token ID %d is %d", at, list[at])
		}
	}
	if most := q.Sampling.MaxTokens; most > 0 && len(s.Wrote) > most {
		return remote.Nonsensef("%s, asked for at most %d", stats.Count(len(s.Wrote), "token"), most)
	}
	if same := samePrefix(prompt, q.Context); same < len(q.Context) {
		return &remote.Error{Kind: remote.Forked, Err: fmt.Errorf("the prompt has %s and differs from the %d tokens of the conversation so far at token %d",
			stats.Count(len(prompt), "token"), len(q.Context), same),
			Remedy: "with this chat template, completions cannot continue a conversation exactly; choose --policy server and name its tokenizer (--tokenizer), if the server takes tokens"}
	}
	if len(prompt) == len(q.Context) {
		return remote.Nonsensef("the prompt has only the %d tokens of the conversation so far", len(prompt))
	}
	s.Vocabulary = q.config.Model
	s.Read = slices.Clip(slices.Clone(prompt[len(q.Context):])) // a copy: the long prompt can be freed
	if q.config.NoLogProbs || c.LogProbs == nil || c.LogProbs.Content == nil {
		return nil
	}
	if told := len(c.LogProbs.Content); told != len(s.Wrote) {
		return remote.Nonsensef("%s for %s", stats.Count(told, "log-probability"), stats.Count(len(s.Wrote), "token"))
	}
	var fault *remote.Error
	s.LogProbs, fault = c.LogProbs.list()
	return fault
}

// firstOf returns the first list that is not nil.
func firstOf(lists ...[]quintain.Token) []quintain.Token {
	for _, list := range lists {
		if list != nil {
			return list
		}
	}
	return nil
}

// samePrefix returns the length of the common prefix of a and b.
func samePrefix(a, b []quintain.Token) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
