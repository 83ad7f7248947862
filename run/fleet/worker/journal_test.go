package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// A shop is the real coordinator over a table with one problem at a time, each with episodes of
// five turns of a minute.
type shop struct {
	calls sync.RWMutex // read-locked by each
	*rollout.Mix
	t       *testing.T
	streams []rollout.Stream
	server  atomic.Pointer[web.Server]
	leases  *fleet.Coordinator
	version atomic.Int32
	halt    func()       // the coordinator lets no group begin any more, nor takes one
	turns   atomic.Int64 // calls with turns that were answered

	mu     sync.Mutex
	judged []rollout.Result
	free   chan struct{} // has an element if a group may begin
}

func newShop(t *testing.T) *shop {
	tasks, err := task.NewSet(arithmetic.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	of, err := tasks.Get("chain_sum")
	if err != nil {
		t.Fatal(err)
	}
	how, err := scenario.Find(scenarios.All, "math_multi_turn")
	if err != nil {
		t.Fatal(err)
	}
	plays, err := how.Over(of, []byte(`{"mode":"legacy","num_turns":5}`))
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, free: make(chan struct{}, 1), streams: []rollout.Stream{{Scenario: plays, Seed: 1, Weight: 1}}}
	if s.Mix, err = rollout.NewMix(s.streams); err != nil {
		t.Fatal(err)
	}
	s.free <- struct{}{}
	s.version.Store(3)
	return s
}

func (s *shop) Admit(ctx context.Context) error {
	select {
	case <-s.free:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
func (s *shop) Leave() { s.free <- struct{}{} }
func (s *shop) Return(job rollout.Job) {
	s.Redo(job)
	s.Leave()
}
func (s *shop) Job(p quintain.Problem) rollout.Job {
	job, _ := s.Reopen(p)
	return job
}
func (s *shop) Resume()                    { <-s.free }
func (s *shop) Keep(context.Context) error { return nil }
func (s *shop) Room() int                  { return 1 }
func (s *shop) Version() int               { return int(s.version.Load()) }
func (s *shop) Finished() string           { return "" }

func (s *shop) Judge(_ context.Context, r rollout.Result) (rollout.Drop, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged = append(s.judged, r)
	s.Done(r.Job, nil)
	return "", nil // and the gate stays closed
}

// open starts a coordinator with the leases of an earlier one, until the caller calls end.
func (s *shop) open(before *fleet.Coordinator) (end func()) {
	digest, err := fleet.Digest(s.streams)
	if err != nil {
		s.t.Fatal(err)
	}
	s.leases = fleet.New(fleet.Config{Settings: fleet.Defaults(), Play: fleet.Play{Program: "quintain 1", Tasks: digest}, GroupSize: 2, Labels: rollout.Labels(s.streams)})
	if before != nil {
		kept, err := before.Part().Snapshot()
		if err == nil {
			err = s.leases.Part().Restore(kept)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.Leave() // the new process counts anew
		if s.Mix, err = rollout.NewMix(s.streams); err != nil {
			s.t.Fatal(err)
		}
	}
	server, err := web.New(web.Config{Routes: s.leases.Routes()})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	playing, halt := context.WithCancel(ctx)
	s.halt = halt
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.leases.Run(playing, s); err != nil {
			s.t.Error(err)
		}
	})
	running.Go(func() {
		if err := s.leases.Around(func(ctx context.Context) error { <-ctx.Done(); return nil })(ctx); err != nil {
			s.t.Error(err)
		}
	})
	s.server.Store(server)
	return func() {
		s.server.Store(nil)
		stop()
		running.Wait()
		s.calls.Lock() // until the last call has its answer
		defer s.calls.Unlock()
	}
}

// A chancy scenario does not say that its episodes are functions of their replies.
type chancy struct{ quintain.Scenario }

// Info implements [quintain.Scenario].
func (c chancy) Info() quintain.ScenarioInfo {
	info := c.Scenario.Info()
	info.Replayable = false
	return info
}

// Solve implements [quintain.Solver].
func (c chancy) Solve(p quintain.Problem) (string, error) {
	return c.Scenario.(quintain.Solver).Solve(p)
}

// A wire is the network of a worker.
type wire struct {
	*shop
	cut atomic.Bool
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.calls.RLock()
	defer w.calls.RUnlock()
	server := w.server.Load()
	if server == nil || w.cut.Load() {
		return nil, errRefused
	}
	at := r.Clone(r.Context())
	at.RequestURI, at.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:9"
	if at.Body == nil {
		at.Body = http.NoBody
	}
	to := httptest.NewRecorder()
	server.ServeHTTP(to, at)
	_, _ = io.Copy(io.Discard, at.Body)
	if w.cut.Load() {
		return nil, errRefused
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/turns") && to.Code == http.StatusOK {
		w.turns.Add(1)
	}
	return to.Result(), nil
}

// hire starts a worker. Kill ends it as a dead machine does; stop in order.
func (s *shop) hire(every time.Duration) (kill, stop func() string) {
	s.t.Helper()
	w, cut, of := &wire{shop: s}, make(chan struct{}), worker.Defaults()
	of.Coordinator, of.Name, of.Journal = "http://127.0.0.1:1", "here", every
	client, err := worker.NewClient(of, "", w)
	if err != nil {
		s.t.Fatal(err)
	}
	plays := player.Default(player.Script)
	plays.Script.Delay = time.Minute
	var said strings.Builder
	var saying sync.Mutex
	one, err := worker.New(s.t.Context(), worker.Config{
		Settings: of, Client: client, Play: fleet.Play{Program: "quintain 1"}, Program: "quintain 1", Streams: s.streams,
		Run: run.Settings{Seed: 1, GroupSize: 2, Parallel: 8}, Player: &plays, Cut: cut,
		Say: func(format string, args ...any) {
			saying.Lock()
			defer saying.Unlock()
			fmt.Fprintf(&said, format+"\n", args...)
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := one.Work(ctx); err != nil && !errors.Is(err, errStop) {
			s.t.Error(err)
		}
	}()
	var once sync.Once
	end := func(dead bool) string {
		w.cut.Store(w.cut.Load() || dead)
		cancel(errStop)
		once.Do(func() { close(cut) })
		<-done
		saying.Lock()
		defer saying.Unlock()
		return said.String()
	}
	return func() string { return end(true) }, func() string { return end(false) }
}

// until waits until f holds, for at most an hour.
func (s *shop) until(what string, f func() bool) {
	s.t.Helper()
	for range 3600 {
		s.mu.Lock()
		is := f()
		s.mu.Unlock()
		if is {
			synctest.Wait() // the worker hears of it, too
			return
		}
		pause.For(s.t.Context(), time.Second)
	}
	s.t.Fatalf("%s: it did not come to that", what)
}

// check checks that a group has five turns an episode, of which the first ones have version 3, and
// the others 4.
func (s *shop) check(first int) {
	s.t.Helper()
	if len(s.judged) != 1 || len(s.judged[0].Trajectories) != 2 {
		s.t.Fatalf("%d groups", len(s.judged))
	}
	for _, e := range s.judged[0].Trajectories {
		if len(e.Turns) != 5 || !e.Outcome.Rewarded() || e.Replays != 0 {
			s.t.Fatalf("an episode of %d turns with outcome %s and %d replays: %s", len(e.Turns), e.Outcome, e.Replays, e.Error)
		}
		for k, turn := range e.Turns {
			want := int32(3)
			if k >= first {
				want = 4
			}
			if len(turn.Versions) == 0 || turn.Versions[0] != want || len(turn.LogProbs) != len(turn.Wrote) || len(turn.Read) == 0 {
				s.t.Errorf("turn %d: version %v, want %d; %d tokens with %d log-probabilities", k, turn.Versions, want, len(turn.Wrote), len(turn.LogProbs))
			}
		}
		if first > 0 && e.Took < 5*time.Minute {
			s.t.Errorf("the episode took %v, want the time of all turns", e.Took)
		}
	}
}

// A worker dies in turn 4, and another goes on: the first three turns are sampled once.
func TestAnotherWorkerGoesOn(t *testing.T) {
	for _, test := range []struct {
		why    string
		end    func(kill, stop func() string)
		every  time.Duration
		first  int // turns of the first worker in the group
		resume string
	}{
		{"it dies", func(kill, _ func() string) { kill() }, 30 * time.Second, 3, "6 turns taken over"},
		{"it is stopped, and gives back what it has", func(_, stop func() string) { stop() }, 70 * time.Second, 3, "6 turns taken over"},
		{"it tells nothing", func(kill, _ func() string) { kill() }, 0, 0, "1 group played"},
		{"it dies sooner than it tells", func(kill, _ func() string) { kill() }, time.Hour, 0, "1 group played"},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				defer s.open(nil)()
				kill, stop := s.hire(test.every)
				pause.For(t.Context(), 3*time.Minute+40*time.Second)
				test.end(kill, stop)
				s.version.Store(4)
				_, stop = s.hire(test.every)
				s.until("the group", func() bool { return len(s.judged) == 1 })
				has(t, stop(), test.resume)
				s.check(test.first)
			})
		})
	}
}

