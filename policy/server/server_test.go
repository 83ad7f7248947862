package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said collects the reports. Many goroutines may use it.
type said struct {
	mu  sync.Mutex
	all []string
}

func (s *said) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, text)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.all, "\n")
}

// like returns a fake server of a shape, with weights of version 3.
func like(t *testing.T, shape fake.Shape) http.Handler {
	t.Helper()
	s := fake.Defaults()
	s.Shape, s.Rate, s.FirstToken, s.Length, s.Version = string(shape), 0, 0, "fixed:4", 3
	f, err := fake.New(fake.Config{Server: s})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// serve serves until the test ends, and returns the address.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL
}

// at returns the settings of a server at an address, without retries.
func at(url string) server.Settings {
	s := server.Defaults()
	s.Pool.URLs, s.Chat.Retries = []string{url}, 0
	return s
}

// open returns a server without contacting it.
func open(t *testing.T, s server.Settings, u server.Use) *server.Server {
	t.Helper()
	n, err := server.New(s, u)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.CloseIdle)
	return n
}

// asks is a request for two replies.
var asks = quintain.Request{
	Key: "p", N: 2, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "2+2?"}},
	Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 8},
}

// refusing refuses requests with part in the body.
func refusing(h http.Handler, part string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), part) {
			http.Error(w, "that is too much", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

// listing lists another model than the server has, as some proxies do.
func listing(h http.Handler, model string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprintf(w, `{"data":[{"id":%q}]}`, model)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// lacking returns h without a route.
func lacking(h http.Handler, route string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == route {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// continues turns on text completions.
func continues(s *server.Settings) { s.Chat.Form = engines.Text }

// Missing abilities are reported before the first episode; without any, it plays.
func TestConnect(t *testing.T) {
	t.Parallel()
	const byTokens, byChat = "samples by tokens", "samples by chat completions"
	folder := policytest.ByteModel(t, policytest.Talk, 0)
	other := policytest.ByteModel(t, policytest.Talk, 1)
	trainer, teacher := server.Use{Trainer: true, LogProbs: true}, server.Use{Scores: true, Top: 2}
	for _, test := range []struct {
		why   string
		at    http.Handler
		set   func(*server.Settings)
		use   server.Use
		says  string // in the reports, or in the error
		fails bool
	}{
		{"vLLM by tokens", like(t, fake.VLLM), func(s *server.Settings) { s.Files.Tokenizer = folder }, trainer, byTokens, false},
		{"SGLang by tokens", like(t, fake.SGLang), func(s *server.Settings) { s.Files.Tokenizer = folder }, trainer, byTokens, false},
		{"llama.cpp by tokens", like(t, fake.LlamaCpp), func(s *server.Settings) { s.Files.Tokenizer = folder }, trainer, byTokens, false},
		{"llama.cpp does not say its version", like(t, fake.LlamaCpp), func(s *server.Settings) { s.Files.Tokenizer = folder }, trainer, "POST /v1/runs/{run}/version", false},
		{"bytes", like(t, fake.VLLM), func(s *server.Settings) { s.Files.Tokenizer = exact.ByteTokenizer }, trainer, byTokens, false},
		{"another tokenizer", like(t, fake.VLLM), func(s *server.Settings) { s.Files.Tokenizer = other }, trainer, "it does not match the server's model", true},
		{"another tokenizer for SGLang", like(t, fake.SGLang), func(s *server.Settings) { s.Files.Tokenizer = other }, trainer, "it does not match the server's model", true},
		{"another tokenizer for llama.cpp", like(t, fake.LlamaCpp), func(s *server.Settings) { s.Files.Tokenizer = other }, trainer, "it does not match the server's model", true},
		{"a trainer needs the tokenizer", like(t, fake.VLLM), nil, trainer, "(--tokenizer FILE)", true},
		{"an evaluation does not", like(t, fake.VLLM), nil, server.Use{}, byChat, false},
		{"a server that takes no tokens", like(t, fake.OpenAI), func(s *server.Settings) { s.Files.Tokenizer = folder }, trainer, "takes no tokens", true},
		{"a server that only reports tokens", like(t, fake.OpenAI), nil, trainer, byChat, false},
		{"a server that reports no tokens", &policytest.Server{}, nil, trainer, "the trainer gets the bytes of the texts", false},
		{"a server that reports no probabilities", &policytest.Server{NoLogProbs: true}, nil, trainer, "reports no log-probabilities", false},
		{"probabilities that nobody needs", &policytest.Server{NoLogProbs: true}, nil, server.Use{}, byChat, false},
		{"a given kind", like(t, fake.VLLM), func(s *server.Settings) { s.Kind, s.Files.Tokenizer = engines.KindVLLM, folder }, trainer, byTokens, false},
		{"vLLM by its native route", like(t, fake.VLLM), func(s *server.Settings) { s.Kind, s.Files.Tokenizer = engines.KindVLLMNative, folder }, trainer, "(vllm-native", false},
		{"vLLM without its native route", lacking(like(t, fake.VLLM), "/inference/v1/generate"), func(s *server.Settings) { s.Kind, s.Files.Tokenizer = engines.KindVLLMNative, folder }, trainer, "takes no tokens (tokens: ", true},
		{"a kind that it is not", like(t, fake.VLLM), func(s *server.Settings) { s.Kind, s.Files.Tokenizer = engines.KindSGLang, folder }, trainer, "takes no tokens (tokens: ", true},
		{"a teacher on vLLM", like(t, fake.VLLM), func(s *server.Settings) { s.Files.Tokenizer = folder }, teacher, byTokens, false},
		{"a teacher on SGLang", like(t, fake.SGLang), func(s *server.Settings) { s.Files.Tokenizer = folder }, teacher, byTokens, false},
		{"a teacher on llama.cpp", like(t, fake.LlamaCpp), func(s *server.Settings) { s.Files.Tokenizer = folder }, teacher, "does not score given tokens", true},
		{"a teacher by chat completions", like(t, fake.OpenAI), func(s *server.Settings) { s.Files.Tokenizer = folder }, teacher, "does not score given tokens", true},
		{"a teacher with another vocabulary", like(t, fake.VLLM), func(s *server.Settings) { s.Files.Tokenizer = other }, teacher, "it does not match the server's model", true},
		{"a teacher that tells fewer tokens", refusing(like(t, fake.VLLM), `"prompt_logprobs":2`), func(s *server.Settings) { s.Files.Tokenizer = folder }, teacher, "--max-logprobs", true},
		{"a server that continues texts", like(t, fake.OpenAI), continues, trainer, "samples by text completions", false},
		{"one without chat completions", lacking(like(t, fake.OpenAI), "/v1/chat/completions"), continues, trainer, "samples by text completions", false},
		{"one that is asked to chat", lacking(like(t, fake.OpenAI), "/v1/chat/completions"), nil, trainer, "has only text completions (policy.completions text)", true},
		{"one that does not continue texts", lacking(like(t, fake.OpenAI), "/v1/completions"), continues, trainer, "samples nothing", true},
		{"texts on vLLM, which takes tokens", like(t, fake.VLLM), continues, trainer, "samples by text completions", false},
		{"a kind that continues texts", like(t, fake.OpenAI), func(s *server.Settings) {
			continues(s)
			s.Kind, s.Chat.Model, s.Pool.URLs[0] = engines.KindOpenAI, "fake", s.Pool.URLs[0]+"/v1"
		}, trainer, "has the model fake", false},
		{"completions of a model that the server lacks", like(t, fake.OpenAI), func(s *server.Settings) {
			s.Kind, s.Chat.Model, s.Pool.URLs[0] = engines.KindOpenAI, "m2", s.Pool.URLs[0]+"/v1"
		}, server.Use{}, `no model "m2"; the server has fake`, true},
		{"completions of a model that a proxy does not list", listing(&policytest.Server{Model: "m2"}, "another"), func(s *server.Settings) {
			s.Kind, s.Chat.Model, s.Pool.URLs[0] = engines.KindOpenAI, "m2", s.Pool.URLs[0]+"/v1"
		}, server.Use{}, "cannot be used yet", false},
		{"another model", like(t, fake.VLLM), func(s *server.Settings) { s.Chat.Model = "m2" }, server.Use{}, `no model "m2"; the server has fake`, true},
		{"no inference server", http.NotFoundHandler(), nil, server.Use{}, "is this the address of an inference server?", true},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			s := at(serve(t, test.at))
			if test.set != nil {
				test.set(&s)
			}
			var told said
			test.use.Say = told.say
			n := open(t, s, test.use)
			err := n.Connect(t.Context())
			if (err != nil) != test.fails || !strings.Contains(fmt.Sprint(err, told.String()), test.says) {
				t.Fatalf("error %v, said %q; want %q", err, told.String(), test.says)
			}
			if err != nil {
				if server.Temporary(err) {
					t.Errorf("%v is said to pass", err)
				}
				return
			}
			if samples, err := n.Sample(t.Context(), asks); err != nil || len(samples) != 2 || samples[0].LogProbs == nil && strings.Contains(told.String(), byTokens) {
				t.Errorf("samples %+v, error %v", samples, err)
			}
			if test.use.Scores {
				if scores, err := n.Score(t.Context(), policy.Encode("abc"), 2); err != nil || len(scores) != 3 || len(scores[2].Top) != 2 {
					t.Errorf("scores %+v, error %v", scores, err)
				}
			}
			if waits := n.Waiting(); waits != "" {
				t.Errorf("it waits: %s", waits)
			}
		})
	}
}

// Without a tokenizer llama.cpp gets a request per sample, other servers one for all.
func TestSamplesOfLlamaCppAreRequestedOneByOne(t *testing.T) {
	t.Parallel()
	for shape, n := range map[fake.Shape]int64{fake.LlamaCpp: 2, fake.OpenAI: 1} {
		var requests atomic.Int64
		h := like(t, shape)
		c := open(t, at(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			h.ServeHTTP(w, r)
		}))), server.Use{})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		requests.Store(0)
		if samples, err := c.Sample(t.Context(), asks); err != nil || len(samples) != 2 || requests.Load() != n {
			t.Errorf("%s: %d samples from %d requests, want 2 from %d; error %v", shape, len(samples), requests.Load(), n, err)
		}
	}
}

