package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// A form describes the requests and answers of a route.
type form struct {
	read  func(s *Server, body []byte) (*job, error)
	whole func(s *Server, j *job, out []piece) any
	event func(b []byte, s *Server, e event) []byte // appends an event's JSON; nil: no streams
}

// An event carries a piece in a stream.
type event struct {
	job *job
	told
	prompt []byte // its tokens as JSON; nil: not included
}

// table returns the routes of the server's shape.
func (s *Server) table() map[string]http.HandlerFunc {
	routes := map[string]http.HandlerFunc{"GET /health": func(w http.ResponseWriter, _ *http.Request) { send(w, map[string]any{"status": "ok"}) }}
	maps.Copy(routes, s.openAI())
	for _, l := range looksOf() {
		if s.shape == l.shape || s.shape == All {
			maps.Copy(routes, l.routes(s))
		}
	}
	if s.shape != OpenAI {
		routes["GET /metrics"] = s.metrics
	}
	return routes
}

// maxBody limits the body of a request.
const maxBody = 64 << 20

// body decodes the JSON body of r into value, or answers with the fault.
func body(w http.ResponseWriter, r *http.Request, value any) bool {
	text, ok := bodyText(w, r)
	if !ok || len(text) == 0 {
		return ok
	}
	if err := strictjson.Unmarshal(text, value); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

// bodyText reads the body of r, or answers with the fault.
func bodyText(w http.ResponseWriter, r *http.Request) (text []byte, ok bool) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return nil, false
	}
	return text, true
}

// samples returns a handler of requests for samples.
func (s *Server) samples(f form) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		arrived := time.Now()
		text, ok := bodyText(w, r)
		if !ok {
			return
		}
		j, err := s.request(f, text)
		if err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		j.abort, j.arrived = make(chan struct{}), arrived
		fault, random := s.arrive(j)
		if fault.before(w, r) {
			return
		}
		if fault == Aborted {
			j.cancel()
		}
		if j.score {
			fault.misdirect(j)
			answer(w, fault, f.whole(s, j, nil))
			return
		}
		if j.stream && f.event != nil && fault != GaveUp {
			sse := stream{server: s, form: f, job: j, fault: fault, w: w, begun: make([]bool, j.n)}
			if j.ids {
				sse.prompt = policy.AppendTokens(nil, j.prompt)
			}
			if s.play(r.Context(), j, random, sse.emit) == nil {
				sse.end()
			}
			return
		}
		out := make([]piece, j.n)
		err = s.play(r.Context(), j, random, func(list []told) error {
			for _, p := range list {
				of := &out[p.k]
				of.tokens, of.probs, of.finish = append(of.tokens, p.tokens...), append(of.probs, p.probs...), p.finish
			}
			return nil
		})
		if err != nil {
			return // the client is gone
		}
		fault.misdirect(j)
		fault.spoil(&out[0])
		answer(w, fault, f.whole(s, j, out))
	}
}

// request reads and checks a request.
func (s *Server) request(f form, text []byte) (*job, error) {
	j, err := f.read(s, text)
	if err != nil {
		return nil, err
	}
	return j, s.check(j)
}

// check returns a reason to refuse j.
func (s *Server) check(j *job) error {
	for _, t := range j.prompt {
		if a := s.model.tokens; t < 0 || int(t) >= a.size || !a.known(t) {
			return fmt.Errorf("token %d is not in the vocabulary, 0 to %d", t, a.size-1)
		}
	}
	switch {
	case len(j.prompt) == 0:
		return fmt.Errorf("the prompt is empty")
	case j.schema != nil && !bytes.HasPrefix(bytes.TrimSpace(j.schema), []byte("{")):
		return fmt.Errorf("the JSON schema is %.40q, want an object", j.schema)
	case j.n < 1 || j.n > 1024:
		return fmt.Errorf("n is %d, want 1 to 1024", j.n)
	case j.sampling.Temperature < 0 || j.sampling.MaxTokens < 0:
		return fmt.Errorf("temperature and max_tokens must not be below 0")
	case len(j.prompt)+max(1, j.sampling.MaxTokens) > s.cfg.Context:
		return fmt.Errorf("this model's maximum context length is %s, the prompt has %d and %d are to be sampled",
			stats.Count(s.cfg.Context, "token"), len(j.prompt), j.sampling.MaxTokens)
	}
	return nil
}

// each calls call for each token of j's prompt but the first, with its log-probability and
// the likeliest tokens at its place.
func (s *Server) each(j *job, call func(t quintain.Token, logProb float64, top []policy.Likely)) {
	w := s.engine.weights.Load()
	at := s.model.stateOf(j.prompt[:1])
	for _, t := range j.prompt[1:] {
		call(t, math.Log(w.p(at, t)), w.top(at, j.top))
		at = s.model.after(at, t)
	}
}

