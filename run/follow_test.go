package run_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// A trainer takes batches of 16 episodes elsewhere.
type trainer struct {
	queue *queue.Queue

	mu           sync.Mutex
	first        int      // steps that it had made before
	has          []uint64 // groups that it has not acknowledged, oldest first
	taken, acked int
	version      int // that was told; -1: none
	late         int // versions that a server is behind that
	lags         map[int]int
	progress     chan struct{}
}

func newTrainer(q *queue.Queue, first, version int) *trainer {
	return &trainer{queue: q, first: first, version: version, lags: map[int]int{}, progress: make(chan struct{})}
}

func (t *trainer) Step() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first + t.taken
}

func (t *trainer) Acked() (steps, episodes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first + t.acked, 16 * t.acked
}

func (t *trainer) Version() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

func (t *trainer) Lowest() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version - t.late
}

func (t *trainer) Staleness() map[int]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.lags)
}

func (t *trainer) Progress() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.progress
}

func (t *trainer) BatchSize() (int, packing.Unit) { return 16, packing.Episodes }

// change changes the trainer.
func (t *trainer) change(how func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	how()
	close(t.progress)
	t.progress = make(chan struct{})
}

// take takes a batch of four groups.
func (t *trainer) take() {
	batch, err := t.queue.Lease(context.Background(), queue.Want{Consumer: "trainer", Pick: func(waiting []queue.Entry) []queue.Entry {
		return waiting[:min(4, len(waiting))]
	}})
	if err != nil {
		panic(err)
	}
	t.change(func() {
		t.taken++
		for i := range batch {
			t.has = append(t.has, batch[i].Seq)
		}
	})
}

// ack acknowledges the oldest batch. Its groups had these lags.
func (t *trainer) ack(lags ...int) {
	n := min(4, len(t.has))
	if err := t.queue.Ack(context.Background(), "trainer", t.has[:n]...); err != nil {
		panic(err)
	}
	t.change(func() {
		t.acked++
		t.has = t.has[n:]
		for _, lag := range lags {
			t.lags[lag]++
		}
	})
}

// tell tells the version of the server's weights.
func (t *trainer) tell(version int) { t.change(func() { t.version = version }) }