// The error shows both the wrong tokenizer's tokens and the server's.
func TestVocabularyErrorTellsBothLists(t *testing.T) {
	t.Parallel()
	s := at(serve(t, like(t, fake.VLLM)))
	s.Files.Tokenizer = policytest.ByteModel(t, policytest.Talk, 1)
	err := open(t, s, server.Use{}).Connect(t.Context())
	wrong, ok := errors.AsType[*server.VocabularyError](err)
	if !ok || len(wrong.Ours) != len(wrong.Theirs) || string(rune(wrong.Theirs[2])) != "u" || string(rune(wrong.Ours[2])) != "v" {
		t.Fatalf("error %v", err)
	}
	if text := err.Error(); !strings.Contains(text, fmt.Sprint(wrong.Ours)) || !strings.Contains(text, fmt.Sprint(wrong.Theirs)) ||
		!strings.Contains(text, "<|user|>What is 12345") || !strings.Contains(text, `\x03`) {
		t.Errorf("it says %s", text)
	}
}

// A conversation continues the tokens so far on every server.
func TestSeveralTurns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, template    string
		onDrift          exact.OnDrift
		clean, forked    int64
		finally, stopped bool // the error of the second turn
	}{
		{"a template that keeps earlier messages", policytest.Talk, exact.Fail, 1, 0, false, false},
		{"one that rewrites it, and that is played", policytest.Shouts, exact.Fork, 0, 1, false, false},
		{"one that rewrites it, and that is dropped", policytest.Shouts, exact.Drop, 0, 1, true, false},
		{"one that rewrites it, and that ends the run", policytest.Shouts, exact.Fail, 0, 1, true, true},
	} {
		for _, shape := range []fake.Shape{fake.VLLM, fake.SGLang, fake.LlamaCpp} {
			s := at(serve(t, like(t, shape)))
			s.Files.Tokenizer, s.Drift.OnDrift = policytest.ByteModel(t, test.template, 0), test.onDrift
			n := open(t, s, server.Use{Trainer: true})
			if err := n.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			first, err := n.Sample(t.Context(), asks)
			if err != nil {
				t.Fatal(err)
			}
			r := asks
			r.N, r.Fresh, r.Context, r.Wrote = 1, 2, slices.Concat(first[0].Read, first[0].Wrote), len(first[0].Wrote)
			r.Messages = append(slices.Clone(r.Messages), quintain.Message{Role: quintain.RoleAssistant, Content: first[0].Text}, quintain.Message{Role: quintain.RoleUser, Content: "And?"})
			second, err := n.Sample(t.Context(), r)
			if errors.Is(err, quintain.ErrFinal) != test.finally || errors.Is(err, quintain.ErrStop) != test.stopped {
				t.Errorf("%s, %s: error %v", test.why, shape, err)
			}
			if err == nil && (second[0].Vocabulary != "fake" || second[0].Fork != (test.forked > 0)) {
				t.Errorf("%s, %s: %+v", test.why, shape, second[0])
			}
			want := fmt.Sprintf("clean %d, forked %d, realigned 0, ", test.clean, test.forked)
			if got := turns(t, n); got != want {
				t.Errorf("%s, %s: turns %s, want %s", test.why, shape, got, want)
			}
		}
	}
}