// A coordinator that was started anew has no turns: the worker, which lives, tells it all.
func TestAnotherCoordinatorHearsOfAllTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		end := s.open(nil)
		kill, _ := s.hire(30 * time.Second)
		pause.For(t.Context(), 2*time.Minute+40*time.Second)
		before := s.leases
		end()
		defer s.open(before)()
		pause.For(t.Context(), time.Minute)
		kill()
		s.version.Store(4)
		_, stop := s.hire(30 * time.Second)
		s.until("the group", func() bool { return len(s.judged) == 1 })
		has(t, stop(), "6 turns taken over")
		s.check(3)
	})
}

// An episode that has more to it than problem and replies is played anew, and nobody hears of its
// turns.
func TestOnlyReplayableEpisodesGoOnElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		s.streams[0].Scenario = chancy{s.streams[0].Scenario}
		defer s.open(nil)()
		kill, _ := s.hire(30 * time.Second)
		pause.For(t.Context(), 3*time.Minute+40*time.Second)
		kill()
		s.version.Store(4)
		_, stop := s.hire(30 * time.Second)
		s.until("the group", func() bool { return len(s.judged) == 1 })
		stop()
		s.check(0)
		if n := s.turns.Load(); n != 0 {
			t.Errorf("%d calls with turns", n)
		}
	})
}

// Groups that are played in less time than the journal's tell nothing.
func TestShortGroupsTellNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		defer s.open(nil)()
		_, stop := s.hire(6 * time.Minute)
		s.until("the group", func() bool { return len(s.judged) == 1 })
		stop()
		if n := s.turns.Load(); n != 0 {
			t.Errorf("%d calls with turns", n)
		}
	})
}
