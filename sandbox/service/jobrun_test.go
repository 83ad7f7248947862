package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
)

// A box runs jobs and cells until they are cancelled, or ends them at once.
type box struct {
	err    error
	blocks bool
}

func (b *box) Probe(context.Context) (sandbox.Strength, error) {
	return sandbox.Strength{Backend: "box"}, b.err
}

func (b *box) Run(ctx context.Context, _ sandbox.Job) (sandbox.Result, error) {
	if b.blocks {
		<-ctx.Done()
		return sandbox.Result{}, ctx.Err()
	}
	return sandbox.Result{End: sandbox.Exited}, b.err
}

func (b *box) Open(context.Context, sandbox.Spec) (sandbox.Session, error) {
	return opened{b}, b.err
}

type opened struct{ box *box }

func (s opened) Run(ctx context.Context, _ string, _ sandbox.Limits) (sandbox.Result, error) {
	return s.box.Run(ctx, sandbox.Job{})
}

func (opened) Close() error { return nil }

func TestTheGateBoundsJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(&box{blocks: true}, Most{Jobs: 2, Waiting: 3, Wait: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		errs := make(chan error, 10)
		run := func(ctx context.Context) { _, err := g.Run(ctx, sandbox.Job{}); errs <- err }
		for range 2 {
			go run(t.Context())
		}
		synctest.Wait()
		for range 3 {
			go run(ctx)
		}
		synctest.Wait()
		if run(ctx); !errors.Is(<-errs, sandbox.ErrBusy) || g.running.Load() != 2 || g.waiting.Load() != 3 {
			t.Errorf("one too many; %d run, %d wait", g.running.Load(), g.waiting.Load())
		}
		cancel()
		for range 3 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("nobody waits: error %v", err)
			}
		}
		begun := time.Now()
		if run(t.Context()); !errors.Is(<-errs, sandbox.ErrBusy) || time.Since(begun) != time.Minute {
			t.Errorf("no turn after %v", time.Since(begun))
		}
		go run(t.Context())
		synctest.Wait()
		g.Close()
		if err := <-errs; !errors.Is(err, sandbox.ErrBusy) || g.running.Load() != 2 {
			t.Errorf("it ends: error %v, %d run", err, g.running.Load())
		}
		g.Cut()
		for range 2 {
			if err := <-errs; !errors.Is(err, sandbox.ErrBusy) {
				t.Errorf("it ends at once: error %v", err)
			}
		}
		if run(t.Context()); !errors.Is(<-errs, sandbox.ErrBusy) {
			t.Error("a job after the end")
		}
	})
}

func TestRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why          string
		box          *box
		path, body   string
		status       int
		want, metric string
	}{
		{"a job", &box{}, "/v1/sandbox/run", `{"argv": ["eA=="]}`, 200, `"end":"exited"`, ""},
		{"no such program", &box{err: fmt.Errorf("x: %w", sandbox.ErrNoProgram)}, "/v1/sandbox/run", `{}`, 200, `"fault":"no_program"`, ""},
		{"a weak machine", &box{err: sandbox.ErrWeak}, "/v1/sandbox/run", `{}`, 200, `"fault":"weak"`, ""},
		{"a fault of the machine", &box{err: errors.New("no room on the disk")}, "/v1/sandbox/run", `{}`, 503, "no room", `quintain_sandbox_lost{status="503"} 1`},
		{"a busy machine", &box{err: sandbox.ErrBusy}, "/v1/sandbox/run", `{}`, 504, "too much to do", `quintain_sandbox_lost{status="504"} 1`},
		{"an invalid limit", &box{}, "/v1/sandbox/run", `{"limits": {"CPU": -1}}`, 200, `"fault":"invalid"`, ""},
		{"a limit that is too large", &box{}, "/v1/sandbox/run", `{"limits": {"Wall": 600000000000000}}`, 200, "larger than this server allows", ""},
		{"no base64", &box{}, "/v1/sandbox/run", `{"argv": ["?"]}`, 422, "", ""},
		{"no JSON", &box{}, "/v1/sandbox/run", `{`, 422, "", ""},
		{"a session", &box{}, "/v1/sandbox/sessions", `{}`, 200, `"id":"`, `quintain_sandbox_sessions 1`},
		{"a session with a bad name", &box{}, "/v1/sandbox/sessions", `{"files": [{"name": "Li4vYQ==", "data": ""}]}`, 200, `"fault":"invalid"`, ""},
		{"no such session", &box{}, "/v1/sandbox/sessions/x", `{}`, 200, `"fault":"over"`, ""},
	} {
		g := NewGate(c.box, Most{Jobs: 1, Waiting: 1, Wait: time.Minute})
		s := NewServer(g, 10, time.Minute)
		w, err := web.New(web.Config{Name: "sandbox", Routes: s.Counted(s.Routes())})
		if err != nil {
			t.Fatal(err)
		}
		w.Register(s)
		status, text := ask(w, http.MethodPost, c.path, c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.why, status, text, c.status, c.want)
		}
		if got := metrics(t, s); !strings.Contains(got, c.metric) {
			t.Errorf("%s: no %s in %s", c.why, c.metric, got)
		}
		if status, _ := ask(w, http.MethodDelete, "/v1/sandbox/sessions/x", ""); status != 200 {
			t.Errorf("%s: to end no session has status %d", c.why, status)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		g.Cut()
	}
}

// One session too many is refused like a job without a turn.
func TestSessionsAreLimited(t *testing.T) {
	t.Parallel()
	g := NewGate(&box{}, Most{Jobs: 1})
	defer g.Cut()
	s := NewServer(g, 1, time.Minute)
	w, err := web.New(web.Config{Name: "sandbox", Routes: s.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{200, 504} {
		if status, text := ask(w, http.MethodPost, "/v1/sandbox/sessions", `{}`); status != want {
			t.Errorf("%d %s, want %d", status, text, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// ask asks a server.
func ask(w *web.Server, method, path, body string) (status int, text string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1"
	to := httptest.NewRecorder()
	w.ServeHTTP(to, r)
	return to.Code, to.Body.String()
}

// metrics are those of a server, a line each.
func metrics(t *testing.T, s *Server) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range families {
		for _, m := range f.GetMetric() {
			label := ""
			for _, l := range m.GetLabel() {
				label = fmt.Sprintf("{%s=%q}", l.GetName(), l.GetValue())
			}
			fmt.Fprintf(&all, "%s%s %g\n", f.GetName(), label, m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return all.String()
}
