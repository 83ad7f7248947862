package worker_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/words"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// streams returns the levels 0 of tasks.
func streams(t testing.TB, text string) []rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(slices.Concat(arithmetic.Tasks(), words.Tasks()))
	if err != nil {
		t.Fatal(err)
	}
	gym, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	var all []rollout.Stream
	for _, one := range strings.Split(text, ",") {
		name, level, _ := strings.Cut(one, ":")
		of, err := tasks.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := gym.Over(of, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(level)
		all = append(all, rollout.Stream{Scenario: s, Seed: 1, Level: n, Weight: 1})
	}
	return all
}

// A coordinator grants the problems of its streams, in turn, and follows the wire to the
// letter. It is the transport of its clients, too.
type coordinator struct {
	t       testing.TB
	streams []rollout.Stream
	fault   func(r *http.Request) int // status of a request that fails; 0: none fails; -1: it gets no answer; nil: none fails
	change  func(*fleet.Lease)        // changes leases before they are granted; nil: none does

	mu        sync.Mutex
	left      int  // problems
	cut       bool // the worker may be cut in the middle of a request
	waits     chan struct{}
	version   int
	over      string                  // why the run is over
	servers   map[string]int32        // versions told for single ones
	every     float64                 // seconds between beats; 0: 5
	uses      map[string]fleet.Server // of the last beat
	told      []fleet.Registration
	calls     []string // of a kind each, such as "POST finish"
	open      map[uint64]string
	asked     int // leases, by the first request
	most      int // leases open at once
	gone      []uint64
	last      uint64
	again     []fleet.Lease // returned
	unknown   []string      // instances that it forgot
	finished  map[uint64]fleet.Finish
	returned  []uint64
	lateTakes int // finishes for leases of forgotten instances
	torn      int // files of weights that are cut off
}

// newCoordinator returns a coordinator with n problems.
func newCoordinator(t testing.TB, n int) *coordinator {
	return &coordinator{
		t: t, streams: streams(t, "chain_sum:0,spell_backward:0"), left: n, version: 7,
		waits: make(chan struct{}), open: map[uint64]string{}, finished: map[uint64]fleet.Finish{},
	}
}

// RoundTrip implements [http.RoundTripper].
func (c *coordinator) RoundTrip(r *http.Request) (*http.Response, error) {
	code := 0
	if c.fault != nil {
		code = c.fault(r)
	}
	if code < 0 {
		return nil, errors.New("connection refused")
	}
	to := httptest.NewRecorder()
	if code > 0 {
		http.Error(to, `{"error": "the reason"}`, code)
	} else {
		c.serve(to, r)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return to.Result(), nil
}

// kind names a request.
func kind(r *http.Request) string {
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if r.Method == http.MethodDelete {
		last = "worker"
	}
	return r.Method + " " + last
}

// serve answers a request.
func (c *coordinator) serve(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	c.mu.Lock()
	if err != nil {
		left := c.cut && errors.Is(err, io.ErrUnexpectedEOF)
		c.mu.Unlock()
		if !left {
			c.t.Error(err)
		}
		return
	}
	c.calls = append(c.calls, kind(r))
	c.mu.Unlock()
	switch kind(r) {
	case "GET play":
		c.answer(w, fleet.Play{Program: "quintain 1", Tasks: "as here"})
	case "GET weights":
		c.weigh(w, r)
	case "POST workers":
		var of fleet.Registration
		c.read(text, &of)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.over != "" {
			http.Error(w, `{"error": "the run is over: `+c.over+`"}`, http.StatusGone)
			return
		}
		c.told = append(c.told, of)
		c.answer(w, fleet.Welcome{Lease: 15, Beat: cmp.Or(c.every, 5), Version: c.version, Servers: c.servers})
	case "POST leases":
		c.lend(w, r)
	case "POST beat":
		c.beat(w, r, text)
	case "POST finish":
		c.finish(w, r, text)
	case "DELETE worker":
		c.answer(w, struct{}{})
	default:
		c.t.Errorf("unexpected request %s %s", r.Method, r.URL)
	}
}

func (c *coordinator) read(text []byte, into any) {
	if err := strictjson.Unmarshal(text, into); err != nil {
		c.t.Errorf("body %s: %v", text, err)
	}
}

func (c *coordinator) answer(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		c.t.Error(err)
	}
}

