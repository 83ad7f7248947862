package fake

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// sGLang returns the routes of SGLang's server.
func (s *Server) sGLang() map[string]http.HandlerFunc {
	info := s.say(func() any {
		return map[string]any{"model_path": s.cfg.Model, "is_generation": true, "weight_version": s.label()}
	})
	return map[string]http.HandlerFunc{
		"GET /get_model_info":            info,
		"GET /model_info":                info,
		"GET /server_info":               s.say(func() any { return map[string]any{"version": "0.5.15+fake", "served_model_name": s.cfg.Model} }),
		"POST /generate":                 s.samples(form{read: readSGLang, whole: wholeSGLang}),
		"POST /tokenize":                 s.tokenize,
		"POST /abort_request":            s.abortSGLang,
		"POST /pause_generation":         s.pauseSGLang,
		"POST /continue_generation":      s.resume(map[string]any{"status": "ok"}),
		"POST /update_weights_from_disk": s.update,
		"POST /update_weight_version":    s.update,
	}
}

func readSGLang(_ *Server, text []byte) (*job, error) {
	var q struct {
		ID       string           `json:"rid"`
		Tokens   []quintain.Token `json:"input_ids"`
		Start    int              `json:"logprob_start_len"`
		Top      int              `json:"top_logprobs_num"`
		Sampling struct {
			MaxTokens   *int     `json:"max_new_tokens"`
			Temperature *float64 `json:"temperature"`
			TopP        float64  `json:"top_p"`
			TopK        int      `json:"top_k"`
			N           int      `json:"n"`
			Stop        stops    `json:"stop"`
			NoStopTrim  bool     `json:"no_stop_trim"`
			Schema      string   `json:"json_schema"`
		} `json:"sampling_params"`
	}
	q.Start = -1
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	if q.Sampling.N > 1 {
		return nil, fmt.Errorf("n is %d: this server returns one sample per request", q.Sampling.N)
	}
	j := &job{
		id: q.ID, prompt: q.Tokens, n: 1, score: q.Start == 0, top: q.Top, stop: q.Sampling.Stop, keepStop: q.Sampling.NoStopTrim,
		sampling: quintain.Sampling{Temperature: 1, TopP: q.Sampling.TopP, TopK: max(0, q.Sampling.TopK)},
	}
	if q.Sampling.Schema != "" {
		j.schema = json.RawMessage(q.Sampling.Schema)
	}
	if q.Sampling.Temperature != nil {
		j.sampling.Temperature = *q.Sampling.Temperature
	}
	if q.Sampling.MaxTokens != nil {
		j.sampling.MaxTokens = *q.Sampling.MaxTokens
	}
	return j, nil
}

func wholeSGLang(s *Server, j *job, out []piece) any {
	meta := map[string]any{
		"id": j.id, "prompt_tokens": len(j.prompt), "completion_tokens": sampled(out), "weight_version": s.label(),
	}
	if j.score {
		meta["finish_reason"] = map[string]any{"type": "length", "length": 0}
		meta["input_token_logprobs"], meta["input_top_logprobs"] = s.givenPlaces(j)
		return map[string]any{"text": "", "output_ids": []int{}, "meta_info": meta}
	}
	tokens, probs := given(out[0])
	places := make([][3]any, len(probs))
	for i, p := range probs {
		places[i] = [3]any{prob(p), tokens[len(tokens)-len(probs)+i], nil}
	}
	meta["output_token_logprobs"] = places
	meta["finish_reason"] = nil
	if out[0].finish != "" {
		meta["finish_reason"] = map[string]any{"type": out[0].finish}
	}
	return map[string]any{"text": s.text(j, tokens), "output_ids": tokens, "meta_info": meta}
}

// givenPlaces returns the log-probabilities of j's prompt and the likeliest tokens.
func (s *Server) givenPlaces(j *job) (places [][3]any, tops []any) {
	places, tops = append(places, [3]any{nil, j.prompt[0], nil}), append(tops, nil)
	s.each(j, func(t quintain.Token, p float64, likeliest []policy.Likely) {
		places = append(places, [3]any{p, t, nil})
		top := [][3]any{}
		for _, l := range likeliest {
			top = append(top, [3]any{l.LogProb, l.Token, nil})
		}
		tops = append(tops, top)
	})
	return places, tops
}

func (s *Server) abortSGLang(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID  string `json:"rid"`
		All bool   `json:"abort_all"`
	}
	if !body(w, r, &q) {
		return
	}
	s.engine.abort(q.ID, q.All)
	send(w, map[string]any{})
}

func (s *Server) pauseSGLang(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Mode string `json:"mode"`
	}
	if !body(w, r, &q) {
		return
	}
	mode := map[string]string{"": "abort", "abort": "abort", "retract": "keep", "in_place": "keep"}[q.Mode]
	if s.pause(w, r, mode) {
		send(w, map[string]any{"status": "ok"})
	}
}
