package files

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// worn returns the files of a store of 160 groups, of which every third is done, each by a log
// record of its own, and of a state that was written often.
func worn(t *testing.T, how end) map[string][]byte {
	t.Helper()
	d := waltest.New()
	q, s := openOn(t, d)
	putSmall(t, q, 0, 159)
	for i := range 20 {
		if err := q.SetState(t.Context(), "x", fmt.Append(nil, "value ", i)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 160})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if i%3 == 0 {
			if err := q.Ack(t.Context(), "a", e.Seq); err != nil {
				t.Fatal(err)
			}
		}
	}
	if how == closed {
		closeStore(t, q)
	}
	files := make(map[string][]byte)
	for name, n := range d.Files {
		files[name] = bytes.Clone(n.Data)
	}
	if how != closed {
		s.stop = nil
		closeStore(t, q)
	}
	return files
}

// A bill is what a queue has after it was opened.
type bill struct {
	ids   []string // of the readable waiting groups
	state string
	told  bool // whether anything was reported
	stats queue.Stats
}

// reopen opens the queue of a disk, reads all groups, and closes it.
func reopen(t *testing.T, d *waltest.Disk) (b bill, err error) {
	t.Helper()
	s, err := openFolder(d, Options{segmentSize: 1500})
	if err != nil {
		return b, err
	}
	q, err := queue.Open(t.Context(), s, queue.Options{})
	if err != nil {
		return b, err
	}
	err = showAll(t.Context(), q, func(e queue.Delivery) error { b.ids = append(b.ids, e.ID); return nil })
	if err != nil {
		t.Fatal(err)
	}
	state, err := q.State(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	b.state, b.stats = string(state), q.Stats()
	b.told = s.Condition().Damaged+b.stats.Lost+b.stats.Corrupt > 0
	closeStore(t, q)
	return b, nil
}

// An unreadable wal.Sector costs no more than the same bytes as zeros, whatever file it is in. Once
// the disk can read it again, nothing is missing.
func TestUnreadableSector(t *testing.T) {
	t.Parallel()
	for _, how := range []end{closed, killed} {
		files := worn(t, how)
		whole, err := reopen(t, waltest.Of(files))
		if err != nil || whole.told || len(whole.ids) != 106 {
			t.Fatal(whole, err)
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for at := int64(0); at < int64(len(files[name])); at += wal.Sector {
				what := fmt.Sprintf("%s at %d of %d, %d", name, at, len(files[name]), how)
				d, zeros := waltest.Of(files), waltest.Of(files)
				d.Files[name].Bad = [2]int64{at, at + wal.Sector}
				clear(zeros.Files[name].Data[at:min(at+wal.Sector, int64(len(files[name])))])
				got, err := reopen(t, d)
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				zero, err := reopen(t, zeros)
				if err != nil {
					t.Fatal(err)
				}
				if len(whole.ids)-len(got.ids) > len(whole.ids)-len(zero.ids) || got.stats.Lost > 0 || name != endsName && !got.told {
					t.Errorf("%s: %d groups come, with zeros %d; told %v, %+v", what, len(got.ids), len(zero.ids), got.told, got.stats)
				}
				d.Files[name].Bad = [2]int64{}
				again, err := reopen(t, d)
				if err != nil || !slices.Equal(again.ids, whole.ids) || again.state != whole.state || again.told {
					t.Errorf("%s, and read again: error %v, %d groups, want %d; state %q; %+v", what, err, len(again.ids), len(whole.ids), again.state, again.stats)
				}
			}
		}
	}
}

// A log of which nothing can be read is refused, as a missing one is: it may come back, and
// without it acknowledged groups would be handed out again.
func TestUnreadableLog(t *testing.T) {
	for _, name := range []string{doneName, statesName} {
		d := waltest.Of(worn(t, closed))
		d.Rot(name, syscall.EIO)
		if _, err := reopen(t, d); err == nil || !strings.Contains(err.Error(), name) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: error %v", name, err)
		}
		d.Rot(name, nil)
		if b, err := reopen(t, d); err != nil || len(b.ids) != 106 || b.told {
			t.Errorf("%s is back: error %v, %+v", name, err, b)
		}
	}
}