// lend grants leases, or waits for some.
func (c *coordinator) lend(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	most, err := strconv.Atoi(q.Get("max"))
	wait, err2 := strconv.Atoi(q.Get("wait"))
	if err != nil || err2 != nil || most < 1 {
		c.t.Errorf("leases are asked for by %s", r.URL.RawQuery)
	}
	if q.Get("exams") == "only" { // and it examines nobody
		pause.For(r.Context(), time.Duration(wait)*time.Second)
		c.answer(w, fleet.Grant{Version: c.version})
		return
	}
	c.mu.Lock()
	var free int
	free, c.asked = c.left+len(c.again), cmp.Or(c.asked, most)
	waits := c.waits
	c.mu.Unlock()
	if free == 0 {
		ctx, end := context.WithTimeout(r.Context(), time.Duration(wait)*time.Second)
		defer end()
		select {
		case <-waits:
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	instance := q.Get("instance")
	if slices.Contains(c.unknown, instance) {
		http.Error(w, "no such instance", http.StatusGone)
		return
	}
	if r.Context().Err() != nil {
		return
	}
	grant := fleet.Grant{Version: c.version, Servers: c.servers, Over: c.over}
	for c.over == "" && len(grant.Leases) < most && c.left+len(c.again) > 0 {
		grant.Leases = append(grant.Leases, c.grant(instance))
	}
	c.answer(w, grant)
}

// grant opens a lease. The caller holds c.mu.
func (c *coordinator) grant(instance string) (l fleet.Lease) {
	c.last++
	if len(c.again) > 0 {
		l, c.again = c.again[0], c.again[1:]
		l.Attempt++
	} else {
		c.left--
		l = fleet.Lease{Attempt: 1, Stream: int(c.last) % len(c.streams)}
		of := c.streams[l.Stream]
		var err error
		if l.Problem, err = of.Scenario.Problem(quintain.Draw{Seed: of.Seed, Level: of.Level, Index: int(c.last)}); err != nil {
			c.t.Error(err)
		}
	}
	l.Number = c.last
	if c.change != nil {
		c.change(&l)
	}
	c.open[l.Number] = instance
	c.most = max(c.most, len(c.open))
	return l
}

// beat answers a sign of life.
func (c *coordinator) beat(w http.ResponseWriter, r *http.Request, text []byte) {
	var of fleet.Beat
	c.read(text, &of)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, instance := range c.unknown {
		if strings.Contains(r.URL.Path, instance) {
			http.Error(w, "no such instance", http.StatusGone)
			return
		}
	}
	c.uses = of.Servers
	answer := fleet.Answer{Version: c.version, Servers: c.servers, Over: c.over}
	for _, n := range of.Leases {
		if slices.Contains(c.gone, n) {
			answer.Gone = append(answer.Gone, n)
		}
	}
	c.answer(w, answer)
}

// finish closes a lease.
func (c *coordinator) finish(w http.ResponseWriter, r *http.Request, text []byte) {
	of, err := fleet.ReadFrame(text)
	if err != nil || r.Header.Get("Content-Type") != fleet.Frame {
		c.t.Errorf("a finish of %d bytes with type %q: %v", len(text), r.Header.Get("Content-Type"), err)
	}
	parts := strings.Split(r.URL.Path, "/")
	number, err := strconv.ParseUint(parts[len(parts)-2], 10, 64)
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.unknown, of.Instance) {
		c.lateTakes++
	}
	if before, has := c.finished[number]; has && before.Instance == of.Instance {
		c.answer(w, fleet.Verdict{}) // again
		return
	}
	if c.open[number] != of.Instance {
		http.Error(w, "fenced", http.StatusGone)
		return
	}
	delete(c.open, number)
	if of.Returned {
		c.returned = append(c.returned, number)
	} else {
		c.finished[number] = of
	}
	c.answer(w, fleet.Verdict{})
}

// change of the state from a test.
func (c *coordinator) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.waits)
	c.waits = make(chan struct{})
}

// until waits until f holds, which it asks each 10 ms.
func (c *coordinator) until(f func() bool) {
	c.t.Helper()
	for range 100 * 3600 {
		c.mu.Lock()
		is := f()
		c.mu.Unlock()
		if is {
			return
		}
		pause.For(context.Background(), 10*time.Millisecond)
	}
	c.t.Fatalf("it did not come to that within an hour; the last calls: %v", c.calls[max(0, len(c.calls)-20):])
}

// A playing is a worker that plays.
type playing struct {
	stop  context.CancelCauseFunc
	cut   chan struct{}
	done  chan struct{} // closed once err is that of the worker
	err   error
	mu    sync.Mutex
	said  bytes.Buffer
	began time.Time
}

// text returns what the worker said.
func (p *playing) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// end stops the worker and returns its error.
func (p *playing) end() error {
	p.stop(errStop)
	<-p.done
	return p.err
}

var errStop = errors.New("a signal")

// start starts a worker; see hire.
func (c *coordinator) start(change func(*worker.Config)) *playing {
	c.t.Helper()
	p, w, err := c.hire(change)
	if err != nil {
		c.t.Fatal(err)
	}
	var ctx context.Context
	ctx, p.stop = context.WithCancelCause(context.Background())
	go func() {
		defer close(p.done)
		p.err = w.Work(ctx)
	}()
	c.t.Cleanup(func() { _ = p.end() })
	return p
}

// hire returns a worker with two groups of four at once, each episode of which takes a second,
// after which change may change the config.
func (c *coordinator) hire(change func(*worker.Config)) (*playing, *worker.Worker, error) {
	c.t.Helper()
	p := &playing{cut: make(chan struct{}), done: make(chan struct{}), began: time.Now()}
	s := worker.Defaults()
	s.Coordinator, s.Name = "http://coordinator", "here"
	client, err := worker.NewClient(s, "secret", c)
	if err != nil {
		c.t.Fatal(err)
	}
	of := player.Default(player.Script)
	of.Script.Delay = time.Second
	to := worker.Config{
		Settings: s, Client: client, Play: fleet.Play{Program: "quintain 1"}, Program: "quintain 1", Streams: streams(c.t, "chain_sum:0,spell_backward:0"),
		Run: run.Settings{Seed: 1, GroupSize: 4, Parallel: 8, Grace: 10 * time.Second}, Player: &of, Cut: p.cut,
		Say: func(format string, args ...any) {
			p.mu.Lock()
			defer p.mu.Unlock()
			fmt.Fprintf(&p.said, format+"\n", args...)
		},
	}
	if change != nil {
		change(&to)
	}
	w, err := worker.New(context.Background(), to)
	return p, w, err
}
