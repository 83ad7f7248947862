package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A fault is what may happen to a fleet, each at random.
type faults struct {
	t    *testing.T
	mu   sync.Mutex
	rand *rand.Rand
	off  atomic.Bool
	full atomic.Bool // the disk
}

// hit reports whether a fault happens that does so with a probability.
func (f *faults) hit(p float64) bool { return f.draw() < p && !f.off.Load() }

func (f *faults) draw() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rand.Float64()
}

// after is a random time with a mean.
func (f *faults) after(mean time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.rand.ExpFloat64() * float64(mean))
}

// A disk outlives its processes, and remembers what was put.
type disk struct {
	*queue.Memory
	*faults
	codec *groupform.Codec
	lock  sync.Mutex
	put   map[string]int // fresh groups, by the ID of their problem
}

// A handle is the disk as a process sees it: a process that is killed writes nothing more.
type handle struct {
	*disk
	dead atomic.Bool
}

var (
	errKilled = errors.New("the process is killed")
	errDisk   = errors.New("the disk fails")
)

// Put implements [queue.Bodies].
func (h *handle) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	switch {
	case h.dead.Load():
		return nil, errKilled
	case h.full.Load():
		return nil, queue.ErrNoSpace
	case h.hit(0.002):
		return nil, errDisk
	}
	seqs, err := h.Memory.Put(ctx, records)
	for i, seq := range seqs {
		if seq == 0 {
			continue
		}
		g, err := h.codec.Decode(records[i].Body)
		if err != nil {
			h.t.Error(err)
			continue
		}
		h.lock.Lock()
		h.put[g.ID]++
		h.lock.Unlock()
	}
	if err == nil && h.hit(0.002) {
		return nil, fmt.Errorf("%w: %w", errDisk, queue.ErrUncertain) // and it has the groups
	}
	return seqs, err
}

// SetStates implements [queue.States].
func (h *handle) SetStates(ctx context.Context, list []queue.State) error {
	if h.dead.Load() {
		return errKilled
	}
	before := h.hit(0.0003)
	if !before {
		if err := h.Memory.SetStates(ctx, list); err != nil {
			return err
		}
	}
	switch {
	case before:
		return errDisk
	case h.hit(0.0003):
		return fmt.Errorf("%w: %w", errDisk, queue.ErrUncertain)
	}
	return nil
}

// Append implements [queue.Log].
func (h *handle) Append(ctx context.Context, record []byte) error {
	if h.dead.Load() {
		return errKilled
	}
	return h.Memory.Append(ctx, record)
}

// Rewrite implements [queue.Log].
func (h *handle) Rewrite(ctx context.Context, records [][]byte) error {
	if h.dead.Load() {
		return errKilled
	}
	return h.Memory.Rewrite(ctx, records)
}

// Delete implements [queue.Bodies].
func (h *handle) Delete(ctx context.Context, below uint64, seqs []uint64) error {
	if h.dead.Load() {
		return errKilled
	}
	return h.Memory.Delete(ctx, below, seqs)
}

// A site is where the coordinator's processes run, one after another.
type site struct {
	*faults
	disk    *disk
	streams []rollout.Stream
	delay   time.Duration // of a reply, at least
	lends   bool          // evaluations to the workers
	own     int           // slots of the coordinator

	mu      sync.Mutex
	process *process // nil: none answers

	noted  sync.Mutex
	drops  map[string]int // groups that were dropped, by the ID of their problem
	groups map[bool]int   // that were played, by workers or not
	exams  int
	born   int // processes
	ended  map[string]int
}

// A process is one of the coordinator.
type process struct {
	server *web.Server
	disk   *handle
	stop   func()
	cut    chan struct{}
	done   chan struct{} // closed when it has ended
	once   sync.Once
}

// Note implements [run.Sink].
func (s *site) Note(e run.Event) error {
	s.noted.Lock()
	defer s.noted.Unlock()
	switch e := e.(type) {
	case run.Played:
		s.groups[e.Lease != nil]++
		if e.Drop != "" && !e.Again {
			s.drops[e.Job.Problem.ID()]++
		}
	case run.Examined:
		s.exams++
	}
	return nil
}