// TestTheGateFollowsTheTrainer moves a trainer step by step, and counts the episodes that
// have started after each.
func TestTheGateFollowsTheTrainer(t *testing.T) {
	type move struct {
		why     string
		do      func(*trainer)
		started int
	}
	take, ack := (*trainer).take, func(t *trainer) { t.ack() }
	tell := func(version int) func(*trainer) { return func(t *trainer) { t.tell(version) } }
	for _, test := range []struct {
		why                    string
		first, version, maxLag int
		moves                  []move
	}{
		{"nobody tells versions", 0, -1, 0, []move{
			{"the first batch", func(*trainer) {}, 16},
			{"a batch that is handed out may come back", take, 16},
			{"and is trained on once it is acknowledged", ack, 32},
		}},
		{"the server's weights are told", 0, 0, 1, []move{
			{"two batches", func(*trainer) {}, 32},
			{"handed out", take, 32},
			{"trained on, and the server has the old weights", ack, 32},
			{"the server has the new ones", tell(1), 48},
			{"two more steps", func(t *trainer) { t.take(); t.ack(); t.take(); t.ack() }, 48},
			{"the weights of the first of them", tell(2), 64},
			{"the weights of the second", tell(3), 80},
			{"told before the acknowledgement", func(t *trainer) { t.take(); t.tell(4) }, 80},
			{"and acknowledged", ack, 96},
		}},
		{"one of the servers keeps its weights for a while", 0, 0, 1, []move{
			{"two batches", func(*trainer) {}, 32},
			{"a step", func(t *trainer) { t.take(); t.ack(); t.tell(1) }, 48},
			{"a step that the server misses", func(t *trainer) { t.take(); t.ack(); t.change(func() { t.version, t.late = 2, 1 }) }, 48},
			{"it has the weights", func(t *trainer) { t.change(func() { t.late = 0 }) }, 64},
		}},
		{"a trainer that goes on", 100, 100, 0, []move{
			{"a batch", func(*trainer) {}, 16},
			{"a step", func(t *trainer) { t.take(); t.ack(); t.tell(101) }, 32},
		}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := config(t, open(t, queue.NewMemory()))
				outside := newTrainer(c.Queue, test.first, test.version)
				c.Trainer.Consumer, c.Settings.MaxLag, c.Settings.Steps = run.Follow(outside), test.maxLag, 0
				c.Rules.KeepEqual, c.Rules.MinTrainable = true, 0
				seen := &events{}
				c.Sinks = []run.Sink{seen}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				r := begin(t, c)
				ended := make(chan error)
				go func() { ended <- r.Run(ctx) }()
				for _, m := range test.moves {
					m.do(outside)
					synctest.Wait()
					started := 0
					for _, p := range of[run.Played](seen) {
						started += len(p.Trajectories)
					}
					if started != m.started {
						t.Errorf("%s: %d episodes started, want %d", m.why, started, m.started)
					}
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestTrainer ends a run after three acknowledged batches, and reports the trainer's
// measurements.
func TestTrainer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why           string
		before, after int // version
		lags          [][]int
	}{
		{"versions are told", 7, 10, [][]int{{0, 0}, {0, 1}, {1, 1}}},
		{"versions are unknown", -1, -1, [][]int{nil, nil, nil}},
	} {
		c := config(t, open(t, queue.NewMemory()))
		outside, known := newTrainer(c.Queue, 7, test.before), test.before >= 0
		c.Trainer.Consumer, c.Settings.Steps, c.Settings.Parallel = run.Follow(outside), 3, 4 // one group at a time
		made := 0
		c.Sinks = []run.Sink{sinkFunc(func(e run.Event) error {
			if p, ok := e.(run.Played); ok && p.Drop == "" && made < 3 {
				outside.take()
				if known {
					outside.tell(8 + made)
				}
				outside.ack(test.lags[made]...)
				made++
			}
			return nil
		})}
		r, report := finish(t, c)
		if r.Version() != test.after || report.Steps != 3 || report.Version != test.after {
			t.Errorf("%s: version %d, report %+v", test.why, r.Version(), report)
		}
		if _, measured := report.Lag(); measured != known || known && !maps.Equal(report.Staleness, map[int]int{0: 3, 1: 3}) {
			t.Errorf("%s: staleness %v", test.why, report.Staleness)
		}
	}
}

// An interrupted policy has sampled the first half of each reply with the weights of version 0, and
// the rest with those of version 2.
type interrupted struct{ quintain.Policy }

func (i interrupted) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := i.Policy.Sample(ctx, r)
	for k := range samples {
		of := samples[k].Versions
		for j := range of {
			of[j] = int32(2 * ((2*j + 1) / len(of)))
		}
	}
	return samples, err
}

// The bound is on the oldest token of a group, or on its trained tokens in the mean.
func TestStalenessByTheMean(t *testing.T) {
	for _, test := range []struct {
		staleness run.Staleness
		maxLag    int
		kept      bool
	}{
		{run.StalenessOldest, 1, false},
		{run.StalenessOldest, 2, true},
		{run.StalenessMean, 0, false},
		{run.StalenessMean, 1, true}, // the longer half of a reply may be the newer one
	} {
		synctest.Test(t, func(t *testing.T) {
			c := config(t, open(t, queue.NewMemory()))
			c.Policy, c.Trainer.Consumer = interrupted{solver(c.Streams, 0.6)}, run.Follow(newTrainer(c.Queue, 2, 2))
			c.Settings.Staleness, c.Settings.MaxLag, c.Settings.Steps = test.staleness, test.maxLag, 0
			c.Rules.KeepEqual, c.Rules.MinTrainable = true, 0
			ctx, stop := context.WithCancel(t.Context())
			r := begin(t, c)
			ended := make(chan error)
			go func() { ended <- r.Run(ctx) }()
			synctest.Wait()
			waiting, dropped := c.Queue.Stats().Waiting.Groups, r.Report().GroupsDropped[rollout.DropStale]
			if (waiting > 0) != test.kept || (dropped > 0) == test.kept {
				t.Errorf("%s, max_lag %d: %d groups wait and %d are dropped as stale; want them kept: %t", test.staleness, test.maxLag, waiting, dropped, test.kept)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A labelled policy has a label of its own for its weights, as a server whose trainer forgot to
// set it.
type labelled struct{ quintain.Policy }

// TestGroupsThatAreTooOldWhenTheyAreMade plays with a server that says an old version. Its
// groups are dropped at once, or withheld, and leave their room to better ones. Their scores count.
func TestGroupsThatAreTooOldWhenTheyAreMade(t *testing.T) {
	for _, test := range []struct {
		stale  run.Stale
		reason rollout.Drop
		trace  string // fate in the trace
		kept   bool   // they were in the queue
	}{
		{run.StaleDrop, rollout.DropStale, "", true},
		{run.StaleWithhold, rollout.DropWithheld, "withheld", false},
	} {
		t.Run(string(test.stale), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, seen, rows := config(t, open(t, queue.NewMemory())), &events{}, &rowsLog{}
				metrics := run.NewMetrics(rows, 0, 0)
				var label atomic.Int32
				player := solver(c.Streams, 0.6)
				player.Version = label.Load
				outside := newTrainer(c.Queue, 1, 1)
				c.Policy, c.Trainer.Consumer, c.Settings.MaxLag, c.Settings.Steps = labelled{player}, run.Follow(outside), 0, 0
				c.Settings.Stale, c.Sinks, c.Curriculum = test.stale, []run.Sink{seen, metrics}, curriculum.Default()
				c.Curriculum.Mode = curriculum.Adaptive
				c.Rules.KeepEqual, c.Rules.MinTrainable = true, 0
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				r := begin(t, c)
				ended := make(chan error)
				go func() { ended <- r.Run(ctx) }()
				synctest.Wait()
				waiting := func() int { return c.Queue.Stats().Waiting.Groups }
				late := r.Report()
				if late.GroupsDropped[test.reason] < 4 || waiting() > 0 || (c.Queue.Stats().Put > 0) != test.kept {
					t.Errorf("dropped: %v; %d groups wait for nobody; %d were kept", late.GroupsDropped, waiting(), c.Queue.Stats().Put)
				}
				if late.Stale.Groups != late.GroupsDropped[test.reason] || late.Stale.Tokens == 0 || late.Kept.Groups+late.Trained.Groups > 0 {
					t.Errorf("the report has %+v, dropped %v", late.Stale, late.GroupsDropped)
				}
				for _, p := range of[run.Played](seen) {
					if record := p.Record(time.Time{}); record.Drop != test.trace || len(record.Scores) != 4 {
						t.Errorf("the trace has %d scores, fate %q", len(record.Scores), record.Drop)
					}
				}
				for i, s := range r.Standings() {
					if late.Tasks[i].Groups < 2 || s.PassRate == 0 {
						t.Errorf("%s: %d groups count, with a pass rate of %v", s.Name, late.Tasks[i].Groups, s.PassRate)
					}
				}
				label.Store(1)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if waiting() != 4 {
					t.Errorf("%d groups of the right label wait, want the 4 of a batch", waiting())
				}
				before := r.Report().GroupsDropped[test.reason]
				outside.change(func() { outside.taken, outside.acked = 1, 1 }) // a step on others' groups
				synctest.Wait()
				later := of[run.Dropped](seen)
				if n := r.Report().GroupsDropped[test.reason] - before; n != 4 || waiting() > 0 || later[len(later)-1].Why != test.reason {
					t.Errorf("%d of 4 groups that waited for too long are dropped, %+v", n, later[len(later)-1])
				}
				label.Store(2)
				outside.tell(2)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				outside.take()
				outside.ack()
				synctest.Wait()
				report := r.Report()
				if report.Trained.Groups != 4 || report.Trained.Episodes != 16 || report.Trained.Tokens == 0 {
					t.Errorf("after a batch of 4 groups, the report has %+v trained on", report.Trained)
				}
				stop()
				if err := errors.Join(<-ended, metrics.Close()); err != nil {
					t.Error(err)
				}
				last := rows.rows[len(rows.rows)-1].Values
				for name, want := range map[string]int{
					"stale/groups": report.Stale.Groups, "stale/tokens": report.Stale.Tokens, "dropped/" + string(test.reason): report.Stale.Groups,
					"trained/groups": 4, "trained/tokens": report.Trained.Tokens,
				} {
					if got := last["total/"+name]; int(got) < want || want == 0 {
						t.Errorf("total/%s is %v, want %d", name, got, want)
					}
				}
			})
		})
	}
}
