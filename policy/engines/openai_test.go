package engines_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client returns a client of s that retries at once; change may be nil.
func client(t *testing.T, s *policytest.Server, change func(*engines.OpenAIConfig)) *engines.OpenAI {
	t.Helper()
	cfg := engines.OpenAIConfig{
		Server: remote.Config{URL: s.Start(t), Backoff: time.Microsecond, MaxBackoff: time.Millisecond},
		Model:  "fake", TokenIDs: s.TokenIDs, NoLogProbs: s.NoLogProbs,
	}
	if change != nil {
		change(&cfg)
	}
	c, err := engines.NewOpenAI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// request asks for n samples of the first turn.
func request(n int) quintain.Request {
	return quintain.Request{
		Key: "p1", N: n, Sampling: quintain.Sampling{Temperature: 1, TopP: 1},
		Messages: []quintain.Message{{Role: "user", Content: "How many legs has a horse?"}},
	}
}

// saying returns a server that always writes text.
func saying(text string) *policytest.Server {
	return &policytest.Server{Reply: func([]quintain.Message, int) string { return text }}
}

// failing returns a server with token IDs that answers first with faults.
func failing(faults ...policytest.Fault) *policytest.Server {
	return &policytest.Server{TokenIDs: true, Faults: faults}
}

func times(n int, fault policytest.Fault) []policytest.Fault {
	return slices.Repeat([]policytest.Fault{fault}, n)
}

func TestClientKeepsThePromisesOfPolicies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		change  func(s *policytest.Server)
		retells bool
	}{
		{"token IDs where vLLM puts them", func(s *policytest.Server) { s.TokenIDs = true }, false},
		{"token IDs where SGLang puts them", func(s *policytest.Server) { s.TokenIDs, s.TokenPlace = true, "choice" }, false},
		{"token IDs where NeMo Gym puts them", func(s *policytest.Server) { s.TokenIDs, s.TokenPlace = true, "message" }, false},
		{"token IDs in the names of tokens", func(s *policytest.Server) { s.TokenIDs, s.TokenPlace = true, "names" }, false},
		{"token IDs without log-probabilities", func(s *policytest.Server) { s.TokenIDs, s.NoLogProbs = true, true }, false},
		{"text", func(*policytest.Server) {}, true},
		{"text in tokens of one byte", func(s *policytest.Server) { s.PieceBytes = 1 }, false},
		{"text without log-probabilities", func(s *policytest.Server) { s.NoLogProbs = true }, true},
		{"one choice per request", func(s *policytest.Server) { s.IgnoresN, s.TokenIDs = true, true }, false},
		{"one choice per request, or an error", func(s *policytest.Server) { s.RefusesN = true }, true},
		{"at most two choices per request", func(s *policytest.Server) { s.AtMost = 2 }, true},
		{"every third request fails", func(s *policytest.Server) {
			s.TokenIDs = true
			s.Faults = []policytest.Fault{
				nil, nil, policytest.Drop, nil, nil, policytest.Cut, nil, nil, policytest.Status(503), nil, nil, policytest.Truncate,
			}
		}, false},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			policytest.Suite{Retells: test.retells, New: func(t *testing.T) quintain.Policy {
				s := &policytest.Server{}
				test.change(s)
				return client(t, s, nil)
			}}.Run(t)
		})
	}
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why      string
		sampling quintain.Sampling
		change   func(*engines.OpenAIConfig)
		want     string // fields besides messages, model and n
	}{
		{"nothing special", quintain.Sampling{Temperature: 1, TopP: 1}, nil, "logprobs:true temperature:1 top_p:1"},
		{"a missing top_p is sent as 1", quintain.Sampling{Temperature: 0.5}, nil, "logprobs:true temperature:0.5 top_p:1"},
		{"all settings", quintain.Sampling{Temperature: 0.6, TopP: 0.9, TopK: 20, MaxTokens: 8}, nil,
			"logprobs:true max_tokens:8 temperature:0.6 top_k:20 top_p:0.9"},
		{"token IDs, no log-probabilities", quintain.Sampling{Temperature: 1, TopP: 1},
			func(c *engines.OpenAIConfig) { c.TokenIDs, c.NoLogProbs = true, true }, "return_token_ids:true temperature:1 top_p:1"},
		{"an extra body", quintain.Sampling{Temperature: 1, TopP: 1},
			func(c *engines.OpenAIConfig) { c.ExtraBody = map[string]any{"top_k": -1, "min_p": 0} }, "logprobs:true min_p:0 temperature:1 top_k:-1 top_p:1"},
		{"a request's top_k takes precedence", quintain.Sampling{Temperature: 1, TopP: 1, TopK: 5},
			func(c *engines.OpenAIConfig) { c.ExtraBody = map[string]any{"top_k": -1} }, "logprobs:true temperature:1 top_k:5 top_p:1"},
	} {
		s := &policytest.Server{TokenIDs: true}
		c := client(t, s, func(cfg *engines.OpenAIConfig) {
			cfg.TokenIDs = false
			if test.change != nil {
				test.change(cfg)
			}
		})
		r := request(2)
		r.Sampling = test.sampling
		if _, err := c.Sample(t.Context(), r); err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		got := s.Requests()[0]
		if fmt.Sprintf("%v %v %v", got["model"], got["n"], got["messages"]) != "fake 2 [map[content:How many legs has a horse? role:user]]" {
			t.Errorf("%s: sent %v", test.why, got)
		}
		delete(got, "model")
		delete(got, "n")
		delete(got, "messages")
		if text := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(got), "map["), "]"); text != test.want {
			t.Errorf("%s: sent %s, want %s", test.why, text, test.want)
		}
	}
}

