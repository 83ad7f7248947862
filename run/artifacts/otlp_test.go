package artifacts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// noon is when the spans of the tests begin.
var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// root is a span of the tests.
func root() traceparent.Context { return traceparent.Sampler(1).Of("run", "problem") }

// some are n spans.
func some(n int) (all []Span) {
	for i := range n {
		all = append(all, Span{Name: "turn", At: root().Child(fmt.Sprint(i)), Parent: root(), Start: noon, End: noon.Add(time.Second)})
	}
	return all
}

// A request has the form of OTLP in JSON: names of traces in hexadecimal, whole numbers as text.
func TestTheFormOfARequest(t *testing.T) {
	agent := traceparent.Parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	got, err := encode([]Attribute{Text("service.name", "quintain")}, []Span{
		{Name: "group", At: root(), Start: noon, End: noon.Add(time.Minute), Attributes: []Attribute{Int("quintain.level", 3), Float("quintain.reward", 0.5), Float("odd", 1/zero())}},
		{
			Name: "turn", At: agent.Child("1"), Parent: agent, Link: root(), Calls: true, Start: noon, End: noon.Add(1500 * time.Millisecond),
			Attributes: []Attribute{Texts("gen_ai.response.finish_reasons", "stop"), Text("text", "<\"\u2028\xff>")}, Error: "no answer " + strings.Repeat("x", 2000),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/request.json", append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\ufffd", `\ufffd`) != strings.TrimSpace(string(want)) { // Go 1.26 escapes what is no UTF-8, and 1.27 does not
		t.Errorf("the request is\n%s\nwant\n%s", got, want)
	}
}

func zero() float64 { return 0 }

// A fakeCollector takes requests without a network, so that time stands still while nobody works.
type fakeCollector struct {
	answers []answer // to the first requests; then it takes them
	spans   int      // that it took
	asked   []time.Duration
	began   time.Time
}

type answer struct {
	status int // 0: the connection breaks
	body   string
	after  string        // Retry-After
	slow   time.Duration // until it answers
}

func (c *fakeCollector) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked = append(c.asked, time.Since(c.began))
	now := answer{status: http.StatusOK, body: "{}"}
	if len(c.answers) > 0 {
		now, c.answers = c.answers[0], c.answers[1:]
	}
	select {
	case <-time.After(now.slow):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if now.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if now.status == http.StatusOK {
		c.spans += bytes.Count(body, []byte(`"spanId"`))
	}
	w := httptest.NewRecorder()
	w.Header().Set("Retry-After", now.after)
	w.WriteHeader(now.status)
	_, _ = w.WriteString(now.body)
	return w.Result(), nil
}

// exporter makes an exporter that sends to c.
func exporter(t *testing.T, c *fakeCollector, log io.Writer) *Exporter {
	t.Helper()
	e, err := NewExporter(OTLPSettings{URL: "http://collector:4318", Ratio: 1}, func(string) string { return "" }, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	e.client, c.began = httpclient.New(httpclient.Config{Transport: c}), time.Now()
	return e
}

func repeat(n int, a answer) (all []answer) {
	for range n {
		all = append(all, a)
	}
	return all
}

// Whatever a collector does, nobody waits for it; what it cannot be given is counted.
func TestFaultsOfTheCollector(t *testing.T) {
	for _, c := range []struct {
		why      string
		answers  []answer
		spans    int
		after    time.Duration // the run ends then
		asked    string
		took     int
		dropped  map[string]float64
		failures float64
		logs     int // lines
	}{
		{why: "it is well", spans: 3, after: 10 * time.Second, asked: "[2s]", took: 3},
		{why: "more than a request has go at once, in several", spans: 1025, after: 10 * time.Second, asked: "[0s 0s 0s]", took: 1025},
		{why: "it is busy", answers: repeat(2, answer{status: 503}), spans: 3, after: time.Minute, asked: "[2s 3s 5s]", took: 3, failures: 2, logs: 2},
		{why: "it names a time", answers: repeat(1, answer{status: 429, after: "7"}), spans: 3, after: time.Minute, asked: "[2s 9s]", took: 3, failures: 1, logs: 2},
		{why: "it names a time that is too long", answers: repeat(1, answer{status: 503, after: "86400"}), spans: 3, after: time.Minute, asked: "[2s 32s]", took: 3, failures: 1, logs: 2},
		{why: "it breaks off", answers: repeat(1, answer{}), spans: 3, after: time.Minute, asked: "[2s 3s]", took: 3, failures: 1, logs: 2},
		{why: "it is slow", answers: repeat(1, answer{status: 200, slow: time.Minute}), spans: 3, after: time.Minute, asked: "[2s 13s]", took: 3, failures: 1, logs: 2},
		{why: "it refuses", answers: repeat(1, answer{status: 400, body: "no such thing"}), spans: 3, after: time.Minute, asked: "[2s]", dropped: map[string]float64{dropRefused: 3}, failures: 1, logs: 1},
		{why: "it leads elsewhere", answers: repeat(1, answer{status: 307}), spans: 3, after: time.Minute, asked: "[2s]", dropped: map[string]float64{dropRefused: 3}, failures: 1, logs: 1},
		{why: "it rejects some", answers: repeat(1, answer{status: 200, body: `{"partialSuccess":{"rejectedSpans":"2"}}`}), spans: 3, after: time.Minute, asked: "[2s]", took: 3, dropped: map[string]float64{dropRefused: 2}, logs: 1},
		{why: "it rejects more than there are", answers: repeat(1, answer{status: 200, body: `{"partialSuccess":{"rejectedSpans":9}}`}), spans: 3, after: time.Minute, asked: "[2s]", took: 3, dropped: map[string]float64{dropRefused: 3}, logs: 1},
		{why: "its answer is none", answers: repeat(1, answer{status: 200, body: "\x00"}), spans: 3, after: time.Minute, asked: "[2s]", took: 3},
		{
			why: "it is gone", answers: repeat(100, answer{}), spans: 3, after: 10 * time.Minute,
			asked: "[2s 3s 5s 9s 17s 33s 1m3s 1m33s 2m3s 2m33s]", dropped: map[string]float64{dropTried: 3}, failures: 10, logs: 1,
		},
		{why: "it is gone when the run ends", answers: repeat(100, answer{}), spans: 3, after: time.Second, asked: "[1s 2s 4s]", dropped: map[string]float64{dropTried: 3}, failures: 3, logs: 2},
		{why: "it takes what is under way when the run ends", answers: repeat(1, answer{status: 200, slow: 4 * time.Second}), spans: 3, after: 3 * time.Second, asked: "[2s]", took: 3},
		{why: "it is slow when the run ends", answers: repeat(2, answer{status: 200, slow: time.Hour}), spans: 3, after: 3 * time.Second, asked: "[2s 8s]", dropped: map[string]float64{dropTried: 3}, logs: 1},
		{why: "it is slow at the end", answers: repeat(1, answer{status: 200, slow: time.Hour}), spans: 3, after: time.Second, asked: "[1s]", dropped: map[string]float64{dropTried: 3}, logs: 1},
		{why: "more come than may wait", spans: mostWaiting + 10, after: time.Minute, took: mostWaiting, dropped: map[string]float64{dropFull: 10}},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, log := &fakeCollector{answers: c.answers}, &bytes.Buffer{}
				e := exporter(t, to, log)
				ctx, stop := context.WithTimeout(t.Context(), c.after)
				defer stop()
				e.Add(some(c.spans)...)
				if err := errors.Join(e.Run(ctx), e.Close()); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(to.asked); c.asked != "" && got != c.asked {
					t.Errorf("it was asked at %s, want %s", got, c.asked)
				}
				if to.spans != c.took {
					t.Errorf("it took %d spans, want %d", to.spans, c.took)
				}
				lost := 0.0
				for _, why := range []string{dropFull, dropRefused, dropTried} {
					lost += c.dropped[why]
					if got := testutil.ToFloat64(e.dropped.WithLabelValues(why)); got != c.dropped[why] {
						t.Errorf("%v are dropped as %s, want %v", got, why, c.dropped[why])
					}
				}
				if sent := testutil.ToFloat64(e.sent); sent+lost != float64(c.spans) {
					t.Errorf("%v sent and %v dropped, of %d", sent, lost, c.spans)
				}
				if got := testutil.ToFloat64(e.failures); got != c.failures {
					t.Errorf("%v failures, want %v", got, c.failures)
				}
				if got := strings.Count(log.String(), "\n"); got != c.logs {
					t.Errorf("%d lines are logged, want %d:\n%s", got, c.logs, log)
				}
			})
		})
	}
}

