package fake_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/toolcall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a fake server without delays; change may be nil.
func serve(t testing.TB, change func(*fake.Config)) (*fake.Server, *httptest.Server) {
	t.Helper()
	c := fake.Config{Server: fake.Defaults()}
	c.Server.Rate, c.Server.FirstToken, c.Server.Seed = 0, 0, 7
	if change != nil {
		change(&c)
	}
	s, err := fake.New(c)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web
}

// A generator is a policy.Generator under test.
type generator interface {
	policy.Generator
	Stats() remote.Stats
	CloseIdle()
}

// kinds returns the generators by name.
func kinds() map[string]func(remote.Config) (generator, error) {
	return map[string]func(remote.Config) (generator, error){
		"vllm": func(c remote.Config) (generator, error) {
			return engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake"})
		},
		"vllm native": func(c remote.Config) (generator, error) {
			return engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake", Native: true})
		},
		"sglang":   func(c remote.Config) (generator, error) { return engines.NewSGLang(c) },
		"llamacpp": func(c remote.Config) (generator, error) { return engines.NewLlamaCPP(c) },
	}
}

// connect returns a generator of a kind that retries at once.
func connect(t testing.TB, kind, url string) generator {
	t.Helper()
	g, err := kinds()[kind](remote.Config{URL: url + "/v1", Backoff: time.Microsecond, MaxBackoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.CloseIdle)
	return g
}

func TestPoliciesKeepTheirPromises(t *testing.T) {
	t.Parallel()
	for kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			policytest.Suite{Deterministic: false, New: func(t *testing.T) quintain.Policy {
				_, web := serve(t, func(c *fake.Config) { c.Server.Length = "uniform:20-90" })
				return exact.New(connect(t, kind, web.URL), exact.Bytes{})
			}, Calls: func(t *testing.T) quintain.Policy {
				return calling(t, kind, exact.Files{Tokenizer: exact.ByteTokenizer})
			}}.Run(t)
		})
		t.Run(kind+", with the template of a model", func(t *testing.T) {
			t.Parallel()
			files := exact.Files{Tokenizer: policytest.ByteModel(t, policytest.Hermes, 0)}
			policytest.Suite{New: func(t *testing.T) quintain.Policy {
				_, web := serve(t, func(c *fake.Config) { c.Server.Length = "uniform:20-90" })
				return exact.New(connect(t, kind, web.URL), rendererOf(t, files))
			}, Calls: func(t *testing.T) quintain.Policy { return calling(t, kind, files) }}.Run(t)
		})
	}
	for why, cfg := range map[string]engines.OpenAIConfig{
		"chat completions": {}, "chat completions with token IDs": {TokenIDs: true},
		"text completions": {Prompt: exact.Paragraphs, Calls: toolcall.Plain()}, "text completions with token IDs": {Prompt: bytesOf, TokenIDs: true, Calls: toolcall.Plain()},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			completes := func(t *testing.T, change func(*fake.Config)) quintain.Policy {
				_, web := serve(t, change)
				at := cfg
				at.Server.URL, at.Model = web.URL+"/v1", "fake"
				c, err := engines.NewOpenAI(at)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(c.CloseIdle)
				return c
			}
			suite := policytest.Suite{Retells: !cfg.TokenIDs, New: func(t *testing.T) quintain.Policy {
				return completes(t, func(c *fake.Config) { c.Server.Length = "uniform:20-90" })
			}}
			if cfg.Calls != nil {
				suite.Calls = func(t *testing.T) quintain.Policy {
					return completes(t, func(c *fake.Config) { c.Server.Replies = replyFile(t, plainCall) })
				}
			}
			suite.Run(t)
		})
	}
}

// plainCall and hermesCall are replies with a call in the forms of these names.
const (
	plainCall  = `{"text":"I add.\n<call>{\"name\": \"add\", \"arguments\": {}}</call>"}`
	hermesCall = `{"text":"I add.\n<tool_call>{\"name\":\"add\",\"arguments\":{}}</tool_call>"}`
)

// calling returns a policy of a kind of server whose replies have calls.
func calling(t *testing.T, kind string, files exact.Files) quintain.Policy {
	t.Helper()
	_, web := serve(t, func(c *fake.Config) {
		c.Server.Replies = replyFile(t, hermesCall)
		if files.Tokenizer == exact.ByteTokenizer {
			c.Server.Replies = replyFile(t, plainCall)
		}
	})
	return exact.New(connect(t, kind, web.URL), rendererOf(t, files))
}