// turns returns the turns in n's metrics.
func turns(t *testing.T, n *server.Server) (text string) {
	t.Helper()
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(n)
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "quintain_policy_turns_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			text += fmt.Sprintf("%s %v, ", m.GetLabel()[0].GetValue(), m.GetCounter().GetValue())
		}
	}
	return text
}

// starting is a server that answers 503 until it is opened.
type starting struct {
	http.Handler
	open atomic.Bool
}

func (s *starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.open.Load() {
		http.Error(w, "Loading model", http.StatusServiceUnavailable)
		return
	}
	s.Handler.ServeHTTP(w, r)
}

// A policy waits for a server that does not run yet, and says so.
func TestAServerThatStartsIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		at    http.Handler
		fails string // the end of the wait; empty: it plays
	}{
		{"it can be used", like(t, fake.VLLM), ""},
		{"it cannot be used", like(t, fake.OpenAI), "takes no tokens"},
	} {
		late := &starting{Handler: test.at}
		s := at(serve(t, late))
		s.Files.Tokenizer = exact.ByteTokenizer
		n := open(t, s, server.Use{Trainer: true})
		err := n.Connect(t.Context())
		if !server.Temporary(err) || !strings.Contains(n.Waiting(), "waiting for the server (try 1): server failed: HTTP 503") {
			t.Errorf("%s: error %v, waits %q", test.why, err, n.Waiting())
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx) }()
		late.open.Store(true)
		samples, err := n.Sample(ctx, asks)
		end()
		ran := <-ended
		if test.fails == "" && (err != nil || ran != nil || len(samples) != 2 || n.Waiting() != "") {
			t.Errorf("%s: samples %+v, errors %v and %v, waits %q", test.why, samples, err, ran, n.Waiting())
		}
		if test.fails != "" && (err == nil || ran == nil || !strings.Contains(ran.Error(), test.fails)) {
			t.Errorf("%s: errors %v and %v", test.why, err, ran)
		}
	}
}

