package engines_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Temporary faults are retried, and leave no trace in the samples.
func TestTemporaryFaultsAreRetried(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		faults []policytest.Fault
	}{
		{"overload", times(3, policytest.Status(429, "Retry-After", "0"))},
		{"request timeout at the server", times(2, policytest.Status(408))},
		{"the server fails", times(4, policytest.Status(500))},
		{"a gateway without a server", []policytest.Fault{policytest.Status(502), policytest.Status(503)}},
		{"the connection is closed", times(3, policytest.Drop)},
		{"the answer is incomplete", times(3, policytest.Cut)},
		{"the answer is truncated", times(4, policytest.Truncate)},
		{"an empty answer", times(3, policytest.Body("application/json", ""))},
		{"the engine aborts for new weights", times(3, policytest.EditChoice(func(c map[string]any) { c["finish_reason"] = "abort" }))},
		{"the page of a proxy", times(2, policytest.Body("text/html", "<html>Bad gateway</html>"))},
		{"one fault after another", []policytest.Fault{policytest.Drop, policytest.Status(500), policytest.Cut, policytest.Truncate}},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			s := failing(test.faults...)
			c := client(t, s, nil)
			r := request(2)
			samples, err := c.Sample(t.Context(), r)
			if err == nil {
				err = policytest.Check(r, samples)
			}
			if err != nil {
				t.Fatal(err)
			}
			asked := int64(len(test.faults) + 1)
			if got, want := c.Stats(), (engines.OpenAIStats{Asked: asked, Retried: asked - 1}); got != want {
				t.Errorf("stats are %+v, want %+v", got, want)
			}
		})
	}
}

