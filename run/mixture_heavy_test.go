//go:build heavy

package run_test

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

var mixtureGroups = flag.Int("groups", 5000, "groups of TestMixtureOfAllTasks")

// allTasks are the streams of all tasks at their first five levels, or those there are.
func allTasks(t *testing.T) (all []rollout.Stream) {
	t.Helper()
	for _, of := range catalog.Tasks() {
		for level := range min(5, len(of.Info().Levels)) {
			s := stream(t, of)
			s.Level = level
			all = append(all, s)
		}
	}
	return all
}

// An unreliable policy fails now and then, and cuts some replies short.
type unreliable struct {
	quintain.Policy
	asked atomic.Int64
}

func (u *unreliable) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := u.Policy.Sample(ctx, r)
	if err != nil {
		return samples, err
	}
	switch n := u.asked.Add(1); {
	case n%1000 == 0:
		return nil, errors.New("the server failed")
	case n%40 == 0:
		for i := range samples {
			s := &samples[i]
			n := min(5, len(s.Wrote))
			s.Text, s.Finish = s.Text[:n], quintain.Length
			s.Wrote, s.LogProbs, s.Versions = s.Wrote[:n], s.LogProbs[:n], s.Versions[:n]
		}
	}
	return samples, nil
}

// A census counts the groups that were played, and looks at memory now and then.
type census struct {
	every  int
	enough context.CancelFunc

	mu      sync.Mutex
	played  int
	kept    int
	drops   map[rollout.Drop]int // of groups that were played
	later   map[rollout.Drop]int // of groups that were kept first
	tasks   map[string]int
	heap    []uint64 // bytes that are in use, after every groups
	last    time.Time
	longest time.Duration // between two groups
}

func (c *census) Note(e run.Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := e.(type) {
	case run.Played:
		c.count(&e)
	case run.Dropped:
		c.later[e.Why] += len(e.Groups)
	}
	return nil
}

func (c *census) count(p *run.Played) {
	now := time.Now()
	if !c.last.IsZero() {
		c.longest = max(c.longest, now.Sub(c.last))
	}
	c.last = now
	c.played++
	c.tasks[p.Job.Problem.Task]++
	if p.Drop == "" {
		c.kept++
	} else {
		c.drops[p.Drop]++
	}
	if c.played%c.every == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.heap = append(c.heap, m.HeapAlloc)
	}
	if c.played == *mixtureGroups {
		c.enough()
	}
}

// All tasks in one mixture are played without an error, a leak or a stall, and every group
// is either kept or dropped for a reason. TestMain looks for goroutines that are left.
func TestMixtureOfAllTasks(t *testing.T) {
	store, err := files.Open(t.TempDir(), files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := open(t, store)
	c := config(t, q)
	c.Settings = run.Defaults()
	c.Settings.BatchSize, c.Settings.Parallel = 512, 2048
	c.Settings.Replays = 0 // so that a failure is one of the group
	c.Streams = allTasks(t)
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	count := &census{
		every: max(1, *mixtureGroups/10), enough: enough,
		drops: map[rollout.Drop]int{}, later: map[rollout.Drop]int{}, tasks: map[string]int{},
	}
	solver := solver(c.Streams, 0.6)
	c.Policy, c.Sinks = &unreliable{Policy: solver}, []run.Sink{count}
	r := begin(t, c)
	solver.Version = func() int32 { return int32(r.Version()) }
	began := time.Now()
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	report := r.Report()

	dropped := 0
	for why, n := range count.drops {
		dropped += n
		if report.GroupsDropped[why] != n+count.later[why] {
			t.Errorf("%d groups are %s, and the report says %d", n, why, report.GroupsDropped[why])
		}
	}
	if count.played < *mixtureGroups || count.played != count.kept+dropped || report.GroupsMade != count.kept {
		t.Errorf("%d groups were played, %d kept (%d in the report), %d dropped", count.played, count.kept, report.GroupsMade, dropped)
	}
	consumed := 0
	for _, n := range report.Staleness {
		consumed += n
	}
	held := q.Stats()
	left, stale := held.Waiting.Groups+held.Leased.Groups, count.later[rollout.DropStale]
	if count.kept != consumed+stale+left {
		t.Errorf("%d groups were kept, but %d consumed, %d stale, and %d are left", count.kept, consumed, stale, left)
	}
	if n := len(catalog.Tasks()); len(count.tasks) != n {
		t.Errorf("%d of %d tasks were played", len(count.tasks), n)
	}
	half := len(count.heap) / 2
	if early, late := slices.Max(count.heap[:half]), slices.Max(count.heap[half:]); late > 2*early {
		t.Errorf("the heap grew from %d to %d bytes: %d", early, late, count.heap)
	}
	t.Logf("%d groups of %d streams in %v, %.0f/s; the longest pause %v", count.played, len(c.Streams), took.Round(time.Second), float64(count.played)/took.Seconds(), count.longest)
	t.Logf("dropped %v; kept %d: consumed %d, dropped later %v, left %d", count.drops, count.kept, consumed, count.later, left)
	t.Logf("heap after each tenth, in MiB: %d", mebibytes(count.heap))
}

func mebibytes(all []uint64) (list []uint64) {
	for _, n := range all {
		list = append(list, n>>20)
	}
	return list
}