// A server is offered tools, and its calls are kept: without token IDs, in the form that the byte
// vocabulary has for them. The text of a stop would be lost.
func TestToolsAndStops(t *testing.T) {
	t.Parallel()
	calls := policytest.EditChoice(func(choice map[string]any) {
		choice["message"].(map[string]any)["tool_calls"] = []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "add", "arguments": `{"a":1}`}}}
	})
	for _, test := range []struct {
		why    string
		change func(*quintain.Request, *engines.OpenAIConfig)
		says   string // "": no error
		wrote  string // the end of the tokens, if they are bytes
	}{
		{"tools, to a server with token IDs", func(r *quintain.Request, _ *engines.OpenAIConfig) { r.Tools = json.RawMessage(`[{"type":"function"}]`) }, "", ""},
		{"tools, to another", func(r *quintain.Request, c *engines.OpenAIConfig) {
			r.Tools, c.TokenIDs = json.RawMessage(`[{"type":"function"}]`), false
		}, "", `<call>{"name": "add", "arguments": {"a":1}}</call>`},
		{"stops", func(r *quintain.Request, _ *engines.OpenAIConfig) { r.Stop = []string{"x"} }, "openai: stop: ", ""},
	} {
		s := &policytest.Server{TokenIDs: true, Faults: []policytest.Fault{calls}}
		r := request(1)
		c := client(t, s, func(c *engines.OpenAIConfig) { test.change(&r, c) })
		samples, err := c.Sample(t.Context(), r)
		if test.says != "" {
			if !errors.Is(err, quintain.ErrFinal) || !strings.Contains(err.Error(), test.says) || len(s.Requests()) > 0 {
				t.Errorf("%s: error %v", test.why, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if got := samples[0].ToolCalls; len(got) != 1 || got[0].Name != "add" || fmt.Sprint(s.Requests()[0]["tools"]) != "[map[type:function]]" {
			t.Errorf("%s: calls %+v, sent %v", test.why, got, s.Requests()[0])
		}
		if one := samples[0]; test.wrote != "" && (!strings.HasSuffix(policy.Decode(one.Wrote), test.wrote) || one.LogProbs != nil || policytest.Check(r, samples) != nil) {
			t.Errorf("%s: wrote %q: %v", test.why, policy.Decode(one.Wrote), policytest.Check(r, samples))
		}
	}
}

func TestRequestBodiesOfTextCompletions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		most   int
		change func(*engines.OpenAIConfig)
		want   string
	}{
		{"with a limit", 8, func(*engines.OpenAIConfig) {}, "map[logprobs:1 max_tokens:8 model:m n:2 prompt:How many legs has a horse?! temperature:1 top_p:1]"},
		{"no limit, no log-probabilities", 0, func(c *engines.OpenAIConfig) { c.NoLogProbs = true },
			"map[max_tokens:<nil> model:m n:2 prompt:How many legs has a horse?! temperature:1 top_p:1]"},
	} {
		var asked string
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/completions" {
				t.Errorf("%s: asked %s, error %v", test.why, r.URL.Path, err)
			}
			asked = fmt.Sprint(body)
			_, _ = io.WriteString(w, `{"choices":[{"text":"4","finish_reason":"stop"},{"text":"4","finish_reason":"stop"}]}`)
		}))
		cfg := engines.OpenAIConfig{Server: remote.Config{URL: web.URL + "/v1"}, Model: "m"}
		cfg.Prompt = func(r quintain.Request) (string, error) { return r.Messages[0].Content + "!", nil }
		test.change(&cfg)
		c, err := engines.NewOpenAI(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := request(2)
		r.Sampling.MaxTokens = test.most
		samples, err := c.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil || samples[0].Text != "4" || asked != test.want {
			t.Errorf("%s: asked %s, want %s; error %v", test.why, asked, test.want, err)
		}
		c.CloseIdle()
		web.Close()
	}
}

