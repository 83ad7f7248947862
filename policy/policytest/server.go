package policytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Server is a fake OpenAI-compatible server without a model, with the routes /v1/models
// and /v1/chat/completions. Its tokens are pieces of one to three bytes of text, and a few
// special ones. With its chat template every prompt extends the previous one. Set its
// fields before it serves.
type Server struct {
	Model string // name of its only model; "": "fake"
	Key   string // bearer token that it requires; "": none

	// Reply returns the text of choice k. nil: a sentence of about 60 bytes that differs by
	// k.
	Reply func(talk []quintain.Message, k int) string

	PieceBytes int  // bytes per token, 1 to 3; 0: 3
	MaxContext int  // most tokens of prompt and reply together; 0: no limit
	TokenIDs   bool // supports return_token_ids
	NoLogProbs bool // does not support logprobs

	// TokenPlace is the place of token IDs: "" as in vLLM, "choice" as in SGLang, "message"
	// as in NeMo Gym, "names" as in vLLM with return_tokens_as_token_ids.
	TokenPlace string

	// Reasoning is the field of a message for the text between <think> and </think>:
	// "reasoning_content" or "reasoning". "": the text stays in the content.
	Reasoning string

	IgnoresN bool // returns one choice, whatever n says
	RefusesN bool // refuses an n above one like llama.cpp, with status 500
	AtMost   int  // most choices per request; 0: no limit
	Forgets  bool // the template drops <think>…</think> from earlier replies

	Delay time.Duration // time of every reply

	// Faults apply to the first requests for completions, one each; a nil Fault does
	// nothing. Later requests get good answers.
	Faults []Fault

	mu    sync.Mutex
	asked []map[string]any // bodies of the requests for completions
}

// Start serves on a loopback port until the test ends, and returns the base URL of the API,
// which ends with /v1.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// Requests returns the bodies of the requests for completions so far, in order of
// arrival.
func (s *Server) Requests() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any(nil), s.asked...)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key:
		refuse(w, http.StatusUnauthorized, "wrong API key: "+r.Header.Get("Authorization"))
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		send(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": s.model(), "object": "model"}}})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		s.complete(w, r)
	default:
		refuse(w, http.StatusNotFound, "no such route: "+r.URL.Path)
	}
}

func (s *Server) model() string {
	if s.Model == "" {
		return "fake"
	}
	return s.Model
}

// A completionRequest is the body of a request for completions.
type completionRequest struct {
	Model          string             `json:"model"`
	Messages       []quintain.Message `json:"messages"`
	N              *int               `json:"n"`
	Temperature    *float64           `json:"temperature"`
	MaxTokens      *int               `json:"max_tokens"`
	LogProbs       bool               `json:"logprobs"`
	ReturnTokenIDs bool               `json:"return_token_ids"`
}

// note stores the body of a request and returns its fault.
func (s *Server) note(body map[string]any) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, body)
	if n := len(s.asked); n <= len(s.Faults) {
		return s.Faults[n-1]
	}
	return nil
}

// complete answers a request for completions.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	var body map[string]any
	var q completionRequest
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = strictjson.Unmarshal(text, &raw)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if strictjson.Unmarshal(raw, &body) != nil || strictjson.Unmarshal(raw, &q) != nil {
		refuse(w, http.StatusUnprocessableEntity, "the body is not a valid request")
		return
	}
	fault := s.note(body)
	if s.Delay > 0 && !pause.For(r.Context(), s.Delay) {
		return
	}
	n, status, why := s.check(&q)
	if fault == nil && status != 0 {
		refuse(w, status, why)
		return
	}
	reply := s.reply(&q, n)
	if fault != nil {
		fault(w, r, reply)
		return
	}
	send(w, reply)
}

// check returns the number of choices in the reply, or why the request is refused.
func (s *Server) check(q *completionRequest) (n, status int, why string) {
	n = 1
	if q.N != nil {
		n = *q.N
	}
	prompt := len(s.prompt(q.Messages))
	switch {
	case q.Model != s.model():
		return n, http.StatusNotFound, fmt.Sprintf("the model %q does not exist", q.Model)
	case n < 1, len(q.Messages) == 0:
		return n, http.StatusBadRequest, "n and messages must not be empty"
	case q.MaxTokens != nil && *q.MaxTokens < 1:
		return n, http.StatusBadRequest, "max_tokens must be 1 or more"
	case n > 1 && s.RefusesN:
		return n, http.StatusInternalServerError, "Only one completion choice is allowed"
	case n > 1 && q.Temperature != nil && *q.Temperature == 0:
		return n, http.StatusBadRequest, "n must be 1 for greedy sampling"
	case s.MaxContext > 0 && prompt >= s.MaxContext:
		return n, http.StatusBadRequest, fmt.Sprintf("the maximum context length is %d tokens, the prompt has %d", s.MaxContext, prompt)
	case s.IgnoresN:
		return 1, 0, ""
	case s.AtMost > 0:
		return min(n, s.AtMost), 0, ""
	}
	return n, 0, ""
}

// reply returns the body of a reply with n choices.
func (s *Server) reply(q *completionRequest, n int) map[string]any {
	choices := make([]any, n)
	for k := range choices {
		choices[k] = s.choice(q, k)
	}
	reply := map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": s.model(), "choices": choices}
	if s.TokenIDs && q.ReturnTokenIDs && (s.TokenPlace == "" || s.TokenPlace == "names") {
		reply["prompt_token_ids"] = s.prompt(q.Messages)
	}
	return reply
}

// choice returns choice k of a reply.
func (s *Server) choice(q *completionRequest, k int) map[string]any {
	text := fmt.Sprintf("I have read %d messages, and this is what I say in reply %d.", len(q.Messages), k)
	if s.Reply != nil {
		text = s.Reply(q.Messages, k)
	}
	tokens, finish := append(s.pieces(text), endOfTurn), "stop"
	most := len(tokens)
	if q.MaxTokens != nil {
		most = *q.MaxTokens
	}
	if s.MaxContext > 0 {
		most = min(most, s.MaxContext-len(s.prompt(q.Messages)))
	}
	if most < len(tokens) {
		tokens, finish = tokens[:max(0, most)], "length"
	}
	message := s.message(spell(tokens))
	choice := map[string]any{"index": k, "message": message, "finish_reason": finish, "logprobs": nil}
	if q.LogProbs && !s.NoLogProbs {
		choice["logprobs"] = map[string]any{"content": entries(tokens, s.TokenPlace == "names")}
	}
	if !s.TokenIDs || !q.ReturnTokenIDs {
		return choice
	}
	switch s.TokenPlace {
	case "":
		choice["token_ids"] = tokens
	case "choice":
		choice["token_ids"], choice["prompt_token_ids"] = tokens, s.prompt(q.Messages)
	case "message":
		message["generation_token_ids"], message["prompt_token_ids"] = tokens, s.prompt(q.Messages)
	}
	return choice
}

// message returns a message of the assistant, with its reasoning in the field that
// s.Reasoning names.
func (s *Server) message(text string) map[string]any {
	message := map[string]any{"role": quintain.RoleAssistant, "content": text}
	inner, thinks := strings.CutPrefix(text, "<think>")
	if s.Reasoning == "" || !thinks {
		return message
	}
	think, rest, ended := strings.Cut(inner, "</think>")
	message[s.Reasoning], message["content"] = think, nil
	if ended {
		message["content"] = strings.TrimLeft(rest, "\n")
	}
	return message
}

// send answers with value as JSON.
func send(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a vanished client is not an error here
}

// refuse answers with an error in OpenAI's format.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why, "code": status}})
}