func rendererOf(t *testing.T, files exact.Files) exact.Renderer {
	t.Helper()
	r, err := files.Renderer("fake", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A server ends a reply at a stop text, whose tokens keep their log-probabilities. llama.cpp
// would leave these out: it samples on to the end of a chunk.
func TestServersStop(t *testing.T) {
	t.Parallel()
	for kind := range kinds() {
		s, web := serve(t, func(c *fake.Config) {
			c.Server.Replies = replyFile(t, `{"text":"abcdefg hijklmnop"}`)
		})
		p := exact.New(connect(t, kind, web.URL), exact.Bytes{})
		samples, err := p.Sample(t.Context(), quintain.Request{
			N: 1, Sampling: quintain.Sampling{Temperature: 1}, Stop: []string{"zz", "ef"}, Messages: []quintain.Message{{Role: "user", Content: "?"}},
		})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		one, sampled := samples[0], 6
		if kind == "llamacpp" || kind == "vllm native" {
			sampled = len("abcdefg hijklmnop") + 1
		}
		if got := policy.Decode(one.Wrote); one.Text != "abcd" || got != "abcdef" || one.Finish != quintain.Stop || len(one.LogProbs) != 6 || s.Stats().Sampled != sampled {
			t.Errorf("%s: text %q, tokens %q, finish %s, log-probabilities %v, %d tokens sampled, want %d", kind, one.Text, got, one.Finish, one.LogProbs, s.Stats().Sampled, sampled)
		}
	}
}

// The texts of answers end before a stop text unless the request keeps it, as in real servers.
func TestTextsOfStoppedReplies(t *testing.T) {
	t.Parallel()
	_, web := serve(t, func(c *fake.Config) { c.Server.Replies = replyFile(t, `{"text":"abcdefg"}`) })
	opening := string(policy.AppendTokens(nil, policy.Encode("<|assistant|>")))
	for _, test := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"model":"fake","messages":[{"role":"user","content":"?"}],"stop":"ef"}`, `"content":"abcd"`},
		{"/v1/chat/completions", `{"model":"fake","messages":[{"role":"user","content":"?"}],"stop":["x","ef"],"include_stop_str_in_output":true}`, `"content":"abcdef"`},
		{"/v1/chat/completions", `{"model":"fake","messages":[{"role":"user","content":"?"}],"stop":["b"]}`, `"logprobs":null`},
		{"/v1/chat/completions", `{"model":"fake","messages":[{"role":"user","content":"?"}],"stop":["b"],"logprobs":true}`, `"bytes":[97],"top_logprobs":[]}`},
		{"/v1/completions", `{"model":"fake","prompt":OPENING,"stop":["ef"],"return_token_ids":true}`, `"token_ids":[97,98,99,100,101,102]`},
		{"/v1/completions", `{"model":"fake","prompt":OPENING,"stop":["ef"]}`, `"text":"abcd"`},
		{"/completion", `{"prompt":OPENING,"stop":["ef"],"n_predict":-1}`, `"content":"abcd"`},
		{"/completion", `{"prompt":OPENING,"stop":["ef"],"n_predict":-1}`, `"stop_type":"word"`},
	} {
		var got json.RawMessage
		if ask(t, web.URL+test.path, strings.ReplaceAll(test.body, "OPENING", opening), &got); !strings.Contains(string(got), test.want) {
			t.Errorf("%s %s: %s, want %s in it", test.path, test.body, got, test.want)
		}
	}
}

// bytesOf returns a conversation as text of the byte vocabulary.
func bytesOf(r quintain.Request) (string, error) {
	r.Context, r.Fresh = nil, 0
	return policy.Decode(append(policy.Read(r), policy.End)), nil
}

// prompt asks for n replies to a short conversation.
func prompt(n int) policy.Prompt {
	r := quintain.Request{Messages: []quintain.Message{{Role: "user", Content: "How many legs has a horse?"}}}
	return policy.Prompt{Key: "p1", Tokens: policy.Read(r), N: n, Sampling: quintain.Sampling{Temperature: 1, TopP: 1}}
}

// A policy reports the model's own log-probabilities.
func TestLogProbsAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	for kind := range kinds() {
		s, web := serve(t, func(c *fake.Config) { c.Server.Version = 5 })
		p := prompt(1)
		outputs, err := connect(t, kind, web.URL).Generate(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		w := s.Model().Weights(5)
		for i, token := range outputs[0].Tokens {
			want := w.LogProb(slices.Concat(p.Tokens, outputs[0].Tokens[:i]), token)
			if math.Abs(want-float64(outputs[0].LogProbs[i])) > 1e-5 {
				t.Errorf("%s: log-probability of token %d is %v, want %v", kind, i, outputs[0].LogProbs[i], want)
			}
		}
		if v := outputs[0].Versions[0]; v != 5 && kind != "llamacpp" {
			t.Errorf("%s: version %d, want 5", kind, v)
		}
	}
}

// Atropos' server around vLLM returns all samples of a prompt at once.
func TestGenerateAsForAtropos(t *testing.T) {
	t.Parallel()
	s, web := serve(t, func(c *fake.Config) { c.Server.Shape = string(fake.VLLM) })
	p := prompt(3)
	body, err := json.Marshal(map[string]any{"prompt": map[string]any{"prompt_token_ids": p.Tokens}, "n": 3, "max_tokens": 20, "logprobs": 0})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := web.Client().Post(web.URL+"/generate", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var got struct {
		Finishes []string                         `json:"finish_reasons"`
		Tokens   [][]quintain.Token               `json:"token_ids"`
		LogProbs [][][]map[quintain.Token]float64 `json:"logprobs"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&got); err != nil || len(got.Tokens) != 3 || len(got.LogProbs) != 3 || len(got.Finishes) != 3 {
		t.Fatalf("%+v, error %v", got, err)
	}
	w := s.Model().Weights(0)
	for k, tokens := range got.Tokens {
		for i, token := range tokens {
			want := w.LogProb(slices.Concat(p.Tokens, tokens[:i]), token)
			if one := got.LogProbs[k][i]; len(one) != 1 || len(one[0]) != 1 || math.Abs(one[0][token]-want) > 1e-5 {
				t.Errorf("sample %d: log-probability of token %d is %v, want %v", k, i, one, want)
			}
		}
	}
}

