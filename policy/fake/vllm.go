package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// vLLM returns the routes of vLLM's server, those of developer mode included.
func (s *Server) vLLM() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /version":                s.say(func() any { return map[string]any{"version": "0.32.0+fake"} }),
		"POST /inference/v1/generate": s.samples(form{read: readNative, whole: wholeNative}),
		"POST /generate":              s.samples(form{read: readGenerate, whole: wholeGenerate}),
		"POST /tokenize":              s.tokenize,
		"POST /pause":                 s.pauseVLLM,
		"POST /resume":                s.resume(map[string]any{"status": "resumed"}),
		"GET /is_paused":              s.say(func() any { return map[string]any{"is_paused": s.engine.entry.shut.Load() != nil} }),
		"GET /weight_info":            s.say(func() any { return map[string]any{"weight_version": s.label()} }),
		"POST /collective_rpc":        s.say(func() any { return map[string]any{"results": []any{nil}} }), // no weights, nothing to load
		"POST /update_weight_version": s.update,
		"POST /finish_weight_update":  s.update,
	}
}

// say answers with the result of value.
func (s *Server) say(value func() any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { send(w, value()) }
}

// label is the version of the weights as servers write it.
func (s *Server) label() string { return strconv.Itoa(int(s.engine.weights.Load().Version)) }

func readCompletion(s *Server, text []byte) (*job, error) {
	q, j, err := s.readCompletion(text)
	if err != nil {
		return nil, err
	}
	if j.n > 1 && j.sampling.Temperature == 0 {
		return nil, fmt.Errorf("n must be 1 when using greedy sampling, got %d", j.n)
	}
	if q.PromptLogProbs != nil {
		j.score, j.top = true, *q.PromptLogProbs
	}
	return j, nil
}

// texts returns the texts of the last n tokens.
func (s *Server) texts(tokens []quintain.Token, n int) []string {
	list := make([]string, n)
	for i, of := range s.vocabulary.spell(tokens)[len(tokens)-n:] {
		list[i] = string(of.bytes)
	}
	return list
}

func wholeCompletion(s *Server, j *job, out []piece) any {
	if j.score {
		out = []piece{{finish: "length"}}
	}
	var prompt []byte
	if j.ids {
		prompt = policy.AppendTokens(nil, j.prompt)
	}
	choices := make([]json.RawMessage, len(out))
	for k, p := range out {
		choices[k] = s.appendChoice(nil, event{j, told{k, p}, prompt})
	}
	return map[string]any{"id": j.id, "object": "text_completion", "model": s.cfg.Model, "choices": choices, "usage": usage(j, sampled(out))}
}

func eventCompletion(b []byte, s *Server, e event) []byte {
	b = strictjson.AppendText(append(b, `{"id":`...), e.job.id)
	b = strictjson.AppendText(append(b, `,"object":"text_completion","model":`...), s.cfg.Model)
	return append(s.appendChoice(append(b, `,"choices":[`...), e), `]}`...)
}

// appendChoice appends one choice of a completion.
func (s *Server) appendChoice(b []byte, e event) []byte {
	tokens, probs := given(e.piece)
	b = strconv.AppendInt(append(b, `{"index":`...), int64(e.k), 10)
	b = strictjson.AppendText(append(b, `,"text":`...), s.text(e.job, tokens))
	b = append(b, `,"logprobs":{"tokens":`...)
	var texts []string
	if e.job.text {
		texts = s.texts(tokens, len(probs))
	}
	b = strictjson.AppendList(b, texts, strictjson.AppendText)
	b = strictjson.AppendList(append(b, `,"token_logprobs":`...), probs, appendProb)
	var finish, ids []byte
	if e.finish != "" {
		finish = strictjson.AppendText(nil, e.finish)
	}
	if e.job.ids {
		ids = policy.AppendTokens(nil, tokens)
	}
	b = orNull(append(b, `},"finish_reason":`...), finish)
	b = orNull(append(b, `,"token_ids":`...), ids)
	b = orNull(append(b, `,"prompt_token_ids":`...), e.prompt)
	if e.job.score {
		places, _ := json.Marshal(s.places(e.job)) // plain numbers
		b = append(append(b, `,"prompt_logprobs":`...), places...)
	}
	return append(b, '}')
}

// orNull appends value, or null if it is nil.
func orNull(b, value []byte) []byte {
	if value == nil {
		return append(b, `null`...)
	}
	return append(b, value...)
}

// places returns the log-probabilities of j's prompt in the form of prompt_logprobs.
func (s *Server) places(j *job) []any {
	list := []any{nil}
	s.each(j, func(t quintain.Token, p float64, top []policy.Likely) {
		at := map[string]any{}
		for _, l := range top {
			at[strconv.Itoa(int(l.Token))] = map[string]any{"logprob": l.LogProb}
		}
		at[strconv.Itoa(int(t))] = map[string]any{"logprob": p}
		list = append(list, at)
	})
	return list
}