// failing answers the first n requests of a route with 500.
func failing(h http.Handler, route string, n int64) http.Handler {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == route && asked.Add(1) <= n {
			http.Error(w, "the engine has a moment", http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// A fault of a server during the probe says nothing of its abilities, even if no request is
// to be retried.
func TestFaultsDuringTheProbe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, route string
		times      int64
		want       string // in the error, which may pass; "": none
	}{
		{"one, at the first token", "/v1/completions", 1, ""},
		{"one, at the list of models", "/v1/models", 1, ""},
		{"one, at what tells the kind", "/version", 1, ""},
		{"lasting ones at the first token", "/v1/completions", 99, "server failed: HTTP 500"},
	} {
		s := at(serve(t, failing(like(t, fake.VLLM), test.route, test.times)))
		s.Files.Tokenizer = exact.ByteTokenizer
		n := open(t, s, server.Use{Trainer: true})
		err := n.Connect(t.Context())
		if (err != nil) != (test.want != "") || err != nil && (!server.Temporary(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
		if err != nil {
			continue
		}
		if samples, err := n.Sample(t.Context(), asks); err != nil || len(samples) != 2 {
			t.Errorf("%s: samples %+v, error %v", test.why, samples, err)
		}
	}
}

// The wait for a server ends once nobody wants it.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	n := open(t, at("http://127.0.0.1:1"), server.Use{Stop: stop})
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	end(gone)
	if _, err := n.Sample(ctx, asks); !errors.Is(err, gone) {
		t.Errorf("error %v, want the cause of the context", err)
	}
	close(stop)
	if _, err := n.Sample(t.Context(), asks); err == nil || errors.Is(err, quintain.ErrFinal) {
		t.Errorf("error %v, want one that may be played again", err)
	}
}

// Reported versions are passed on, and label the samples if there is a trainer.
func TestVersions(t *testing.T) {
	t.Parallel()
	url := serve(t, like(t, fake.SGLang))
	s := at(url)
	s.Files.Tokenizer = exact.ByteTokenizer
	told := make(chan int32, 8)
	n := open(t, s, server.Use{
		Trainer: true, Version: func(string) int32 { return -1 },
		Told: func(_ context.Context, version int32) error { told <- version; return errors.New("not now") },
	})
	if err := n.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	if version := <-told; version != 3 {
		t.Errorf("version %d, want 3", version)
	}
	if samples, err := n.Sample(ctx, asks); err != nil || samples[0].Versions[0] != 3 {
		t.Errorf("samples %+v, error %v", samples, err)
	}
	reply, err := http.Post(url+"/update_weight_version", "application/json", strings.NewReader(`{"new_version":"4"}`))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if version := <-told; version != 4 {
		t.Errorf("version %d, want 4", version)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	alone := open(t, s, server.Use{Version: func(string) int32 { return -1 }})
	if err := alone.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if samples, err := alone.Sample(t.Context(), asks); err != nil || samples[0].Versions[0] != -1 {
		t.Errorf("without a trainer: samples %+v, error %v", samples, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// One of two servers keeps old weights: it counts until nobody could train on its samples, and
// lags in the metrics.
func TestTheLowestVersionCounts(t *testing.T) {
	t.Parallel()
	old, fresh := serve(t, like(t, fake.SGLang)), serve(t, like(t, fake.SGLang))
	reply, err := http.Post(fresh+"/update_weight_version", "application/json", strings.NewReader(`{"new_version":"5"}`))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	s := at(old)
	s.Pool.URLs = append(s.Pool.URLs, fresh)
	s.Files.Tokenizer = exact.ByteTokenizer
	var oldest atomic.Int32
	moved, told := make(chan struct{}, 8), make(chan int32, 8)
	n := open(t, s, server.Use{
		Trainer: true, Version: func(string) int32 { return 4 }, Oldest: oldest.Load, Moved: func() { moved <- struct{}{} },
		Told: func(_ context.Context, version int32) error { told <- version; return nil },
	})
	if got := n.Lowest(); got != -1 {
		t.Errorf("the lowest version before it is connected is %d", got)
	}
	if err := n.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	for n.Lowest() != 3 {
		<-moved
	}
	oldest.Store(5)
	for n.Lowest() != 5 {
		<-moved
	}
	for version := int32(0); version != 5; {
		version = <-told // what all servers in use report; it may be passed on before the other is up
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(n)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if l := m.GetLabel(); len(l) == 1 {
				found[f.GetName()+" "+l[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	for name, want := range map[string]float64{
		"quintain_policy_server_version " + old: 3, "quintain_policy_server_lag_versions " + old: 2,
		"quintain_policy_server_version " + fresh: 5, "quintain_policy_server_lag_versions " + fresh: 0, "quintain_policy_server_lag_seconds " + fresh: 0,
		"quintain_pool_server_up " + old: 0, "quintain_pool_server_up " + fresh: 1,
	} {
		if got, ok := found[name]; !ok || got != want {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, want)
		}
	}
	if found["quintain_policy_server_lag_seconds "+old] <= 0 {
		t.Error("the server with old weights lags for no time")
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	folder := policytest.ByteModel(t, "{% nope %}", 0)
	good := filepath.Join(policytest.ByteModel(t, policytest.Talk, 0), "tokenizer_config.json")
	for _, test := range []struct {
		why  string
		set  func(*server.Settings)
		says string // empty: nothing
	}{
		{"an address is enough", func(*server.Settings) {}, ""},
		{"no address", func(s *server.Settings) { s.Pool.URLs = nil }, "url: is missing"},
		{"an address that is none", func(s *server.Settings) { s.Pool.URLs = []string{"here"} }, "url is"},
		{"chat completions name the model", func(s *server.Settings) { s.Kind = engines.KindOpenAI }, "model: is missing"},
		{"chat completions take no tokens", func(s *server.Settings) { s.Kind, s.Files.Tokenizer = engines.KindOpenAI, folder }, "tokenizer: the kind openai"},
		{"a kind that samples by tokens", func(s *server.Settings) { s.Kind = engines.KindLlamaCpp }, "tokenizer: is missing; llamacpp takes tokens"},
		{"a template without a tokenizer", func(s *server.Settings) { s.Files.Template = "x.jinja" }, "tokenizer: is missing"},
		{"a template for bytes", func(s *server.Settings) {
			s.Files.Tokenizer, s.Files.Vars = exact.ByteTokenizer, map[string]any{"a": 1}
		}, "tokenizer: bytes has a template"},
		{"more for the body, by tokens", func(s *server.Settings) {
			s.Files.Tokenizer, s.Chat.Extra = exact.ByteTokenizer, map[string]any{"a": 1}
		}, "extra_body: is for completions only"},
		{"texts by a template", func(s *server.Settings) { continues(s); s.Files.Config = good }, ""},
		{"texts by a template that is not there", func(s *server.Settings) { continues(s); s.Files.Template = "none" }, "chat_template: "},
		{"texts have no tokenizer", func(s *server.Settings) { continues(s); s.Files.Tokenizer = folder }, "tokenizer: the server continues text"},
		{"variables of no template", func(s *server.Settings) { continues(s); s.Files.Vars = map[string]any{"a": 1} }, "template_vars: there is no template"},
		{"texts for a kind that takes tokens", func(s *server.Settings) { continues(s); s.Kind = engines.KindVLLM }, "completions: vllm takes tokens"},
		{"text completions name the model", func(s *server.Settings) { continues(s); s.Kind = engines.KindOpenAI }, "model: is missing"},
		{"a tokenizer that is not there", func(s *server.Settings) { s.Files.Tokenizer = "none.json" }, "tokenizer: "},
		{"a template that is none", func(s *server.Settings) { s.Files.Tokenizer = folder }, "unknown tag 'nope'"},
		{"a key that is not there", func(s *server.Settings) { s.Chat.KeyFile = "none" }, "key_file: "},
	} {
		s := at("http://127.0.0.1:1")
		test.set(&s)
		_, err := server.New(s, server.Use{})
		if got := fmt.Sprint(err); (err != nil) != (test.says != "") || !strings.Contains(got, test.says) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.says)
		}
	}
}

func TestTemporary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("of no server"), false},
		{&remote.Error{Kind: remote.Unreachable}, true},
		{&remote.Error{Kind: remote.Busy}, true},
		{&remote.Error{Kind: remote.ServerFailed}, true},
		{&remote.Error{Kind: remote.TooSlow}, true},
		{&remote.Error{Kind: remote.Refused}, false},
		{&remote.Error{Kind: remote.UnknownModel}, false},
		{&remote.Error{Kind: remote.Nonsense}, false},
	} {
		if got := server.Temporary(test.err); got != test.want {
			t.Errorf("%v: %v", test.err, got)
		}
	}
}
