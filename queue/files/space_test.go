package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// padded returns a group of about the given number of bytes.
func padded(i, bytes int) *quintain.Group {
	g := small(i)
	g.Images = []byte(`"` + strings.Repeat(fmt.Sprintf("%08x", uint32(i)*2654435761), bytes/8) + `"`)
	return g
}

// consume acknowledges all waiting groups except given IDs.
func consume(t testing.TB, q *queue.Queue, but map[string]bool) {
	t.Helper()
	list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Pick: func(waiting []queue.Entry) (picked []queue.Entry) {
		for _, e := range waiting {
			if !but[e.ID] {
				picked = append(picked, e)
			}
		}
		return picked
	}})
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(list, 10) {
		var seqs []uint64
		for _, e := range part {
			seqs = append(seqs, e.Seq)
		}
		if err := q.Ack(t.Context(), "a", seqs...); err != nil {
			t.Fatal(err)
		}
	}
}

// Small groups that stay hold up neither the space of consumed large ones, nor a file each.
func TestSpaceIsGivenBackByBytes(t *testing.T) {
	d := waltest.New()
	q, s := openOn(t, d)
	stay := map[string]bool{}
	for i := range 300 {
		bytes := 1000
		if i%3 > 0 { // most groups are small
			bytes = 8
			stay[small(i).ID] = true
		}
		if _, err := q.Put(t.Context(), padded(i, bytes)); err != nil {
			t.Fatal(err)
		}
		consume(t, q, stay)
	}
	live := 0
	for _, seg := range s.bodies.list {
		live += int(seg.bytes)
	}
	if n := d.Used(); n > 3*live {
		t.Errorf("%d bytes are on the disk, and about %d are in use", n, live)
	}
	consume(t, q, map[string]bool{small(1).ID: true, small(298).ID: true})
	if n := len(s.bodies.list); n > 3 {
		t.Errorf("%d files for two groups", n)
	}
	closeStore(t, q)
	q, _ = openOn(t, d)
	if st := q.Stats(); st.Waiting.Groups != 2 || st.Lost != 0 {
		t.Errorf("%d wait and %d are missing, want 2 and none", st.Waiting.Groups, st.Lost)
	}
	if came, aside := takeAll(t, q); came != 2 || aside != 0 {
		t.Errorf("%d came, %d were set aside", came, aside)
	}
	closeStore(t, q)
}

// Groups smaller than their index records are rewritten once, not for ever.
func TestLargeIndexRecords(t *testing.T) {
	q, _ := openOn(t, waltest.New())
	stay := make(map[string]bool)
	for i := range 20 {
		g := small(i)
		g.ID += strings.Repeat("x", 1000)
		stay[g.ID] = i%2 == 0
		if _, err := q.Put(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	consume(t, q, stay)
	if n := q.Stats().Waiting.Groups; n != 10 {
		t.Errorf("%d wait, want 10", n)
	}
	closeStore(t, q)
}

// A disk full of groups takes new ones once they are consumed, even after a restart.
func TestFilledDiskIsNotFullForEver(t *testing.T) {
	for _, reopen := range []bool{false, true} {
		d := waltest.New()
		d.Most = 60_000
		open := func() *queue.Queue {
			s, err := openFolder(d, Options{segmentSize: 40_000})
			if err != nil {
				t.Fatal(err)
			}
			q, err := queue.Open(t.Context(), s, queue.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		q := open()
		next := 0
		fill := func() (n int) {
			for {
				_, err := q.Put(t.Context(), padded(next, 500))
				if errors.Is(err, queue.ErrNoSpace) {
					return n
				}
				if err != nil {
					t.Fatal(err)
				}
				next++
				n++
			}
		}
		first := fill()
		consume(t, q, nil)
		if reopen {
			closeStore(t, q)
			q = open()
		}
		if again := fill(); again < first*3/4 {
			t.Errorf("opened again %v: %d groups fit on the disk, and once these are consumed %d", reopen, first, again)
		}
		closeStore(t, q)
	}
}

// A store on a full disk opens, and its waiting groups can be read.
func TestFullDiskOpens(t *testing.T) {
	d := waltest.New()
	q, _ := openOn(t, d)
	putSmall(t, q, 0, 299)
	for range 290 {
		consumeOne(t, q)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	d.Most = d.Used()
	q, _ = openOn(t, d)
	if st := q.Stats(); st.Waiting.Groups != 10 || st.Known != 290 || st.Lost != 0 {
		t.Errorf("%d wait, %d are known, %d missing; want 10, 290 and none", st.Waiting.Groups, st.Known, st.Lost)
	}
	if came, aside := takeAll(t, q); came != 10 || aside != 0 {
		t.Errorf("%d came, %d were set aside", came, aside)
	}
	d.Most = 0
	closeStore(t, q)
}

func consumeOne(t testing.TB, q *queue.Queue) {
	t.Helper()
	list, err := q.Lease(t.Context(), queue.Want{Consumer: "a"})
	if err == nil {
		err = q.Ack(t.Context(), "a", list[0].Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A store leaves a tenth of a small disk free, not more than the disk has.
func TestReserve(t *testing.T) {
	for _, test := range []struct {
		why        string
		disk, keep int64
		want       int64
	}{
		{"a small disk", 8 << 20, 0, 8 << 20 / 10},
		{"a large disk", 1 << 40, 0, 64 << 20},
		{"as it is set", 8 << 20, 5, 5},
	} {
		d := waltest.New()
		d.Most = int(min(test.disk, 1<<31-1))
		s, err := openFolder(d, Options{MinFree: test.keep})
		if err != nil {
			t.Fatal(err)
		}
		if _, keep, ok := s.space(); keep != test.want || !ok {
			t.Errorf("%s: %d bytes are kept free, want %d", test.why, keep, test.want)
		}
	}
}