// A conversation without a text form is not sent.
func TestAConversationWithoutAText(t *testing.T) {
	t.Parallel()
	s, bad := &policytest.Server{}, errors.New("no such role")
	c := client(t, s, func(cfg *engines.OpenAIConfig) {
		cfg.Prompt = func(quintain.Request) (string, error) { return "", bad }
	})
	if _, err := c.Sample(t.Context(), request(2)); !errors.Is(err, bad) || len(s.Requests()) > 0 {
		t.Errorf("error %v after %d requests, want %v at once", err, len(s.Requests()), bad)
	}
}

func TestMissingChoicesAreRequestedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why         string
		change      func(s *policytest.Server)
		temperature float64
		n           int
		want        string // n of the requests, sorted, of two equal calls
	}{
		{"a server that returns all choices", func(*policytest.Server) {}, 1, 4, "4 | 4"},
		{"after a single choice the rest is requested one by one, at the same time", func(s *policytest.Server) { s.IgnoresN = true }, 1, 4, "1 1 1 4 | 1 1 1 1"},
		{"a server that refuses n gets requests for one", func(s *policytest.Server) { s.RefusesN = true }, 1, 3, "1 1 1 3 | 1 1 1"},
		{"several at a time", func(s *policytest.Server) { s.AtMost = 2 }, 1, 5, "1 3 5 | 1 3 5"},
		{"greedy samples are requested one by one", func(*policytest.Server) {}, 0, 3, "1 1 1 | 1 1 1"},
		{"a request for one", func(s *policytest.Server) { s.IgnoresN = true }, 1, 1, "1 | 1"},
	} {
		s := &policytest.Server{}
		test.change(s)
		c := client(t, s, nil)
		var got [2]string
		for i := range got {
			before := len(s.Requests())
			r := request(test.n)
			r.Sampling.Temperature = test.temperature
			samples, err := c.Sample(t.Context(), r)
			if err == nil {
				err = policytest.Check(r, samples)
			}
			if err != nil {
				t.Fatalf("%s: %v", test.why, err)
			}
			var ns []int
			for _, body := range s.Requests()[before:] {
				ns = append(ns, int(body["n"].(float64)))
			}
			slices.Sort(ns)
			got[i] = strings.Trim(fmt.Sprint(ns), "[]")
		}
		if text := got[0] + " | " + got[1]; text != test.want {
			t.Errorf("%s: asked for %s, want %s", test.why, text, test.want)
		}
	}
}

