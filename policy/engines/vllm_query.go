package engines

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A vllmQuery is one request, with the part of its answer that has arrived.
type vllmQuery struct {
	prompt   policy.Prompt
	config   *VLLMConfig
	believes func(version int32) bool // of [remote.Server]
	id       string                   // of a native request
	sent     []byte                   // the tokens of the prompt as written in the request
	version  int32                    // of the weights when it was sent

	events  *eventReader
	outputs []policy.Output
	spans   [][]span // of each output: the versions that the server reports
	mine    bool     // the answer is to this prompt
}

// call returns the request to the server.
func (q *vllmQuery) call() (c remote.Call, err error) {
	c = remote.Call{Missing: vllmMissing, Begin: q.begin, Guided: len(q.prompt.Schema) > 0}
	tokens := "prompt"
	fields := vllmSampling(q.prompt.Sampling, q.prompt.N)
	if len(q.prompt.Schema) > 0 {
		fields["structured_outputs"] = map[string]any{"json": q.prompt.Schema}
	}
	if q.config.Native {
		q.id = fmt.Sprintf("quintain-%016x", rand.Uint64())
		c.Path, c.Read, tokens = "inference/v1/generate", q.readNative, "token_ids"
		fields["logprobs"] = 0
		fields = map[string]any{"request_id": q.id, "model": q.config.Model, "sampling_params": fields}
	} else {
		c.Path, c.Event, c.Read = "v1/completions", q.event, q.end
		maps.Copy(fields, map[string]any{
			"model": q.config.Model, "logprobs": 0, "return_token_ids": true, "stream": true, "stream_interval": q.config.Interval,
		})
		if len(q.prompt.Stop) > 0 {
			fields["stop"], fields["include_stop_str_in_output"] = q.prompt.Stop, true
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return c, fmt.Errorf("body of the request: %w", err)
	}
	body := make([]byte, 0, 6*len(q.prompt.Tokens)+len(rest)+len(`{"token_ids":,`))
	body = append(append(append(body, `{"`...), tokens...), `":`...)
	begin := len(body)
	body = policy.AppendTokens(body, q.prompt.Tokens)
	q.sent = body[begin:len(body):len(body)]
	c.Body = append(append(body, ','), rest[1:]...)
	return c, nil
}

// begin forgets the results of an earlier attempt.
func (q *vllmQuery) begin(version int32) {
	q.outputs, q.spans = make([]policy.Output, q.prompt.N), make([][]span, q.prompt.N)
	q.events, q.mine, q.version = newEventReader(), false, version
}

// A vllmReply is an answer, or an event of one.
type vllmReply struct {
	RequestID string          `json:"request_id"` // native only
	Choices   []vllmChoice    `json:"choices"`
	Error     json.RawMessage `json:"error"`
}

type vllmChoice struct {
	Index          int              `json:"index"`
	TokenIDs       []quintain.Token `json:"token_ids"`
	PromptTokenIDs []quintain.Token `json:"prompt_token_ids"`
	FinishReason   *string          `json:"finish_reason"`
	LogProbs       *struct {
		Tokens  []*float64 `json:"token_logprobs"`
		Content []struct {
			LogProb *float64 `json:"logprob"`
		} `json:"content"` // native only
	} `json:"logprobs"`
	PromptLogProbs []map[string]likely `json:"prompt_logprobs"`
	Versions       []span              `json:"weight_versions"` // native only, vLLM 0.32

	probs []float32 // instead of LogProbs, from an event of the usual form
}

// A span says which weights sampled the tokens from start to end, excluded.
type span struct {
	Version json.RawMessage `json:"version"`
	Start   int             `json:"start"`
	End     int             `json:"end"`
}

// event adds an event of a stream to the outputs.
func (q *vllmQuery) event(data []byte) *remote.Error {
	data = q.withoutPrompt(data)
	var r vllmReply
	var usual bool
	if r.Choices, usual = q.events.read(data); !usual {
		r = vllmReply{}
		if fault := remote.Decode(data, &r); fault != nil {
			return fault
		}
	}
	if len(r.Error) > 0 {
		return &remote.Error{Kind: remote.ServerFailed, Err: fmt.Errorf("the stream says %.200s", r.Error)}
	}
	for i := range r.Choices {
		if fault := q.add(&r.Choices[i]); fault != nil {
			return fault
		}
	}
	return nil
}

// withoutPrompt cuts the prompt, if echoed as sent, out of an event: most of the event,
// whose memory it reuses. A JSON string cannot contain the key with its quotes.
func (q *vllmQuery) withoutPrompt(data []byte) []byte {
	const key = `"prompt_token_ids":`
	begin := bytes.Index(data, []byte(key)) + len(key)
	if begin < len(key) || len(q.sent) < len("null") || !bytes.HasPrefix(data[begin:], q.sent) {
		return data
	}
	q.mine = true
	return append(append(data[:begin], "null"...), data[begin+len(q.sent):]...)
}

// add appends c to its output.
func (q *vllmQuery) add(c *vllmChoice) *remote.Error {
	if c.Index < 0 || c.Index >= q.prompt.N {
		return remote.Nonsensef("choice %d, asked for %d", c.Index, q.prompt.N)
	}
	o := &q.outputs[c.Index]
	if o.Finish != "" {
		return remote.Nonsensef("choice %d continues after its end", c.Index)
	}
	if fault := q.recognize(c.PromptTokenIDs); fault != nil {
		return fault
	}
	probs, fault := c.logProbs()
	if fault != nil {
		return fault
	}
	if len(probs) != len(c.TokenIDs) {
		return remote.Nonsensef("%s for %s", stats.Count(len(probs), "log-probability"), stats.Count(len(c.TokenIDs), "token"))
	}
	o.Tokens = append(o.Tokens, c.TokenIDs...)
	o.LogProbs = append(o.LogProbs, probs...)
	q.spans[c.Index] = append(q.spans[c.Index], c.Versions...)
	if q.prompt.Sampled != nil && c.Index == 0 && q.mine {
		q.prompt.Sampled(o.Tokens)
	}
	if c.FinishReason != nil {
		o.Finish, fault = vllmFinish(*c.FinishReason)
	}
	return fault
}

// recognize checks a prompt's tokens, if there are any, against those sent.
func (q *vllmQuery) recognize(prompt []quintain.Token) *remote.Error {
	if len(prompt) > 0 && !slices.Equal(prompt, q.prompt.Tokens) {
		return remote.Nonsensef("the answer is to another prompt, of %d tokens", len(prompt))
	}
	q.mine = q.mine || len(prompt) > 0
	return nil
}

// logProbs returns the log-probabilities of c's tokens.
func (c *vllmChoice) logProbs() ([]float32, *remote.Error) {
	if c.LogProbs == nil {
		return c.probs, nil
	}
	list := c.LogProbs.Tokens
	for _, e := range c.LogProbs.Content {
		list = append(list, e.LogProb)
	}
	probs := make([]float32, len(list))
	for i, p := range list {
		var err error
		if probs[i], err = policy.LogProb(p); err != nil {
			return nil, remote.Nonsensef("log-probability of token %d %w", i, err)
		}
	}
	return probs, nil
}

// readNative reads an answer of /inference/v1/generate.
func (q *vllmQuery) readNative(body []byte) *remote.Error {
	var r vllmReply
	if fault := remote.Decode(body, &r); fault != nil {
		return fault
	}
	if !strings.HasSuffix(r.RequestID, q.id) { // vLLM 0.32 puts "generate-tokens-" before it
		return remote.Nonsensef("the answer is to request %.60q, asked as %q", r.RequestID, q.id)
	}
	for i := range r.Choices {
		if fault := q.add(&r.Choices[i]); fault != nil {
			return fault
		}
	}
	q.mine = true
	return q.end(nil)
}

// end completes the outputs of a whole answer. vLLM says nothing of a reply that it aborts
// before the first token; a stream of nothing else has only its end.
func (q *vllmQuery) end(body []byte) *remote.Error {
	empty := 0
	for k := range q.outputs {
		o := &q.outputs[k]
		if o.Finish == "" && len(o.Tokens) == 0 && string(body) == remote.Done {
			o.Finish = quintain.Aborted
		}
		if o.Finish == "" {
			return &remote.Error{Kind: remote.Unreachable, Err: fmt.Errorf("choice %d has no end: %w", k, io.ErrUnexpectedEOF)}
		}
		if err := policy.CheckOutput(q.prompt, *o); err != nil {
			return remote.Nonsensef("choice %d: %w", k, err)
		}
		if len(o.Tokens) == 0 {
			empty++
		}
		var fault *remote.Error
		if o.Versions, fault = versions(q.version, len(o.Tokens), q.spans[k], q.believes); fault != nil {
			return fault
		}
	}
	switch {
	case empty == len(q.outputs):
		return &remote.Error{Kind: remote.Aborted, Err: errors.New("there is no token yet")}
	case !q.mine:
		return &remote.Error{Kind: remote.Unsupported, Err: fmt.Errorf("the answer has no token IDs of the prompt"),
			Remedy: "vLLM 0.10.2 and newer report token IDs"}
	}
	return nil
}

// versions returns the versions of n tokens: the server's if it is to be believed, else the
// version before the request.
func versions(before int32, n int, spans []span, believes func(int32) bool) ([]int32, *remote.Error) {
	of := slices.Repeat([]int32{before}, n)
	for _, s := range spans {
		if s.Start < 0 || s.Start > s.End || s.End > n {
			return nil, remote.Nonsensef("versions of the tokens from %d to %d, of %d", s.Start, s.End, n)
		}
		if version, known := remote.ParseVersion(s.Version); known && believes(version) {
			for i := s.Start; i < s.End; i++ {
				of[i] = version
			}
		}
	}
	return of, nil
}

// cut returns the outputs of a cut answer that have tokens, and keep their promises.
func (q *vllmQuery) cut() (outputs []policy.Output) {
	for _, o := range q.outputs {
		if len(o.Tokens) > 0 && q.mine {
			o.Finish, o.Versions = cmp.Or(o.Finish, quintain.Aborted), slices.Repeat([]int32{q.version}, len(o.Tokens))
			if policy.CheckOutput(q.prompt, o) == nil {
				outputs = append(outputs, o)
			}
		}
	}
	return outputs
}