// answer writes an answer, or the rest that the fault leaves.
func answer(w http.ResponseWriter, f Fault, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	text = f.text(text)
	if f == GaveUp {
		page(w, http.StatusGatewayTimeout)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if f == Cut {
		_, _ = w.Write(text[:len(text)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(text) // a vanished client needs no answer
}

// A stream is an answer in server-sent events.
type stream struct {
	server *Server
	form   form
	job    *job
	fault  Fault
	w      http.ResponseWriter
	begun  []bool // per sample
	prompt []byte // its tokens as JSON; nil: not included
	event  []byte // buffer
	events int
	tokens int
	ended  int // samples
}

// emit sends one event per piece, all at once. The last ones go with what end writes.
func (t *stream) emit(list []told) error {
	for _, of := range list {
		if of.finish != "" {
			t.ended++
		}
		if err := t.tell(of); err != nil {
			return err
		}
		if t.fault == Cut && (t.events == 2 || of.finish != "") {
			_ = t.flush()
			panic(http.ErrAbortHandler)
		}
	}
	if t.ended == t.job.n {
		return nil
	}
	return t.flush()
}

// tell writes an event. Like vLLM, it says nothing of a sample that is aborted before its first
// token.
func (t *stream) tell(of told) error {
	t.w.Header().Set("Content-Type", "text/event-stream")
	if of.finish == "abort" && !t.begun[of.k] {
		return nil
	}
	if t.events++; t.events == 1 {
		t.fault.misdirect(t.job)
		if t.fault == Stray && t.prompt != nil {
			t.prompt = policy.AppendTokens(nil, t.job.prompt)
		}
		t.fault.spoil(&of.piece)
	}
	if t.fault == NoEnd {
		of.finish = ""
	}
	t.tokens += len(of.tokens)
	if of.extra != 0 {
		of.tokens, of.probs = append(of.tokens, of.extra), append(of.probs, -1)
	}
	var prompt []byte
	if t.job.ids && !t.begun[of.k] {
		prompt = t.prompt
	}
	t.begun[of.k] = true
	return t.write(func(b []byte) []byte { return t.form.event(b, t.server, event{t.job, of, prompt}) })
}

// write writes an event; add appends its JSON.
func (t *stream) write(add func([]byte) []byte) error {
	t.event = append(add(append(t.event[:0], "data: "...)), "\n\n"...)
	if _, err := t.w.Write(t.fault.text(t.event)); err != nil {
		return errHungUp
	}
	return nil
}

func (t *stream) flush() error { return http.NewResponseController(t.w).Flush() }

// end sends the token counts, unless there are no tokens, and ends the stream.
func (t *stream) end() {
	text, err := json.Marshal(map[string]any{"choices": []any{}, "usage": usage(t.job, t.tokens)})
	if err != nil || t.events > 0 && t.write(func(b []byte) []byte { return append(b, text...) }) != nil {
		return
	}
	_, _ = t.w.Write([]byte("data: [DONE]\n\n"))
}

// usage returns the token counts in OpenAI's form.
func usage(j *job, sampled int) map[string]int {
	return map[string]int{"prompt_tokens": len(j.prompt), "completion_tokens": sampled, "total_tokens": len(j.prompt) + sampled}
}

// send answers with value as JSON.
func send(w http.ResponseWriter, value any) { answer(w, "", value) }

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why, "code": status}})
}

// given returns the tokens and log-probabilities of p, with the extra one if there is one.
func given(p piece) ([]quintain.Token, probs) {
	if p.extra == 0 {
		return p.tokens, p.probs
	}
	return append(slices.Clip(p.tokens), p.extra), append(slices.Clip(p.probs), -1)
}

// reason returns a finish as JSON; null: unfinished.
func reason(finish string) any {
	if finish == "" {
		return nil
	}
	return finish
}

// sampled returns the number of tokens in out.
func sampled(out []piece) (n int) {
	for _, p := range out {
		n += len(p.tokens)
	}
	return n
}

// text returns the text of a reply to j or, in a stream, of a part: up to a stop text unless j
// keeps it.
func (s *Server) text(j *job, tokens []quintain.Token) string {
	text := s.vocabulary.text(tokens)
	if begin, _ := policy.Stopped(text, j.stop); begin >= 0 && !j.keepStop {
		return text[:begin]
	}
	return text
}

// metrics answers with the metric names of vLLM, SGLang and llama.cpp.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	running, waiting, tokens := s.engine.load()
	use := min(1, float64(tokens)/float64(64*s.cfg.Context))
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, l := range looksOf() {
		for i, value := range []float64{float64(running), float64(waiting), use} {
			if name := l.gauges[i]; name != "" && (s.shape == All || s.shape == l.shape) {
				fmt.Fprintf(w, "# TYPE %s gauge\n%s{model_name=%q} %v\n", name, name, s.cfg.Model, value)
			}
		}
	}
}