// Permanent faults end in an error, after as many attempts as can help, never in a sample.
func TestPermanentFaultsAreErrors(t *testing.T) {
	t.Parallel()
	choice := policytest.EditChoice
	entry := func(name string, value any) policytest.Fault {
		return choice(func(c map[string]any) {
			c["logprobs"].(map[string]any)["content"].([]any)[1].(map[string]any)[name] = value
		})
	}
	for _, test := range []struct {
		why      string
		fault    policytest.Fault
		kind     remote.Kind
		attempts int
		says     string
	}{
		{"overload", policytest.Status(429), remote.Busy, 5, "HTTP 429 Too Many Requests"},
		{"the server fails", policytest.Status(500), remote.ServerFailed, 5, "HTTP 500"},
		{"the connection is closed", policytest.Drop, remote.Unreachable, 5, "is the server running"},
		{"the answer is incomplete", policytest.Cut, remote.Unreachable, 5, "unexpected EOF"},
		{"the answer is truncated", policytest.Truncate, remote.Unreachable, 5, "unexpected EOF"},
		{"aborted by the engine", choice(func(c map[string]any) { c["finish_reason"] = "abort" }), remote.Aborted, 5, "abort"},
		{"an error of the engine", choice(func(c map[string]any) { c["finish_reason"] = "error" }), remote.ServerFailed, 5, `"error"`},

		{"a gateway that gave up: the reply may have been sampled", policytest.Status(504), remote.TooSlow, 1, "time limit of the proxy"},
		{"a bad request", policytest.Status(400), remote.Refused, 1, `the server said "{`},
		{"a wrong key", policytest.Status(401), remote.Refused, 1, "is the API key right?"},
		{"a wrong model or path", policytest.Status(404), remote.Refused, 1, "end with /v1?"},
		{"no such feature", policytest.Status(501), remote.Refused, 1, "HTTP 501"},
		{"a redirect", policytest.Status(302, "Location", "/elsewhere"), remote.Refused, 1, "redirects are not followed"},
		{"filtered", choice(func(c map[string]any) { c["finish_reason"] = "content_filter" }), remote.Filtered, 1, "content_filter"},
		{"no token IDs", choice(func(c map[string]any) { delete(c, "token_ids") }), remote.Unsupported, 1, "vLLM 0.10.2"},
		{"no token IDs of the prompt", policytest.Edit(func(r map[string]any) { delete(r, "prompt_token_ids") }), remote.Unsupported, 1, "no token IDs"},

		{"the page of a proxy", policytest.Body("text/html", "<html>Hello</html>"), remote.Nonsense, 3, "<html>Hello</html>"},
		{"not an object", policytest.Body("application/json", `[1]`), remote.Nonsense, 3, "not valid JSON"},
		{"NaN", policytest.Body("application/json", `{"choices":[{"message":{"content":"x"},"logprobs":{"content":[{"logprob":NaN}]}}]}`), remote.Nonsense, 3, "'N'"},
		{"an error with status 200", policytest.Body("application/json", `{"error":"no"}`), remote.Nonsense, 3, "no choices"},
		{"no choices", policytest.Edit(func(r map[string]any) { r["choices"] = []any{} }), remote.Nonsense, 3, "no choices"},
		{"a choice that is null", policytest.Edit(func(r map[string]any) { r["choices"] = []any{nil} }), remote.Nonsense, 3, "choice 0: no message"},
		{"too many choices", policytest.Edit(func(r map[string]any) { c := r["choices"].([]any); r["choices"] = append(c, c[0]) }), remote.Nonsense, 3, "2 choices, asked for 1"},
		{"no message", choice(func(c map[string]any) { delete(c, "message") }), remote.Nonsense, 3, "no message"},
		{"a message that is text", choice(func(c map[string]any) { c["message"] = "hello" }), remote.Nonsense, 3, "cannot unmarshal"},
		{"content that is not text", choice(func(c map[string]any) { c["message"] = map[string]any{"content": []any{"x"}} }), remote.Nonsense, 3, "cannot unmarshal"},
		{"no finish_reason", choice(func(c map[string]any) { c["finish_reason"] = nil }), remote.Nonsense, 3, "was the reply cut?"},
		{"an unknown finish_reason", choice(func(c map[string]any) { c["finish_reason"] = "tired" }), remote.Nonsense, 3, `"tired"`},
		{"a log-probability above zero", entry("logprob", 0.5), remote.Nonsense, 3, "token 1 is 0.5, above 0"},
		{"a log-probability that is null", entry("logprob", nil), remote.Nonsense, 3, "is null"},
		{"an infinite log-probability", entry("logprob", -1e300), remote.Nonsense, 3, "-1e+300"},
		{"a log-probability that is text", entry("logprob", "low"), remote.Nonsense, 3, "cannot unmarshal"},
		{"a byte above 255", entry("bytes", []int{256}), remote.Nonsense, 3, "cannot unmarshal"},
		{"fewer log-probabilities than tokens", choice(func(c map[string]any) {
			l := c["logprobs"].(map[string]any)
			l["content"] = l["content"].([]any)[1:]
		}), remote.Nonsense, 3, "log-probabilities for"},
		{"a negative token ID", choice(func(c map[string]any) { c["token_ids"].([]any)[2] = -7 }), remote.Nonsense, 3, "token ID 2 is -7"},
		{"a token ID above 32 bits", choice(func(c map[string]any) { c["token_ids"].([]any)[2] = int64(1) << 33 }), remote.Nonsense, 3, "cannot unmarshal"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			s := failing(times(20, test.fault)...)
			c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.Retries = 4 })
			samples, err := c.Sample(t.Context(), request(1))
			fault, ok := errors.AsType[*remote.Error](err)
			if !ok || len(samples) > 0 {
				t.Fatalf("%d samples and error %v, want a *remote.Error alone", len(samples), err)
			}
			if fault.Kind != test.kind || fault.Attempts != test.attempts || len(s.Requests()) != test.attempts {
				t.Errorf("kind %q, %d attempts, %d requests; want %q, %d\n%v",
					fault.Kind, fault.Attempts, len(s.Requests()), test.kind, test.attempts, err)
			}
			text := err.Error()
			if !strings.Contains(text, test.says) || !strings.Contains(text, "/v1/chat/completions: "+string(test.kind)) {
				t.Errorf("error is %q, want the address, the kind and %q in it", text, test.says)
			}
			if got := c.Stats().Failed; got != 1 {
				t.Errorf("%d requests counted as failed, want 1", got)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(&policytest.Server{})
	defer plain.Close()
	for _, test := range []struct {
		why, url string
		attempts int
		says     string
	}{
		{"no server listens", "http://127.0.0.1:1/v1", 3, "connection refused"},
		{"it does not speak TLS", strings.Replace(plain.URL, "http:", "https:", 1) + "/v1", 1, "HTTP response to HTTPS client"},
	} {
		c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: remote.Config{URL: test.url, Retries: 2, Backoff: 1, MaxBackoff: 1}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Sample(t.Context(), request(1))
		fault, ok := errors.AsType[*remote.Error](err)
		if !ok || fault.Kind != remote.Unreachable || fault.Attempts != test.attempts || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error is %v, want %q after %d attempts", test.why, err, test.says, test.attempts)
		}
		c.CloseIdle()
	}
}

