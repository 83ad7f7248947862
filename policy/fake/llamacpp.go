package fake

import (
	"encoding/json"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// llamaCpp returns the routes of llama.cpp's server.
func (s *Server) llamaCpp() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /props": s.say(func() any {
			return map[string]any{
				"model_path": s.cfg.Model, "build_info": "fake", "total_slots": s.cfg.MaxRunning,
				"default_generation_settings": map[string]any{"n_ctx": s.cfg.Context},
			}
		}),
		"POST /completion": s.samples(form{read: readLlamaCpp, whole: wholeLlamaCpp}),
		"POST /tokenize":   s.tokenize,
	}
}

func readLlamaCpp(_ *Server, text []byte) (*job, error) {
	var q struct {
		Tokens      []quintain.Token `json:"prompt"`
		MaxTokens   int              `json:"n_predict"`
		Temperature *float64         `json:"temperature"`
		TopP        float64          `json:"top_p"`
		TopK        int              `json:"top_k"`
		Stop        stops            `json:"stop"`
		Schema      json.RawMessage  `json:"json_schema"`
	}
	if err := strictjson.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	how := quintain.Sampling{Temperature: 0.8, TopP: q.TopP, TopK: max(0, q.TopK), MaxTokens: max(0, q.MaxTokens)}
	if q.Temperature != nil {
		how.Temperature = *q.Temperature
	}
	return &job{prompt: q.Tokens, n: 1, sampling: how, stop: q.Stop, schema: q.Schema}, nil
}

// wholeLlamaCpp, like the server, leaves out the last log-probabilities of a reply that a stop
// text ended, as many as the text has tokens.
func wholeLlamaCpp(s *Server, j *job, out []piece) any {
	tokens, probs := given(out[0])
	text := s.vocabulary.text(tokens)
	begin, end := policy.Stopped(text, j.stop)
	stop := map[string]string{"stop": "eos", "length": "limit", "abort": "none"}[out[0].finish]
	first := len(tokens) - len(probs)
	if begin >= 0 {
		stop = "word"
		of, _ := s.vocabulary.encode(text[begin:end], false)
		probs = probs[:max(0, len(probs)-len(of))]
	}
	list := make([]map[string]any, len(probs))
	for i, p := range probs {
		list[i] = map[string]any{"id": tokens[first+i], "logprob": prob(p)}
	}
	return map[string]any{
		"content": s.text(j, tokens), "tokens": tokens, "stop": true, "stop_type": stop, "model": s.cfg.Model,
		"tokens_predicted": sampled(out), "tokens_evaluated": len(j.prompt), "truncated": false, "completion_probabilities": list,
	}
}
