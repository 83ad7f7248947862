package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// openAI returns the routes common to all shapes.
func (s *Server) openAI() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v1/models": func(w http.ResponseWriter, _ *http.Request) {
			model := map[string]any{"id": s.cfg.Model, "object": "model", "owned_by": string(s.shape)}
			if s.shape == VLLM || s.shape == All {
				model["owned_by"], model["max_model_len"] = "vllm", s.cfg.Context
			}
			send(w, map[string]any{"object": "list", "data": []any{model}})
		},
		"POST /v1/chat/completions": s.samples(form{read: readChat, whole: wholeChat}),
		"POST /v1/completions":      s.samples(form{read: readCompletion, whole: wholeCompletion, event: eventCompletion}),
	}
}

// A completionRequest is the body of a request to OpenAI's API, with vLLM's fields.
type completionRequest struct {
	Model          string            `json:"model"`
	Messages       []json.RawMessage `json:"messages"`
	Prompt         json.RawMessage   `json:"prompt"`             // text or tokens
	Special        *bool             `json:"add_special_tokens"` // add the tokens that open and close a text; null: true
	N              *int              `json:"n"`
	Temperature    *float64          `json:"temperature"`
	TopP           float64           `json:"top_p"`
	TopK           int               `json:"top_k"`
	MaxTokens      *int              `json:"max_tokens"`
	ReturnTokenIDs bool              `json:"return_token_ids"`
	Stream         bool              `json:"stream"`
	Interval       int               `json:"stream_interval"`
	PromptLogProbs *int              `json:"prompt_logprobs"`
	LogProbs       json.RawMessage   `json:"logprobs"` // whether, of chat; else how many
	Stop           stops             `json:"stop"`
	KeepStop       bool              `json:"include_stop_str_in_output"`
	Structured     struct {
		JSON json.RawMessage `json:"json"`
	} `json:"structured_outputs"` // vLLM's
	Format struct {
		JSON struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// stops are stop texts: a list, or a single text.
type stops []string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *stops) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*s = make(stops, 1)
		return strictjson.Unmarshal(text, &(*s)[0])
	}
	return strictjson.Unmarshal(text, (*[]string)(s))
}

// readCompletion reads the body of a request.
func (s *Server) readCompletion(text []byte) (*completionRequest, *job, error) {
	q := completionRequest{Prompt: tokensFirst(text)}
	if n := len(q.Prompt); n > 0 {
		text = append([]byte{'{'}, text[len(promptFirst)+n+1:]...)
	}
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return nil, nil, err
	}
	if q.Model != s.cfg.Model {
		return nil, nil, fmt.Errorf("the model %q does not exist", q.Model)
	}
	j := &job{
		id: fmt.Sprintf("fake-%d", s.Stats().Asked), n: 1, stream: q.Stream, interval: q.Interval, ids: q.ReturnTokenIDs,
		sampling: quintain.Sampling{Temperature: 1, TopP: q.TopP, TopK: max(0, q.TopK)},
		stop:     q.Stop, keepStop: q.KeepStop, schema: q.Structured.JSON,
	}
	if q.N != nil {
		j.n = *q.N
	}
	if q.Temperature != nil {
		j.sampling.Temperature = *q.Temperature
	}
	if q.MaxTokens != nil {
		j.sampling.MaxTokens = *q.MaxTokens
	}
	var err error
	j.prompt, j.text, err = s.promptOf(&q)
	return &q, j, err
}

const promptFirst = `{"prompt":`

// tokensFirst returns the list of a request that begins with its tokens, as the clients write it that
// send long ones; the rest is then read without them. Nil: it begins otherwise.
func tokensFirst(text []byte) json.RawMessage {
	list, found := bytes.CutPrefix(text, []byte(promptFirst+"["))
	end := bytes.IndexByte(list, ']')
	if !found || end < 0 || !bytes.HasPrefix(list[end:], []byte(`],"`)) {
		return nil
	}
	return json.RawMessage(text[len(promptFirst):][:end+2])
}

// promptOf returns the tokens of q's prompt and whether it is text.
func (s *Server) promptOf(q *completionRequest) (tokens []quintain.Token, isText bool, err error) {
	if len(q.Prompt) == 0 || q.Prompt[0] != '"' {
		tokens, err = readTokens(q.Prompt)
		return tokens, false, err
	}
	var text string
	if err := strictjson.Unmarshal(q.Prompt, &text); err != nil {
		return nil, true, err
	}
	tokens, err = s.vocabulary.encode(text, q.Special == nil || *q.Special)
	return tokens, true, err
}

// readTokens reads a list of tokens; nil if text is empty.
func readTokens(text []byte) (tokens []quintain.Token, err error) {
	tokens, usual := policy.ReadTokens(nil, text)
	if usual || len(text) == 0 {
		return tokens, nil
	}
	tokens = nil
	return tokens, strictjson.Unmarshal(text, &tokens)
}

func readChat(s *Server, text []byte) (*job, error) {
	q, j, err := s.readCompletion(text)
	if err != nil {
		return nil, err
	}
	if len(q.Messages) == 0 {
		return nil, fmt.Errorf("messages are missing")
	}
	j.probs = string(q.LogProbs) == "true"
	if q.Format.JSON.Schema != nil {
		j.schema = q.Format.JSON.Schema
	}
	j.prompt, err = s.vocabulary.prompt(text)
	return j, err
}

func wholeChat(s *Server, j *job, out []piece) any {
	choices := make([]any, len(out))
	for k, p := range out {
		tokens, probs := given(p)
		choice := map[string]any{
			"index": k, "finish_reason": reason(p.finish),
			"message":  map[string]any{"role": quintain.RoleAssistant, "content": s.text(j, tokens)},
			"logprobs": nil,
		}
		if j.probs {
			choice["logprobs"] = map[string]any{"content": s.entries(tokens, probs)}
		}
		if j.ids {
			choice["token_ids"] = tokens
		}
		choices[k] = choice
	}
	reply := map[string]any{
		"id": j.id, "object": "chat.completion", "model": s.cfg.Model, "choices": choices, "usage": usage(j, sampled(out)),
	}
	if j.ids {
		reply["prompt_token_ids"] = j.prompt
	}
	return reply
}

// An entry is a token with its log-probability.
type entry struct {
	Token   string `json:"token"`
	LogProb prob   `json:"logprob"`
	Bytes   []int  `json:"bytes"`
	Top     []any  `json:"top_logprobs"` // none: only the sampled tokens have one
}

// entries pairs tokens with their log-probabilities, as many as there are.
func (s *Server) entries(tokens []quintain.Token, probs probs) []entry {
	spelled := s.vocabulary.spell(tokens)[len(tokens)-len(probs):]
	list := make([]entry, len(probs))
	for i, p := range probs {
		list[i] = entry{Token: spelled[i].name, LogProb: prob(p), Top: []any{}}
		for _, b := range spelled[i].bytes {
			list[i].Bytes = append(list[i].Bytes, int(b))
		}
	}
	return list
}