// start starts a process over the disk.
func (s *site) start() {
	h := &handle{disk: s.disk}
	q, err := queue.Open(context.Background(), h, queue.Options{})
	if err != nil {
		s.t.Error(err)
		return
	}
	settings, leases := run.Defaults(), fleet.Defaults()
	settings.GroupSize, settings.BatchSize, settings.MaxLag, settings.Grace = 2, 64, 30, time.Second
	settings.ExamProblems, settings.ExamEvery = 3, 10*time.Minute
	leases.Lease, leases.OwnSlots = 2*time.Minute, s.own
	digest, err := fleet.Digest(s.streams)
	if err != nil {
		s.t.Error(err)
	}
	c := fleet.New(fleet.Config{Settings: leases, Play: fleet.Play{Program: "quintain 1", Tasks: digest}, GroupSize: 2, Labels: rollout.Labels(s.streams)})
	p := &process{disk: h, cut: make(chan struct{}), done: make(chan struct{})}
	of := player.Default(player.Script)
	solver, err := of.Solver(s.streams, 1, func() int32 { return 0 })
	if err != nil {
		s.t.Fatal(err)
	}
	rules := rollout.DefaultRules()
	rules.MinTrainable = 1
	config := run.Config{
		Settings: settings, Rules: rules, Streams: s.streams, Queue: q, Sinks: []run.Sink{s}, Cut: p.cut,
		Sampling: of.Sampling, Policy: solver,
		Beside: []func(context.Context) error{c.Around(func(ctx context.Context) error { <-ctx.Done(); return nil })},
	}
	if c.Join(&config); !s.lends {
		config.Players.Examine = nil
	}
	r, err := run.Open(context.Background(), config)
	if err != nil {
		s.t.Errorf("process %d does not open: %v", s.born, err)
		return
	}
	if p.server, err = web.New(web.Config{Routes: c.Routes()}); err != nil {
		s.t.Error(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.done)
		err := r.Run(ctx)
		h.dead.Store(true)
		s.noted.Lock()
		s.ended[fmt.Sprint(errors.Is(err, errDisk))]++
		s.noted.Unlock()
		_ = q.Close() // a store that is killed cannot be closed in order
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process, s.born = p, s.born+1
}

// end ends the process, in order or as by kill -9, and waits for it.
func (s *site) end(killed bool) {
	s.mu.Lock()
	p := s.process
	s.process = nil
	s.mu.Unlock()
	if killed {
		p.disk.dead.Store(true)
	}
	p.once.Do(func() { close(p.cut) })
	p.stop()
	<-p.done
}

// keep starts the next process whenever one has ended, until ctx ends. Outages last 30 s, about
// every six minutes.
func (s *site) keep(ctx context.Context) {
	for s.start(); ctx.Err() == nil; s.start() {
		s.mu.Lock()
		p := s.process
		s.mu.Unlock()
		killed := true
		select {
		case <-p.done: // its disk failed
		case <-ctx.Done():
			return
		case <-time.After(s.after(6 * time.Minute)):
			killed = s.hit(0.7)
		}
		s.end(killed)
		pause.For(ctx, s.after(30*time.Second))
		if ctx.Err() != nil {
			s.start()
			return
		}
	}
}

// A link is the network of a worker.
type link struct {
	*site
	mu     sync.Mutex
	frozen time.Time // until then it carries nothing
	cut    atomic.Bool
}

var errRefused = errors.New("connection refused")

// RoundTrip implements [http.RoundTripper].
func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	wait := time.Until(l.frozen)
	l.mu.Unlock()
	if wait > 0 && !pause.For(r.Context(), wait) {
		return nil, context.Cause(r.Context())
	}
	l.site.mu.Lock()
	p := l.process
	l.site.mu.Unlock()
	if p == nil || l.cut.Load() || l.hit(0.001) {
		return nil, errRefused
	}
	at := r.Clone(r.Context())
	at.RequestURI, at.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:9"
	if at.Body == nil {
		at.Body = http.NoBody
	}
	to := httptest.NewRecorder()
	p.server.ServeHTTP(to, at)
	_, _ = io.Copy(io.Discard, at.Body)
	if p.disk.dead.Load() || l.cut.Load() || l.hit(0.001) { // its answer is lost
		return nil, errRefused
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return to.Result(), nil
}

// play starts workers in turn at one place, until ctx ends: each freezes and dies at random.
func (s *site) play(ctx context.Context, place int) {
	for ctx.Err() == nil {
		l := &link{site: s}
		dies, kill := context.WithCancelCause(ctx)
		cut := make(chan struct{})
		death := time.AfterFunc(s.after(40*time.Minute), func() {
			if !s.off.Load() {
				l.cut.Store(true)
				kill(errKilled)
				close(cut)
			}
		})
		freeze := time.AfterFunc(s.after(time.Hour), func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.frozen = time.Now().Add(s.after(90 * time.Second))
		})
		if err := s.work(dies, l, cut, place); err != nil && !errors.Is(err, errKilled) {
			s.t.Errorf("worker %d: %v", place, err)
		}
		death.Stop()
		freeze.Stop()
		kill(nil)
		pause.For(ctx, s.after(time.Minute))
	}
}

// work is the life of a worker.
func (s *site) work(ctx context.Context, l *link, cut chan struct{}, place int) error {
	settings := worker.Defaults()
	settings.Coordinator, settings.Name = "http://127.0.0.1:1", fmt.Sprint("w", place)
	client, err := worker.NewClient(settings, "", l)
	if err != nil {
		return err
	}
	of := player.Default(player.Script)
	of.Script.Delay = s.delay + s.after(s.delay)
	w, err := worker.New(ctx, worker.Config{
		Settings: settings, Client: client, Play: fleet.Play{Program: "quintain 1"}, Program: "quintain 1", Streams: s.streams,
		Run: run.Settings{Seed: uint64(place), GroupSize: 2, Parallel: 4, Grace: 10 * time.Minute}, Player: &of, Cut: cut, Say: func(string, ...any) {},
	})
	if err != nil {
		return err
	}
	return w.Work(ctx)
}

