package files

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// openOn opens the queue of a disk, with small segments.
func openOn(t testing.TB, d *waltest.Disk) (*queue.Queue, *store) {
	t.Helper()
	s, err := openFolder(d, Options{segmentSize: 1500})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(context.Background(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q, s
}

// putSmall puts the small groups from first to last.
func putSmall(t testing.TB, q *queue.Queue, first, last int) {
	t.Helper()
	for i := first; i <= last; i++ {
		if fresh, err := q.Put(context.Background(), small(i)); err != nil || !fresh {
			t.Fatalf("group %d: fresh %v, error %v", i, fresh, err)
		}
	}
}

// takeAll leases one group after the other, and returns how many came and how many are set
// aside.
func takeAll(t testing.TB, q *queue.Queue) (came, aside int) {
	t.Helper()
	for {
		list, err := q.Lease(context.Background(), queue.Want{Consumer: "a"})
		switch {
		case errors.As(err, new(*queue.CorruptError)):
		case err != nil:
			t.Fatalf("lease: %v", err)
		case len(list) == 0:
			return came, q.Stats().Aside.Groups
		default:
			came++
		}
	}
}

// An unreadable file costs its own groups, while it is unreadable. Puts and other groups go on.
func TestUnreadableFile(t *testing.T) {
	for _, test := range []struct {
		why    string
		damage func(d *waltest.Disk, name string)
		mend   func(d *waltest.Disk, name string)
	}{
		{
			"reads fail", func(d *waltest.Disk, name string) { d.Rot(name, syscall.EIO) },
			func(d *waltest.Disk, name string) { d.Rot(name, nil) },
		},
		{"it was cut short", func(d *waltest.Disk, name string) { d.Files[name].Data = d.Files[name].Data[:100] }, nil},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := waltest.New()
				q, s := openOn(t, d)
				putSmall(t, q, 0, 39)
				if len(s.bodies.list) < 3 {
					t.Fatalf("%d files, want 3 or more", len(s.bodies.list))
				}
				first, in := s.bodies.list[0].name, s.bodies.list[0].live
				test.damage(d, first)
				d.Err, d.Fails = syscall.EIO, 2 // a write and its undo fail: the store is reread
				if _, err := q.Put(t.Context(), small(99)); !errors.Is(err, queue.ErrUncertain) {
					t.Fatalf("error %v, want an uncertain one", err)
				}
				if came, aside := takeAll(t, q); came != 40-in || aside != in {
					t.Errorf("%d came and %d were set aside, want %d and %d", came, aside, 40-in, in)
				}
				putSmall(t, q, 40, 49)
				if st := q.Stats(); st.Corrupt != uint64(in) || st.Aside.Groups != in {
					t.Errorf("%d are counted and %d are aside, want %d", st.Corrupt, st.Aside.Groups, in)
				}
				if test.mend != nil {
					test.mend(d, first)
					time.Sleep(time.Minute)
					if came, aside := takeAll(t, q); came != 10+in || aside != 0 {
						t.Errorf("once it can be read again, %d came and %d were set aside, want %d and none", came, aside, 10+in)
					}
				}
				closeStore(t, q)
			})
		})
	}
}

func closeStore(t testing.TB, q *queue.Queue) {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// A file with unreadable frames is not rewritten without them.
func TestRottenFileIsNotRewritten(t *testing.T) {
	d := waltest.New()
	q, s := openOn(t, d)
	putSmall(t, q, 0, 39)
	seg := s.bodies.list[0]
	v, err := seg.source().Scan(math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	d.Files[seg.name].Data[v.Frames[1].Payload-1] ^= 1 // the head of group 1
	list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.ID == "g1" {
			continue
		}
		if err := q.Ack(t.Context(), "a", e.Seq); err != nil {
			t.Fatal(err)
		}
	}
	q.ReleaseAll("a")
	if came, aside := takeAll(t, q); came != 1 || aside != 0 {
		t.Errorf("%d came and %d were set aside, want the one that is left", came, aside)
	}
	if n := s.Condition().Damaged; n != 1 {
		t.Errorf("%d places count as damaged, want 1", n)
	}
	closeStore(t, q)
}

// Many consumers acknowledge groups all over the files, so files may become empty during their
// rewrite.
func TestRewritingWhileOthersAcknowledge(t *testing.T) {
	for round := range 8 {
		d := waltest.New()
		q, _ := openOn(t, d)
		const n, consumers = 400, 8
		for i := 0; i < n; i += 20 {
			var groups []*quintain.Group
			for k := range 20 {
				groups = append(groups, small(i+k))
			}
			if _, err := q.PutAll(t.Context(), groups); err != nil {
				t.Fatal(err)
			}
		}
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: n})
		if err != nil || len(list) != n {
			t.Fatal(len(list), err)
		}
		r := rand.New(rand.NewPCG(uint64(round), 1))
		r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		var wg sync.WaitGroup
		for part := range slices.Chunk(list, n/consumers) {
			wg.Go(func() {
				for _, e := range part {
					if err := q.Ack(t.Context(), "a", e.Seq); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		closeStore(t, q)
		q, s := openOn(t, d)
		if st := q.Stats(); st.Waiting.Groups != 0 || st.Lost != 0 || len(s.bodies.list) > 1 {
			t.Errorf("round %d: %d wait, %d are missing, %d files", round, st.Waiting.Groups, st.Lost, len(s.bodies.list))
		}
		closeStore(t, q)
	}
}
