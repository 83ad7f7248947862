package files

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// A group of an unreadable file that is put again comes once, also when the file can be read
// again.
func TestPutAgainWhileUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		q, s := openOn(t, d)
		putSmall(t, q, 0, 39)
		first, in := s.bodies.list[0].name, s.bodies.list[0].live
		d.Rot(first, syscall.EIO)
		if came, aside := takeAll(t, q); came != 40-in || aside != in {
			t.Fatalf("%d came and %d were set aside, want %d and %d", came, aside, 40-in, in)
		}
		putSmall(t, q, 0, in-2) // all but one
		d.Rot(first, nil)
		time.Sleep(time.Hour)
		if came, aside := takeAll(t, q); came != in || aside != 0 {
			t.Errorf("%d came and %d were set aside, want %d and none", came, aside, in)
		}
		q.ReleaseAll("a")
		closeStore(t, q)
		q, _ = openOn(t, d)
		if st := q.Stats(); st.Waiting.Groups != 40 || st.Lost != 0 || st.Aside.Groups != 0 {
			t.Errorf("after reopening: %+v", st)
		}
		closeStore(t, q)
	})
}

// A group that is there twice, because the process ended before the log had the first one,
// comes once.
func TestCrashWhileReplacing(t *testing.T) {
	d := waltest.New()
	q, s := openOn(t, d)
	putSmall(t, q, 0, 4)
	var third queue.Listed
	_, err := s.List(t.Context(), func(l queue.Listed) {
		if l.Seq == 3 {
			third = l
		}
	})
	body, err2 := s.Body(t.Context(), 3)
	seqs, err3 := s.Put(t.Context(), []queue.Record{{Key: third.Key, Meta: third.Meta, Body: body}})
	if err := errors.Join(err, err2, err3); err != nil || len(seqs) != 1 || seqs[0] != 6 {
		t.Fatalf("numbers %v, error %v", seqs, err)
	}
	for range 2 {
		q, _ = openOn(t, d)
		if st := q.Stats(); st.Waiting.Groups != 5 || st.Lost != 0 {
			t.Errorf("%d wait and %d are lost, want 5 and none", st.Waiting.Groups, st.Lost)
		}
		if _, err := q.Read(t.Context(), 3); !errors.Is(err, queue.ErrUnknown) {
			t.Errorf("the first of the two: error %v", err)
		}
		closeStore(t, q)
	}
}