// A position is what the record has of a stream.
type position struct {
	Next  int   `json:"next"`
	Again []int `json:"again"`
}

// again lists the problems to be played again.
func (p position) again() map[int]bool {
	all, at := map[int]bool{}, 0
	for i := 0; i+1 < len(p.Again); i += 2 {
		at += p.Again[i]
		for range p.Again[i+1] {
			all[at] = true
			at++
		}
	}
	return all
}

// audit compares the record with what was put and dropped.
func (s *site) audit() {
	var record struct {
		Streams struct {
			Order   []string            `json:"order"`
			Streams map[string]position `json:"streams"`
		} `json:"streams"`
		Part struct {
			Held []struct{} `json:"held"`
		} `json:"part"`
	}
	text, err := s.disk.State(context.Background(), "run")
	if err == nil {
		err = strictjson.Unmarshal(text, &record)
	}
	if err != nil || len(record.Streams.Order) != len(s.streams) || len(record.Part.Held) > 0 {
		s.t.Fatalf("the record %.300s: error %v; want no lease", text, err)
	}
	played := map[string]bool{}
	for i, name := range record.Streams.Order {
		s.auditStream(s.streams[i], record.Streams.Streams[name], played)
	}
	for id, n := range s.disk.put {
		if n != 1 || !played[id] {
			s.t.Errorf("the group of %s was put %d times; it is of a problem that was played: %v", id, n, played[id])
		}
	}
}

// auditStream checks that each problem that was handed out is finished, or held out, or to be
// played again, and notes the finished ones.
func (s *site) auditStream(of rollout.Stream, p position, played map[string]bool) {
	again, skip := p.again(), exam.Skip(of.Scenario)
	for index := range p.Next {
		problem, err := of.Scenario.Problem(quintain.Draw{Seed: of.Seed, Level: of.Level, Index: index})
		if err != nil {
			s.t.Fatal(err)
		}
		id := problem.ID()
		heldOut, err := skip(problem)
		if err != nil {
			s.t.Fatal(err)
		}
		put, dropped := s.disk.put[id], s.drops[id]
		switch {
		case heldOut && put+dropped > 0:
			s.t.Errorf("%s is held out, and was played", id)
		case heldOut:
		case again[index]:
			if put > 0 {
				s.t.Errorf("%s waits to be played, and has a group", id)
			}
		case put+dropped == 0:
			s.t.Errorf("%s is lost", id)
		default:
			played[id] = true
		}
	}
}

// The real coordinator and real workers for a virtual hour of faults; the workers hold the evaluations, too: these are held in the end, and not a problem
// of theirs gets to the run.
func TestAnHourOfFaultsWithEvaluations(t *testing.T) {
	hour(t, 7, &site{delay: 20 * time.Second, lends: true}, 4)
}

// begin gives the site an empty disk.
func (s *site) begin(f *faults) {
	s.faults, s.disk = f, &disk{Memory: queue.NewMemory(), faults: f, codec: groupform.NewCodec(0), put: map[string]int{}}
	s.streams, s.drops, s.ended, s.groups = streams(f.t, "chain_sum:0,spell_backward:0"), map[string]int{}, map[string]int{}, map[bool]int{}
}

func hour(t *testing.T, seed uint64, s *site, workers int) {
	synctest.Test(t, func(t *testing.T) {
		f := &faults{t: t, rand: rand.New(rand.NewPCG(1, seed))}
		s.begin(f)
		begun := time.Now()
		keeping, stop := context.WithCancel(t.Context())
		var site, all sync.WaitGroup
		site.Go(func() { s.keep(keeping) })
		playing, leave := context.WithCancelCause(t.Context())
		for place := range workers {
			all.Go(func() { s.play(playing, place) })
		}
		for time.Since(begun) < time.Hour {
			pause.For(t.Context(), f.after(8*time.Minute))
			f.full.Store(true)
			pause.For(t.Context(), f.after(time.Minute))
			f.full.Store(false)
		}
		f.off.Store(true)
		stop()
		site.Wait()
		pause.For(t.Context(), 5*time.Minute) // the last dead workers are found out
		leave(errStop)
		all.Wait()
		pause.For(t.Context(), 2*time.Minute)
		s.end(false)
		s.audit()
		kept := len(s.disk.put)
		t.Logf("%v groups played, by workers or not; %d kept; %d processes, ends by the disk %v; %d examinations", s.groups, kept, s.born, s.ended, s.exams)
		if least := 60; kept < least || s.exams < 3 || s.born < 5 {
			t.Errorf("%d groups kept, %d examinations, %d processes: too few to tell anything", kept, s.exams, s.born)
		}
	})
}
