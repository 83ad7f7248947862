package engines_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
)

// serve starts a server.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL
}

// like returns a fake server of a shape.
func like(t *testing.T, shape fake.Shape) http.Handler {
	t.Helper()
	c := fake.Defaults()
	c.Shape, c.FirstToken, c.Version = string(shape), 0, 4
	s, err := fake.New(fake.Config{Server: c, Key: "sk-right"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServersAreRecognised(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		server http.Handler
		kind   engines.Kind
		can    string // in, out, log-probabilities, versions
	}{
		{"vLLM", like(t, fake.VLLM), engines.KindVLLM, "true true true true"},
		{"SGLang", like(t, fake.SGLang), engines.KindSGLang, "true true true true"},
		{"llama.cpp", like(t, fake.LlamaCpp), engines.KindLlamaCpp, "true true true false"},
		{"another, with token IDs", like(t, fake.OpenAI), engines.KindOpenAI, "false true true false"},
		{"another, without", &policytest.Server{}, engines.KindOpenAI, "false false true false"},
		{"another, without log-probabilities", &policytest.Server{NoLogProbs: true}, engines.KindOpenAI, "false false false false"},
		{"all in one", like(t, fake.All), engines.KindVLLM, "true true true true"},
	} {
		for _, url := range []string{serve(t, test.server), serve(t, test.server) + "/v1/"} {
			r, err := engines.Probe(t.Context(), remote.Config{URL: url, APIKey: "sk-right"}, "", "")
			if err != nil {
				t.Errorf("%s: %v", test.why, err)
				continue
			}
			can := fmt.Sprint(r.Can.TokensIn, r.Can.TokensOut, r.Can.LogProbs, r.Can.Versions)
			if r.Server != test.kind || can != test.can || r.Model != "fake" || r.Can.Versions != (r.WeightVersion == "4") {
				t.Errorf("%s: found %+v, want %s that can %s", test.why, r, test.kind, test.can)
			}
		}
	}
}

func TestAddressesOfNoUse(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Hello</html>")) })
	for _, test := range []struct {
		why, url, key, model string
		kind                 remote.Kind
		says                 string
	}{
		{"no server", "http://127.0.0.1:1", "", "", remote.Unreachable, "is the server running"},
		{"a wrong key", serve(t, like(t, fake.VLLM)), "sk-wrong", "", remote.Refused, "is the API key right?"},
		{"an unknown model", serve(t, like(t, fake.VLLM)), "sk-right", "gpt", remote.UnknownModel, `no model "gpt"; the server has fake`},
		{"a web page", serve(t, page), "", "", remote.Nonsense, "is this the address of an inference server?"},
		{"another path", serve(t, like(t, fake.VLLM)) + "/api", "sk-right", "", remote.Refused, "is this the address of an inference server?"},
	} {
		_, err := engines.Probe(t.Context(), remote.Config{URL: test.url, APIKey: test.key}, test.model, "")
		fault, ok := err.(*remote.Error)
		if !ok || fault.Kind != test.kind || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error is %v, want %q of kind %q", test.why, err, test.says, test.kind)
		}
	}
}

// The sampled token may end within a character.
func TestLlamaCppHasLogProbsOfMostTokens(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"/v1/models":  `{"data":[{"id":"m","owned_by":"llamacpp"}]}`,
		"/props":      `{"build_info":"b1","default_generation_settings":{}}`,
		"/completion": `{"tokens":[200],"stop_type":"limit","tokens_evaluated":1,"tokens_predicted":1,"completion_probabilities":[]}`,
	}
	r, err := engines.Probe(t.Context(), remote.Config{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers[r.URL.Path] == "" {
			http.NotFound(w, r)
		}
		_, _ = io.WriteString(w, answers[r.URL.Path])
	}))}, "", "")
	if err != nil || r.Server != engines.KindLlamaCpp || !r.Can.LogProbs {
		t.Errorf("found %+v, error %v; want llama.cpp with log-probabilities", r, err)
	}
}

// transformers serve lists the models in a cache, and none without a cache; it refuses
// unknown fields, and ignores known ones that it cannot honour.
func TestModelsThatAreServedButNotListed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, list, model string
		status           int
		is               bool
	}{
		{"no cache", "Internal Server Error", "fake", http.StatusInternalServerError, true},
		{"another model in the cache", `{"data":[{"id":"other","owned_by":""}]}`, "fake", http.StatusOK, true},
		{"an empty cache", `{"data":[]}`, "fake", http.StatusOK, true},
		{"a model that is neither", `{"data":[{"id":"other","owned_by":""}]}`, "gpt", http.StatusOK, false},
		{"none is named", `{"data":[]}`, "", http.StatusOK, false},
	} {
		chat := &policytest.Server{NoLogProbs: true}
		r, err := engines.Probe(t.Context(), remote.Config{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.list)
			case bytes.Contains(body, []byte("return_token_ids")):
				http.Error(w, "Unexpected fields in the request", http.StatusUnprocessableEntity)
			default:
				r.Body = io.NopCloser(bytes.NewReader(body))
				chat.ServeHTTP(w, r)
			}
		}))}, test.model, "")
		if (err == nil) != test.is || err == nil && (r.Server != engines.KindOpenAI || r.Model != "fake" || r.Can.TokensOut) {
			t.Errorf("%s: found %+v, error %v", test.why, r, err)
		}
	}
}

// Abilities in text completions are told apart from those in chat completions.
func TestTextCompletionsAreTried(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		at    http.Handler
		chats bool
		text  string // its abilities; empty: none
		notes int
	}{
		{"both", like(t, fake.OpenAI), true, "out true, log-probabilities true", 0},
		{"messages alone", &policytest.Server{Key: "sk-right"}, true, "", 0},
		{"texts alone", without(like(t, fake.OpenAI), "/v1/chat/completions"), false, "out true, log-probabilities true", 1},
		{"neither", without(&policytest.Server{Key: "sk-right"}, "/v1/chat/completions"), false, "", 2},
		{"a server that takes tokens is not asked", like(t, fake.VLLM), true, "", 0},
	} {
		r, err := engines.Probe(t.Context(), remote.Config{URL: serve(t, test.at), APIKey: "sk-right"}, "", "")
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		text := ""
		if r.Text != nil {
			text = fmt.Sprintf("out %v, log-probabilities %v", r.Text.TokensOut, r.Text.LogProbs)
		}
		if (r.Fault == nil) != test.chats || text != test.text || len(r.Notes) != test.notes {
			t.Errorf("%s: found %+v, text completions: %s", test.why, r, text)
		}
	}
}

// without returns h without a route.
func without(h http.Handler, route string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == route {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Notes report a recognised server that fails at its own job.
func TestFailuresAreNoted(t *testing.T) {
	t.Parallel()
	s := like(t, fake.SGLang)
	r, err := engines.Probe(t.Context(), remote.Config{URL: serve(t, without(s, "/generate")), APIKey: "sk-right"}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Can.TokensIn || !r.Can.TokensOut || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "404") {
		t.Errorf("found %+v, want tokens out only, and a note", r)
	}
}