// A file that cannot be read costs few reads, a line of the log and no other file's groups. A
// second after it can be read again, its groups come.
func TestDeadFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		s, err := openFolder(d, Options{segmentSize: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		heard := &collector{}
		q, err := queue.Open(t.Context(), s, queue.Options{Log: slog.New(heard)})
		if err != nil {
			t.Fatal(err)
		}
		putSmall(t, q, 0, 1199)
		in := s.bodies.list[0].live
		if len(s.bodies.list) != 2 || in < 500 {
			t.Fatalf("%d files, %d groups in the first", len(s.bodies.list), in)
		}
		first := s.bodies.list[0].name
		d.Rot(first, syscall.EIO)
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 100})
		for calls := 0; err != nil; calls++ {
			if list, err = q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 100}); calls > 10 {
				t.Fatalf("error %v at call %d", err, calls)
			}
		}
		if failed := d.Files[first].Failed; failed > 30 || len(list) != 100 || int(list[0].Seq) != in+1 || len(heard.sentences) > 5 {
			t.Errorf("after %d failed reads, %d groups from number %d come, want 100 from %d; log %q", failed, len(list), list[0].Seq, in+1, heard.sentences)
		}
		if n, why := q.Unreadable(); n.Groups != in || !errors.Is(why, queue.ErrUnreadable) {
			t.Errorf("%d groups may soon be readable, want %d: %v", n.Groups, in, why)
		}
		d.Rot(first, nil)
		time.Sleep(time.Second)
		if list, err = q.Lease(t.Context(), queue.Want{Consumer: "a", Max: in}); err != nil || len(list) != in || list[0].Seq != 1 {
			t.Errorf("error %v, %d groups come, want the %d of the file", err, len(list), in)
		}
		closeStore(t, q)
	})
}

// Of a file that can be read in part, the readable groups come soon.
func TestHalfDeadFile(t *testing.T) {
	for _, share := range []int64{2, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			d := waltest.New()
			s, err := openFolder(d, Options{segmentSize: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			q, err := queue.Open(t.Context(), s, queue.Options{})
			if err != nil {
				t.Fatal(err)
			}
			putSmall(t, q, 0, 999)
			f := d.Files[segmentName(1)]
			f.Bad = [2]int64{wal.HeadLen, int64(len(f.Data)) / share &^ (wal.Sector - 1)}
			lost := 0
			for _, r := range s.bodies.list[0].rows {
				if r.extent.at() < f.Bad[1] {
					lost++
				}
			}
			came, began := 0, time.Now()
			for came < 1000-lost && time.Since(began) < time.Minute {
				list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: 50})
				if err != nil {
					continue
				}
				if came += len(list); len(list) == 0 {
					time.Sleep(time.Second)
				}
			}
			if took := time.Since(began); came != 1000-lost || took > 30*time.Second {
				t.Errorf("1/%d is dead: %d of %d come after %s", share, came, 1000-lost, took)
			}
			closeStore(t, q)
		})
	}
}

// A file that could not be rewritten for a moment is rewritten later.
func TestPassingFaultDoesNotStick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		q, s := openOn(t, d)
		putSmall(t, q, 0, 59)
		name := s.bodies.list[0].name
		before, in := len(d.Files[name].Data), s.bodies.list[0].live
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Max: in})
		if err != nil {
			t.Fatal(err)
		}
		d.Rot(name, syscall.EIO)
		for _, e := range list[1 : in-1] {
			if err := q.Ack(t.Context(), "a", e.Seq); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(d.Files[name].Data); n != before || s.Condition().Damaged != 1 {
			t.Fatalf("%d bytes, want %d; %d places count as damaged, want 1", n, before, s.Condition().Damaged)
		}
		d.Rot(name, nil)
		time.Sleep(2 * time.Hour)
		if err := q.Ack(t.Context(), "a", list[0].Seq); err != nil {
			t.Fatal(err)
		}
		if n := len(d.Files[name].Data); n > before/4 || s.Condition().Damaged != 1 {
			t.Errorf("the file has %d of %d bytes though one of its %d groups waits; %d places count as damaged, want 1", n, before, in, s.Condition().Damaged)
		}
		closeStore(t, q)
	})
}

// After a kill, all groups of the lost end of a file count as lost.
func TestLostAreCounted(t *testing.T) {
	d := waltest.New()
	q, s := openOn(t, d) // nothing seals the store, as within the second before a kill
	for i := range 9 {
		putSmall(t, q, i, i)
	}
	files := make(map[string][]byte)
	for name, n := range d.Files {
		files[name] = bytes.Clone(n.Data)
	}
	rows := slices.Clone(s.bodies.list[0].rows)
	closeStore(t, q)
	if len(rows) != 9 {
		t.Fatalf("%d groups are in the first file, want 9", len(rows))
	}
	name := segmentName(1)
	for k, r := range rows {
		cut := maps.Clone(files)
		cut[name] = files[name][:r.extent.at()]
		b, err := reopen(t, waltest.Of(cut))
		if err != nil || len(b.ids) != k || b.stats.Lost+b.stats.Corrupt != uint64(9-k) { // of one, the table is left
			t.Errorf("of 9 groups %d are left: error %v, %d come, %+v", k, err, len(b.ids), b.stats)
		}
	}
}

// The report of missing groups names their files.
func TestMissingFileIsNamed(t *testing.T) {
	files := worn(t, closed)
	name := segmentName(2)
	delete(files, name)
	heard := &collector{}
	s, err := openFolder(waltest.Of(files), Options{segmentSize: 1500, Log: slog.New(heard)})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{Log: slog.New(heard)})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(heard.sentences, "\n"); q.Stats().Lost == 0 || !strings.Contains(text, name+" (missing)") {
		t.Errorf("%d are lost, log %s", q.Stats().Lost, text)
	}
	closeStore(t, q)
}