func TestInFlightIsBounded(t *testing.T) {
	t.Parallel()
	const most = 3
	var now, peak atomic.Int64
	fake := &policytest.Server{Delay: 2 * time.Millisecond}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := now.Add(1); n > peak.Load() {
			peak.Store(n)
		}
		defer now.Add(-1)
		fake.ServeHTTP(w, r)
	}))
	defer server.Close()
	c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: remote.Config{URL: server.URL + "/v1", MaxInFlight: most}, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			if _, err := c.Sample(t.Context(), request(1)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if peak.Load() > most {
		t.Errorf("%d requests at once, want at most %d", peak.Load(), most)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const many = 100
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(&policytest.Server{})
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: remote.Config{URL: server.URL + "/v1/"}, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	for range 5 {
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				if _, err := c.Sample(t.Context(), request(1)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if n := opened.Load(); n > 2*many {
		t.Errorf("%d connections for 5 rounds of %d requests, want about %d", n, many, many)
	}
}

func TestCheckReportsServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		change func(*engines.OpenAIConfig)
		kind   remote.Kind // "": no error
		says   string
	}{
		{"a good server", func(*engines.OpenAIConfig) {}, "", ""},
		{"unknown model", func(c *engines.OpenAIConfig) { c.Model = "gpt" }, remote.UnknownModel, `no model "gpt"; the server has fake`},
		{"wrong key", func(c *engines.OpenAIConfig) { c.Server.APIKey = "sk-wrong" }, remote.Refused, "is the API key right?"},
		{"no /v1", func(c *engines.OpenAIConfig) { c.Server.URL = strings.TrimSuffix(c.Server.URL, "/v1") }, remote.Refused, "does the URL end with /v1?"},
		{"no server", func(c *engines.OpenAIConfig) { c.Server.URL = "http://127.0.0.1:1/v1" }, remote.Unreachable, "is the server running"},
	} {
		c := client(t, &policytest.Server{Key: "sk-right"}, func(cfg *engines.OpenAIConfig) { cfg.Server.APIKey = "sk-right"; test.change(cfg) })
		err := c.Check(t.Context())
		fault, ok := errors.AsType[*remote.Error](err)
		switch {
		case test.kind == "" && err != nil:
			t.Errorf("%s: %v", test.why, err)
		case test.kind != "" && (!ok || fault.Kind != test.kind || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: error is %v, want %q of kind %q", test.why, err, test.says, test.kind)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("never mind")
	cancel(cause)
	if err := client(t, &policytest.Server{}, nil).Check(ctx); err != cause {
		t.Errorf("error is %v, want the cause of the context", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		change func(*engines.OpenAIConfig)
		says   string
	}{
		{"valid", func(*engines.OpenAIConfig) {}, "<nil>"},
		{"no URL", func(c *engines.OpenAIConfig) { c.Server.URL = "" }, "url"},
		{"no scheme", func(c *engines.OpenAIConfig) { c.Server.URL = "localhost:8000" }, "want one with http:// or https:// before it, such as http://HOST:PORT"},
		{"an unsupported scheme", func(c *engines.OpenAIConfig) { c.Server.URL = "ftp://host/v1" }, "such as http://HOST:PORT"},
		{"an invalid URL", func(c *engines.OpenAIConfig) { c.Server.URL = "http://%zz" }, "url"},
		{"a user name in the URL", func(c *engines.OpenAIConfig) { c.Server.URL = "http://me:secret@host/v1" }, "user name"},
		{"no model", func(c *engines.OpenAIConfig) { c.Model = "" }, "model"},
		{"a key with a line end", func(c *engines.OpenAIConfig) { c.Server.APIKey = "secret\n" }, "line end"},
		{"a negative duration", func(c *engines.OpenAIConfig) { c.Server.Timeout = -1 }, "below 0"},
		{"no requests in flight", func(c *engines.OpenAIConfig) { c.Server.MaxInFlight = -1 }, "max in flight"},
		{"no room for replies", func(c *engines.OpenAIConfig) { c.Server.MaxReplyBytes = -1 }, "max reply bytes"},
		{"a seed in the extra body", func(c *engines.OpenAIConfig) { c.ExtraBody = map[string]any{"seed": 1} }, `"seed"`},
		{"a stream in the extra body", func(c *engines.OpenAIConfig) { c.ExtraBody = map[string]any{"stream": true} }, `"stream"`},
		{"an extra body that JSON cannot hold", func(c *engines.OpenAIConfig) { c.ExtraBody = map[string]any{"f": func() {}} }, "extra body"},
	} {
		cfg := engines.OpenAIConfig{Server: remote.Config{URL: "http://127.0.0.1:8000/v1"}, Model: "m"}
		test.change(&cfg)
		_, err := engines.NewOpenAI(cfg)
		if text := fmt.Sprint(err); !strings.Contains(text, test.says) || strings.Contains(text, "secret") {
			t.Errorf("%s: error is %q, want %q in it", test.why, text, test.says)
		}
	}
}

func ExampleOpenAI_Sample() {
	server := httptest.NewServer(&policytest.Server{})
	defer server.Close()
	c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: remote.Config{URL: server.URL + "/v1"}, Model: "fake"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.CloseIdle()
	samples, err := c.Sample(context.Background(), quintain.Request{
		N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many legs has a horse?"}},
		Sampling: quintain.Sampling{Temperature: 1, TopP: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(samples[0].Text, samples[0].Finish)
	// Output: I have read 1 messages, and this is what I say in reply 0. stop
}
