package backend_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// strong is what a server answers that holds all.
const strong = `{"backend": "native", "layers": [{"name": "all", "holds": true}], "lacks": []}`

// exited is the answer of a job that ended well.
const exited = `{"result": {"end": "exited", "code": 0, "cpu": 5, "wall": 7}}`

// faulty serves a Quintain whose answers to jobs are those of run.
func faulty(t *testing.T, run http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == backend.PathStrength {
			fmt.Fprint(w, strong)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		run(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// says answers with a status and a text.
func says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/other")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// Whatever a server does, it gives an error and no result; what may pass is tried again.
func TestFaultsAreErrors(t *testing.T) {
	t.Parallel()
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, exited)
	}
	gigabytes := func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 1<<20)
		for range 1 << 10 {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		why   string
		run   http.HandlerFunc
		want  string // part of the error
		again bool
	}{
		{"it fails", says(500, "broken"), `HTTP 500 Internal Server Error: the server said "broken"`, true},
		{"it is too busy", says(504, ""), "HTTP 504", true},
		{"the key is wrong", says(401, "no "+key), "is the key right", false},
		{"it refuses", says(422, "bad"), "HTTP 422", false},
		{"it sends us elsewhere", says(307, ""), "redirects are not followed", false},
		{"there is nothing", says(204, ""), "/v1/sandbox/run: the JSON ends too early", true},
		{"half an answer", half, "EOF", true},
		{"no JSON", says(200, "<html>"), "stands where it may not in JSON", true},
		{"empty", says(200, ""), "/v1/sandbox/run", true},
		{"no result", says(200, `{}`), "result: is missing", true},
		{"an unknown end", says(200, `{"result": {"end": "won"}}`), `the end is "won"`, true},
		{"a result of another kind", says(200, `{"result": 5}`), "result", true},
		{"gigabytes", gigabytes, "more than", true},
		{"slow", slow, "no answer in time", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			url := faulty(t, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); c.run(w, r) })
			b := open(t, backend.RemoteConfig{URLs: []string{url}, Wait: 700 * time.Millisecond, Within: 2 * time.Second})
			got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"x"}, Limits: sandbox.Limits{Wall: time.Millisecond}})
			if err == nil || got.End != "" || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key) {
				t.Errorf("%+v, error %v, want %q", got, err, c.want)
			}
			if errors.Is(err, sandbox.ErrBusy) != c.again || (calls.Load() > 1) != c.again {
				t.Errorf("asked %d times, error %v: may pass is %v", calls.Load(), err, c.again)
			}
		})
	}
}

// A server that is away, or is something else, is an error of the probe too.
func TestServersThatAreNone(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))
	t.Cleanup(page.Close)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/ping" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(other.Close)
	weak := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"backend": "native", "lacks": ["no network"]}`)
	}))
	t.Cleanup(weak.Close)
	away := httptest.NewServer(nil)
	away.Close()
	for _, url := range []string{page.URL, other.URL, away.URL} {
		b := open(t, backend.RemoteConfig{URLs: []string{url}, Trust: true, Wait: time.Second, Within: 400 * time.Millisecond})
		if s, err := b.Probe(t.Context()); err == nil {
			t.Errorf("%s: %+v", url, s)
		}
		if got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"x"}, Limits: sandbox.Limits{Wall: time.Millisecond}}); err == nil || got.End != "" {
			t.Errorf("%s: %+v, error %v", url, got, err)
		}
	}
	b := open(t, backend.RemoteConfig{URLs: []string{weak.URL, away.URL}, Trust: true})
	if s, err := b.Probe(t.Context()); err != nil || !errors.Is(s.Err(), sandbox.ErrWeak) || len(s.Layers) != 2 || s.Layers[1].Holds {
		t.Errorf("%+v, error %v", s, err)
	}
	if got, err := open(t, backend.RemoteConfig{URLs: []string{weak.URL}, Trust: true}).Run(t.Context(), sandbox.Job{Argv: []string{"x"}}); !errors.Is(err, sandbox.ErrWeak) || got.End != "" {
		t.Errorf("%+v, error %v", got, err)
	}
}

// One server of several that fails takes no job along, and is asked again later.
func TestAnotherServerRunsTheJob(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	var first, second atomic.Int64
	broken.Store(true)
	a := faulty(t, func(w http.ResponseWriter, r *http.Request) {
		if first.Add(1); broken.Load() {
			says(500, "")(w, r)
			return
		}
		says(200, exited)(w, r)
	})
	b := faulty(t, func(w http.ResponseWriter, r *http.Request) { second.Add(1); says(200, exited)(w, r) })
	box := open(t, backend.RemoteConfig{URLs: []string{a, b}})
	run := func() {
		t.Helper()
		got, err := box.Run(t.Context(), sandbox.Job{Argv: []string{"x"}})
		if err != nil || got.End != sandbox.Exited || got.CPU != 5 || got.Wall != 7 {
			t.Errorf("%+v, error %v", got, err)
		}
	}
	for range 20 {
		run()
	}
	if second.Load() != 20 || first.Load() == 0 || first.Load() > 10 {
		t.Errorf("the broken server got %d requests, the other one %d", first.Load(), second.Load())
	}
	broken.Store(false)
	for before := first.Load(); first.Load() == before; { // it is asked again in a quarter of a second to 15
		run()
	}
}

// So many jobs are on a server, and one that nobody waits for leaves it.
func TestJobsWaitForAPlace(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	url := faulty(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			continue
		}
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Error("without the key")
		}
		<-time.After(5 * time.Millisecond)
		says(200, exited)(w, r)
	})
	box := open(t, backend.RemoteConfig{URLs: []string{url}, InFlight: 3})
	errs := make(chan error)
	for range 30 {
		go func() {
			_, err := box.Run(t.Context(), sandbox.Job{Argv: []string{"x"}})
			errs <- err
		}()
	}
	for range 30 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 3 {
		t.Errorf("%d jobs at the same time", most.Load())
	}
	gone := make(chan struct{})
	stuck := faulty(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(gone) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := open(t, backend.RemoteConfig{URLs: []string{stuck}}).Run(ctx, sandbox.Job{Argv: []string{"x"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	<-gone
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []backend.RemoteConfig{
		{}, {URLs: []string{"10.0.0.7:8000"}}, {URLs: []string{"ftp://a"}}, {URLs: []string{"http://u:p@a"}}, {URLs: []string{"http://a?x=1"}}, {URLs: []string{"http://a"}, Key: "a\nb"},
	} {
		if b, err := backend.NewRemote(c); err == nil || b != nil || strings.Contains(err.Error(), "a\nb") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}