// A real collector over the network gets the path, the headers and a body that is JSON.
func TestARealServerGetsHeadersAndPath(t *testing.T) {
	for _, path := range []string{"", "/", "/v1/traces", "/prefix"} {
		var got *http.Request
		var body []byte
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			body, _ = io.ReadAll(r.Body)
		}))
		e, err := NewExporter(OTLPSettings{URL: s.URL + path}, func(name string) string {
			return map[string]string{HeadersVariable: "Api-Key = s%3Dcret%20word , x-more=1,"}[name]
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		e.Add(some(1)...)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if want := strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/v1/traces") + "/v1/traces"; got.URL.Path != want {
			t.Errorf("%q: the path is %q, want %q", path, got.URL.Path, want)
		}
		if h := got.Header; h.Get("api-key") != "s=cret word" || h.Get("X-More") != "1" || h.Get("Content-Type") != "application/json" {
			t.Errorf("the headers are %v", h)
		}
		var sent request
		if err := strictjson.Unmarshal(body, &sent); err != nil || len(sent.Resources[0].Scopes[0].Spans) != 1 {
			t.Errorf("the body is %s: %v", body, err)
		}
	}
}

// A wrong setting is refused by its name, and no key is told.
func TestWrongSettings(t *testing.T) {
	for _, c := range []struct{ url, headers, want string }{
		{"collector:4318", "", "otlp.url: is"},
		{"grpc://collector:4317", "", "otlp.url: is"},
		{"http://user:secret@collector", "", "otlp.url: has a password"},
		{"http://collector/?key=secret", "", "otlp.url: has a password or a query"},
		{"http://collector", "a=1,secret", HeadersVariable + ": number 2"},
		{"http://collector", "a=%zzsecret", HeadersVariable + ": number 1"},
		{"http://collector", "a=1%0aX:secret", HeadersVariable + ": number 1"},
		{"http://collector", "=secret", HeadersVariable + ": number 1"},
	} {
		s := OTLPSettings{URL: c.url, Ratio: 1}
		_, err := NewExporter(s, func(string) string { return c.headers }, slog.New(slog.DiscardHandler))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, %s: %v, want %s", c.url, c.headers, err, c.want)
		}
		if bad := s.Check() != nil; bad != (c.headers == "") {
			t.Errorf("%s: Check returns %v", c.url, s.Check())
		}
	}
	none := DefaultOTLP()
	if err := settings.Check(&none); err != nil || none.Sampler() != 0 {
		t.Errorf("without a collector: %v, and %v of all problems have a trace", err, none.Sampler())
	}
	some := OTLPSettings{URL: "http://collector", Ratio: 0.25}
	if some.Sampler() != 0.25 {
		t.Errorf("%v of all problems have a trace", some.Sampler())
	}
}