func readNative(s *Server, text []byte) (*job, error) {
	var q struct {
		ID       string           `json:"request_id"`
		Tokens   []quintain.Token `json:"token_ids"`
		Sampling json.RawMessage  `json:"sampling_params"`
	}
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	j, err := s.readSampling(q.Sampling, q.Tokens)
	if err != nil {
		return nil, err
	}
	j.id = q.ID
	return j, nil
}

// readSampling reads the sampling of a request.
func (s *Server) readSampling(text []byte, prompt []quintain.Token) (*job, error) {
	var how map[string]any
	if err := strictjson.Unmarshal(text, &how); err != nil {
		return nil, err
	}
	if how == nil {
		return nil, errors.New("sampling parameters are missing")
	}
	how["model"], how["prompt"] = s.cfg.Model, prompt
	body, err := json.Marshal(how)
	if err != nil {
		return nil, err
	}
	_, j, err := s.readCompletion(body)
	return j, err
}

func wholeNative(s *Server, j *job, out []piece) any {
	choices := make([]any, len(out))
	for k, p := range out {
		tokens, probs := given(p)
		choices[k] = map[string]any{
			"index": k, "finish_reason": reason(p.finish), "token_ids": tokens, "logprobs": map[string]any{"content": s.entries(tokens, probs)},
		}
	}
	return map[string]any{"request_id": "generate-tokens-" + j.id, "choices": choices}
}

// tokenize answers like all three servers.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	text, ok := bodyText(w, r)
	if !ok {
		return
	}
	q := struct {
		Prompt   *string           `json:"prompt"`  // vLLM, like Messages
		Content  string            `json:"content"` // llama.cpp
		Messages []json.RawMessage `json:"messages"`
		Special  bool              `json:"add_special_tokens"`
		LlamaCpp bool              `json:"add_special"`
	}{Special: true}
	if err := strictjson.Unmarshal(text, &q); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	var tokens []quintain.Token
	var err error
	switch {
	case len(q.Messages) > 0:
		tokens, err = s.vocabulary.prompt(text)
	case q.Prompt != nil:
		tokens, err = s.vocabulary.encode(*q.Prompt, q.Special)
	default:
		tokens, err = s.vocabulary.encode(q.Content, q.LlamaCpp)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	send(w, map[string]any{"tokens": tokens, "count": len(tokens), "max_model_len": s.cfg.Context})
}

func (s *Server) pauseVLLM(w http.ResponseWriter, r *http.Request) {
	mode := r.URL.Query().Get("mode")
	if mode == "" {
		mode = "abort"
	}
	if s.pause(w, r, mode) {
		send(w, map[string]any{"status": "paused"})
	}
}

// pause stops the engine in a mode of vLLM, or answers with the fault.
func (s *Server) pause(w http.ResponseWriter, r *http.Request, mode string) bool {
	e := &s.engine
	switch mode {
	case "abort":
		e.entry.close()
		e.abort("", true)
	case "keep":
		e.entry.close()
		e.step.close()
	case "wait":
		e.entry.close()
		select {
		case <-e.drained():
		case <-r.Context().Done():
		}
	default:
		refuse(w, http.StatusBadRequest, fmt.Sprintf("mode is %q, want abort, keep or wait", mode))
		return false
	}
	return true
}

// resume returns a handler that restarts the engine.
func (s *Server) resume(answer any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		s.engine.step.open()
		s.engine.entry.open()
		send(w, answer)
	}
}

// update sets the version of the weights, as vLLM and SGLang do.
func (s *Server) update(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Weights string `json:"weight_version"`
		New     string `json:"new_version"`
		Abort   bool   `json:"abort_all_requests"`
	}
	if !body(w, r, &q) {
		return
	}
	label := q.New + q.Weights
	version, err := strconv.ParseInt(label, 10, 32)
	if err != nil || version < 0 {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the version is %q, want a whole number", label))
		return
	}
	s.engine.weights.Store(s.model.Weights(int32(version)))
	if q.Abort {
		s.engine.abort("", true) // after the update: whoever retries at once gets the new weights
	}
	send(w, map[string]any{"success": true, "new_version": label, "message": "Weights updated"})
}

// readGenerate reads a request to Atropos' server around vLLM.
func readGenerate(s *Server, text []byte) (*job, error) {
	var q struct {
		Prompt struct {
			Tokens []quintain.Token `json:"prompt_token_ids"`
		} `json:"prompt"`
	}
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	return s.readSampling(text, q.Prompt.Tokens)
}

func wholeGenerate(s *Server, j *job, out []piece) any {
	n := len(out)
	texts, finishes, ids, logProbs := make([]string, n), make([]any, n), make([][]quintain.Token, n), make([][][1]map[quintain.Token]prob, n)
	for k, p := range out {
		tokens, probs := given(p)
		texts[k], finishes[k], ids[k] = s.text(j, tokens), reason(p.finish), tokens
		for i, p := range probs {
			logProbs[k] = append(logProbs[k], [1]map[quintain.Token]prob{{tokens[len(tokens)-len(probs)+i]: prob(p)}})
		}
	}
	return map[string]any{"text": texts, "finish_reasons": finishes, "token_ids": ids, "logprobs": logProbs, "prompt_token_ids": j.prompt}
}