func TestErrorsDoNotContainTheKey(t *testing.T) {
	t.Parallel()
	const key = "sk-secret-0123456789"
	for _, test := range []struct {
		why   string
		fault policytest.Fault
	}{
		{"the server repeats it", policytest.Body("text/plain", "Incorrect key "+key)},
		{"the server repeats it in a field", policytest.EditChoice(func(c map[string]any) { c["finish_reason"] = key })},
		{"the connection breaks", policytest.Drop},
		{"refused", policytest.Status(403)},
	} {
		s := failing(times(20, test.fault)...)
		s.Key = key
		c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.APIKey, cfg.Server.URL = key, cfg.Server.URL+"?key="+key })
		_, err := c.Sample(t.Context(), request(1))
		fault, ok := errors.AsType[*remote.Error](err)
		if !ok {
			t.Fatalf("%s: error is %v", test.why, err)
		}
		if text := fmt.Sprintf("%v %+v %#v %v", err, fault, fault, fault.Err); strings.Contains(text, key) {
			t.Errorf("%s: the error contains the key: %s", test.why, text)
		}
	}
	s := &policytest.Server{Key: "another"}
	c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.APIKey = key })
	if err := c.Check(t.Context()); err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "Bearer [key]") {
		t.Errorf("error is %v, want the server's message without the key", err)
	}
}

func TestTimeoutIsNotRetried(t *testing.T) {
	t.Parallel()
	s := failing(policytest.Hang)
	c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.Timeout = 20 * time.Millisecond })
	_, err := c.Sample(t.Context(), request(1))
	fault, ok := errors.AsType[*remote.Error](err)
	if !ok || fault.Kind != remote.TooSlow || fault.Attempts != 1 || !strings.Contains(err.Error(), "no answer in time (20ms)") {
		t.Errorf("error is %v, want one attempt that was too slow", err)
	}
}

func TestReplySizeIsLimited(t *testing.T) {
	t.Parallel()
	s := saying(strings.Repeat("blah ", 1000))
	c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.MaxReplyBytes = 1000 })
	_, err := c.Sample(t.Context(), request(1))
	if fault, ok := errors.AsType[*remote.Error](err); !ok || fault.Kind != remote.TooLarge || fault.Attempts != 1 {
		t.Errorf("error is %v, want a reply that is too large", err)
	}
}

func TestTooLongConversationsAreNotRetried(t *testing.T) {
	t.Parallel()
	c := client(t, &policytest.Server{MaxContext: 10}, nil)
	r := request(4)
	_, err := c.Sample(t.Context(), r)
	if fault, ok := errors.AsType[*remote.Error](err); !ok || fault.Kind != remote.TooLong || fault.Attempts != 1 {
		t.Errorf("error is %v, want one of kind TooLong", err)
	}
	if asked := c.Stats().Asked; asked != 1 {
		t.Errorf("%d requests, want 1: one sample does not fit either", asked)
	}
}

// A request ends with its context, in whatever state.
func TestCancelledRequestsEnd(t *testing.T) {
	t.Parallel()
	cause := errors.New("the run is over")
	for _, test := range []struct {
		why    string
		server *policytest.Server
		change func(*engines.OpenAIConfig)
		n      int
	}{
		{"while the server samples", failing(policytest.Hang), nil, 1},
		{"while single samples are requested", &policytest.Server{IgnoresN: true, Faults: []policytest.Fault{nil, policytest.Hang, nil, policytest.Hang}}, nil, 4},
		{"while it waits before a retry", failing(times(9, policytest.Status(429, "Retry-After", "3600"))...),
			func(cfg *engines.OpenAIConfig) { cfg.Server.Backoff, cfg.Server.MaxBackoff = time.Hour, time.Hour }, 1},
		{"while the answer arrives", failing(func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
			_, _ = w.Write([]byte(`{"choices":[`))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}), nil, 1},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			c := client(t, test.server, test.change)
			ctx, cancel := context.WithCancelCause(t.Context())
			var ended sync.WaitGroup
			ended.Go(func() {
				eventually(t, func() bool { return len(test.server.Requests()) >= test.n })
				cancel(cause)
			})
			samples, err := c.Sample(ctx, request(test.n))
			ended.Wait()
			if err != cause || len(samples) > 0 {
				t.Errorf("%d samples and error %v, want the cause alone", len(samples), err)
			}
		})
	}
}

// eventually waits until happened returns true.
func eventually(t *testing.T, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 300_000 {
		if happened() {
			return
		}
		<-tick.C
	}
	t.Error("it did not happen")
}
