package scalars_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/run/scalars"
)

// A tracker imitates the routes of an MLflow server that we use. Some of the first requests
// fail.
type tracker struct {
	t *testing.T

	mu     sync.Mutex
	failed int // requests still to fail
	exists bool
	run    string
	calls  []string
	keys   []string
	all    chan struct{} // closed when all three numbers of the rows have come
}

func (s *tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	route := strings.TrimPrefix(r.URL.Path, "/api/2.0/mlflow/")
	s.calls = append(s.calls, route)
	if r.Header.Get("Authorization") != "Bearer word" {
		s.t.Errorf("%s: the key is %q", route, r.Header.Get("Authorization"))
	}
	if s.failed > 0 {
		s.failed--
		http.Error(w, `{"error_code":"TEMPORARILY_UNAVAILABLE","message":"later"}`, http.StatusServiceUnavailable)
		return
	}
	reply := "{}"
	switch route {
	case "experiments/search":
		if s.exists {
			reply = `{"experiments":[{"experiment_id":"7","name":"mine"}]}`
		}
	case "experiments/create":
		s.exists, reply = true, `{"experiment_id":"7"}`
	case "runs/search":
		if s.run != "" {
			reply = fmt.Sprintf(`{"runs":[{"info":{"run_id":%q}}]}`, s.run)
		}
	case "runs/create":
		s.run, reply = "r1", `{"run":{"info":{"run_id":"r1"}}}`
	case "runs/log-batch":
		if s.keys = append(s.keys, keys(s.t, body)...); len(s.keys) == 3 {
			close(s.all)
		}
	}
	_, _ = io.WriteString(w, reply)
}

// play logs the rows to a server until sent is closed, and returns the log messages.
func play(t *testing.T, url string, sent <-chan struct{}) string {
	t.Helper()
	var said bytes.Buffer
	m := must(scalars.NewMLflow(scalars.MLflowConfig{
		URL: url + "/", Token: "word", Experiment: "mine", Run: "run-of-ours", Log: slog.New(slog.NewTextHandler(&said, nil)),
	}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if err := m.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	fill(t, m)
	<-sent
	cancel()
	all.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	return said.String()
}

// atOnce is closed.
func atOnce() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestMLflowRunIsMadeOnceAndContinued(t *testing.T) {
	t.Parallel()
	s := &tracker{t: t, all: make(chan struct{})}
	web := httptest.NewServer(s)
	defer web.Close()
	for range 2 {
		if said := play(t, web.URL, atOnce()); said != "" {
			t.Error(said)
		}
	}
	made := func(route string) (n int) {
		for _, call := range s.calls {
			if call == route {
				n++
			}
		}
		return n
	}
	if made("runs/create") != 1 || made("experiments/create") != 1 {
		t.Errorf("the calls were %v, want one run and one experiment", s.calls)
	}
	want := []string{"train/score", "train/score", "train/score/gcd_2"}
	slices.Sort(s.keys)
	if want = slices.Sorted(slices.Values(append(want, want...))); !slices.Equal(s.keys, want) {
		t.Errorf("the numbers are %v, want %v", s.keys, want)
	}
	if last := s.calls[len(s.calls)-1]; last != "runs/update" {
		t.Errorf("the last call is %s, want the end of the run", last)
	}
}

func TestMLflowServerThatFailsCostsNothing(t *testing.T) {
	t.Parallel()
	s := &tracker{t: t, failed: 1, all: make(chan struct{})}
	web := httptest.NewServer(s)
	defer web.Close()
	said := play(t, web.URL, s.all)
	if strings.Count(said, "later") != 1 || strings.Contains(said, "missing") {
		t.Errorf("the log says %q, want the fault once", said)
	}
}

func TestMLflowServerThatIsAwayEndsNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, url, want string }{
		{"nobody listens", "http://127.0.0.1:1", "connection refused"},
		{"it is something else", "", "is this the address of an MLflow server?"},
	} {
		if test.url == "" {
			web := httptest.NewServer(http.NotFoundHandler())
			defer web.Close()
			test.url = web.URL
		}
		said := play(t, test.url, atOnce())
		if !strings.Contains(said, test.want) || !strings.Contains(said, "missing=3") {
			t.Errorf("%s: the log says %q, want %q and the missing numbers", test.why, said, test.want)
		}
	}
}
