package remote_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/policy/remote"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve returns a server that answers with handler.
func serve(t *testing.T, handler http.HandlerFunc) *remote.Server {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	s, err := remote.New(remote.Config{URL: web.URL, Backoff: 1, MaxBackoff: 1, Retries: 2, MaxReplyBytes: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdle)
	return s
}

func TestEventsAreReadAsTheyArrive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70_000)
	for _, test := range []struct {
		why, body string
		want      []string
		kind      remote.Kind // "": no error
	}{
		{"an event, and the end", "data: a\n\ndata: [DONE]\n\n", []string{"a"}, ""},
		{"events after the end are ignored", "data: [DONE]\ndata: b\n", nil, ""},
		{"a stream that just ends", "data: a\n\ndata: b\n\n", []string{"a", "b"}, ""},
		{"comments, names and other line ends", ": ping\r\nevent: x\r\ndata:a\r\n\r\n", []string{"a"}, ""},
		{"an event longer than the buffer", "data: " + long + "\n\n", []string{long}, ""},
		{"half an event", "data: a\n\ndata: b", []string{"a"}, ""},
		{"more than the limit", strings.Repeat("data: "+long+"\n", 2), []string{long}, remote.TooLarge},
		{"an event that cannot be read", "data: bad\n\n", nil, remote.Nonsense},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			_, _ = w.Write([]byte(test.body))
		})
		var got []string
		err := s.Ask(t.Context(), remote.Call{
			Begin: func(int32) { got = nil },
			Event: func(data []byte) *remote.Error {
				if string(data) == "bad" {
					return remote.Nonsensef("no")
				}
				got = append(got, string(data))
				return nil
			},
			Read: func([]byte) *remote.Error { return nil },
		})
		fault, _ := errors.AsType[*remote.Error](err)
		if kind := remote.Kind(""); !slices.Equal(got, test.want) || (fault == nil) != (test.kind == kind) || fault != nil && fault.Kind != test.kind {
			t.Errorf("%s: %d events and error %v, want %d and %q", test.why, len(got), err, len(test.want), test.kind)
		}
	}
}

// TestThePageOfAProxy answers with a page once, or always. A request whose answer may exist
// is not repeated, so that none is sampled twice.
func TestThePageOfAProxy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		status int
		always bool
		kind   remote.Kind // "": no error
		asked  int
		says   string
	}{
		{"the server behind it restarts", 502, false, "", 2, ""},
		{"it has no server for a moment", 503, false, "", 2, ""},
		{"its server stays away", 502, true, remote.ServerFailed, 3, "is the server behind the proxy running"},
		{"it gave up waiting: the server may have sampled", 504, false, remote.TooSlow, 1, "time limit of the proxy"},
		{"a page in place of an answer", 200, true, remote.Nonsense, 3, "this is a web page"},
		{"a page that asks for a password", 401, true, remote.Refused, 1, "is the API key right?"},
	} {
		asked, answers := 0, 0
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked == 1 || test.always {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte("<html><h1>Hello</h1></html>"))
				return
			}
			_, _ = w.Write([]byte(`{}`))
		})
		err := s.Ask(t.Context(), remote.Call{Begin: func(int32) {}, Read: func(body []byte) *remote.Error {
			var value struct{}
			fault := remote.Decode(body, &value)
			if fault == nil {
				answers++
			}
			return fault
		}})
		fault, ok := errors.AsType[*remote.Error](err)
		switch {
		case asked != test.asked || answers > 1 || ok == (test.kind == ""):
			t.Errorf("%s: asked %d times, %d answers, error %v", test.why, asked, answers, err)
		case ok && (fault.Kind != test.kind || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "<h1>Hello</h1>")):
			t.Errorf("%s: error %v, want the kind %q, the page and %q", test.why, err, test.kind, test.says)
		}
	}
}

func TestAnAnswerWithoutEventsIsNonsense(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("Hello")) })
	err := s.Ask(t.Context(), remote.Call{
		Begin: func(int32) {}, Event: func([]byte) *remote.Error { return nil }, Read: func([]byte) *remote.Error { return nil },
	})
	if err == nil || !strings.Contains(err.Error(), `the server said "Hello"`) {
		t.Errorf("error is %v, want the server's words", err)
	}
}

// A request that can be aborted is not cut off when its context ends: the server sends its
// tokens so far.
func TestAbortedExchangesEndByThemselves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		answer bool
	}{{"the server answers", true}, {"the server stays silent", false}} {
		began, abort := make(chan struct{}), make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			close(began)
			<-abort
			if test.answer {
				_, _ = w.Write([]byte("half"))
				return
			}
			<-r.Context().Done()
		})
		cause := errors.New("the run is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-began; cancel(cause) }()
		var got string
		start := time.Now()
		err := s.Ask(ctx, remote.Call{
			Begin: func(int32) {}, Abort: func() { close(abort) },
			Read: func(body []byte) *remote.Error { got = string(body); return nil },
		})
		switch {
		case test.answer && (err != nil || got != "half"):
			t.Errorf("%s: %q and error %v, want the tokens so far", test.why, got, err)
		case !test.answer && (err != cause || time.Since(start) < remote.Grace):
			t.Errorf("%s: error %v after %v, want the cause after %v", test.why, err, time.Since(start), remote.Grace)
		}
	}
}

// A request names the span that it belongs to, and nothing otherwise.
func TestARequestNamesItsSpan(t *testing.T) {
	span := traceparent.Sampler(1).Of("run", "problem")
	for _, want := range []traceparent.Context{span, {}} {
		var got []string
		s := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Values("Traceparent") })
		err := s.Ask(traceparent.With(t.Context(), want), remote.Call{Begin: func(int32) {}, Read: func([]byte) *remote.Error { return nil }})
		if err != nil || strings.Join(got, " ") != want.String() {
			t.Errorf("%v: the header is %q, want %q", err, got, want)
		}
	}
}