func TestTheModelIsADistribution(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, nil)
	w, sequence := s.Model().Weights(3), prompt(1).Tokens
	for range 5 {
		sum := 0.0
		for token := range quintain.Token(256) {
			sum += math.Exp(w.LogProb(sequence, token))
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("after %d tokens the probabilities add up to %v", len(sequence), sum)
		}
		sequence = append(sequence, 'a')
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"vllm", "sglang"} {
		s, web := serve(t, nil)
		tokens := slices.Concat(prompt(1).Tokens, policy.Encode("Four."))
		scores, err := connect(t, kind, web.URL).(policy.Scorer).Score(t.Context(), tokens, 3)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		w := s.Model().Weights(0)
		for i, score := range scores {
			if i == 0 {
				if score.LogProb != 0 || score.Top != nil {
					t.Errorf("%s: the first token has a score, %v", kind, score)
				}
				continue
			}
			if want := w.LogProb(tokens[:i], tokens[i]); math.Abs(want-float64(score.LogProb)) > 1e-4*(1-want) {
				t.Errorf("%s: log-probability of token %d is %v, want %v", kind, i, score.LogProb, want)
			}
			if len(score.Top) != 3 || score.Top[0].LogProb < score.Top[2].LogProb {
				t.Errorf("%s: the likeliest tokens at place %d are %v", kind, i, score.Top)
			}
		}
	}
}

// A teacher's fault is an error, never a score. Faults within a reply leave scores alone.
func TestFaultsOfATeacher(t *testing.T) {
	t.Parallel()
	fails := []fake.Fault{fake.Busy, fake.Failed, fake.NoServer, fake.GaveUp, fake.Dropped, fake.Cut, fake.Stalled, fake.Stray}
	for _, kind := range []string{"vllm", "sglang"} {
		for _, fault := range fake.Faults() {
			_, web := serve(t, func(c *fake.Config) { c.Server.Faults = string(fault) + "=1" })
			scores, err := kinds()[kind](remote.Config{URL: web.URL, Retries: -1, Timeout: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			got, err := scores.(policy.Scorer).Score(t.Context(), policy.Encode("Four."), 1)
			if (err != nil) != slices.Contains(fails, fault) || (err == nil) != (len(got) == 5) {
				t.Errorf("%s, %s: scores %v, error %v", kind, fault, got, err)
			}
			scores.CloseIdle()
		}
	}
}
