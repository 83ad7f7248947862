package files

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// A queue on a failing disk is ready exactly when a put succeeds, and again once the disk has
// recovered.
func TestReadyAsPutsAre(t *testing.T) {
	type fault struct {
		why  string
		on   func(*waltest.Disk)
		full bool
	}
	list := []fault{
		{"the disk is full", func(d *waltest.Disk) { d.Most = d.Used() }, true},
		{"less is free than must be", func(d *waltest.Disk) { d.Most = d.Used() * 100 / 95 }, true},
	}
	for _, err := range waltest.Faults() {
		list = append(list, fault{err.Error(), func(d *waltest.Disk) { d.Err, d.Fails = err, -1 }, false})
	}
	for _, test := range list {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := waltest.New()
				d.Most = 1 << 20
				q, _ := openOn(t, d)
				for round := range 3 {
					if err := q.Ready(t.Context()); err != nil {
						t.Errorf("a good disk: %v", err)
					}
					time.Sleep(time.Minute)
					test.on(d)
					err := q.Ready(t.Context())
					_, putErr := q.Put(t.Context(), small(round))
					if err == nil || putErr == nil {
						t.Errorf("ready: %v; a put: %v", err, putErr)
					}
					if test.full && (!errors.Is(err, queue.ErrNoSpace) || !errors.Is(putErr, queue.ErrNoSpace)) {
						t.Errorf("ready: %v; a put: %v; want both to say that there is no space", err, putErr)
					}
					d.Most, d.Fails = 1<<20, 0
					time.Sleep(time.Minute)
				}
				putSmall(t, q, 10, 12)
				closeStore(t, q)
			})
		})
	}
}

// The space of probes is reclaimed, and no probe comes out as a group.
func TestReadyTakesNoSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		q, s := openOn(t, d)
		putSmall(t, q, 1, 1)
		for range 1000 {
			time.Sleep(time.Minute)
			if err := q.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := d.Used(); n > 20_000 {
			t.Errorf("%d bytes for one small group, in %d files", n, len(s.bodies.list))
		}
		closeStore(t, q)
		q, _ = openOn(t, d)
		if came, aside := takeAll(t, q); came != 1 || aside != 0 {
			t.Errorf("%d came and %d were set aside, want the one", came, aside)
		}
		closeStore(t, q)
	})
}

// Each sync is counted by its duration.
func TestSyncTimes(t *testing.T) {
	bounds := queue.SyncBounds()
	if !slices.IsSorted(bounds) || len(bounds)+1 != len(queue.SyncTimes{}.Counts) {
		t.Fatalf("bounds %v for %d counts", bounds, len(queue.SyncTimes{}.Counts))
	}
	var s syncTimes
	for _, took := range []time.Duration{0, bounds[0], bounds[0] + 1, bounds[len(bounds)-1], time.Hour} {
		s.add(took)
	}
	got := s.copy()
	want := queue.SyncTimes{Sum: 2*bounds[0] + 1 + bounds[len(bounds)-1] + time.Hour}
	want.Counts[0], want.Counts[1], want.Counts[len(bounds)-1], want.Counts[len(bounds)] = 2, 1, 1, 1
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	d := waltest.New()
	q, store := openOn(t, d)
	before := store.Condition().Syncs.Counts
	putSmall(t, q, 1, 3)
	n := uint64(0)
	for i, c := range store.Condition().Syncs.Counts {
		n += c - before[i]
	}
	if n != 3 {
		t.Errorf("3 puts made %d syncs", n)
	}
	closeStore(t, q)
}
