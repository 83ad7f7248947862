package files

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// rememberOn opens the queue of a disk, which remembers IDs for an hour.
func rememberOn(t *testing.T, d *waltest.Disk) *queue.Queue {
	t.Helper()
	s, err := openFolder(d, Options{segmentSize: 1500})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{Remember: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// The log shrinks as IDs are forgotten, in a running store and in an opening one.
func TestForgettingShortensTheLog(t *testing.T) {
	for _, reopen := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := waltest.New()
			q := rememberOn(t, d)
			empty := len(d.Files[doneName].Data)
			for i := 0; i < 400; i += 40 {
				putSmall(t, q, i, i+39)
				consume(t, q, map[string]bool{})
			}
			full := len(d.Files[doneName].Data)
			time.Sleep(2 * time.Hour)
			if reopen {
				closeStore(t, q)
				q = rememberOn(t, d)
			}
			putSmall(t, q, 0, 0)
			if now := len(d.Files[doneName].Data); full < empty+400*16 || now > empty+200 {
				t.Errorf("the log has %d bytes at the beginning, %d when 400 are done, and %d when they are forgotten", empty, full, now)
			}
			if n := q.Stats().Known; n != 0 {
				t.Errorf("%d IDs are known", n)
			}
			closeStore(t, q)
		})
	}
}

// If the disk fails while an ID is forgotten, its group is known or new, but never lost: one
// put as new is there after a restart.
func TestForgettingOnADiskThatFails(t *testing.T) {
	forgot := 0
	for skip := range 12 {
		for _, err := range []error{syscall.EIO, syscall.ENOSPC} {
			synctest.Test(t, func(t *testing.T) {
				d := waltest.New()
				q := rememberOn(t, d)
				putSmall(t, q, 0, 0)
				consume(t, q, map[string]bool{})
				time.Sleep(2 * time.Hour)
				d.Err, d.Skip, d.Fails = err, skip, 2
				_, _ = q.State(t.Context(), "x")
				d.Skip, d.Fails = 0, 0
				fresh, err := q.Put(t.Context(), small(0))
				if err != nil {
					t.Fatal(err)
				}
				if fresh {
					forgot++
				}
				q2 := rememberOn(t, d) // after a kill
				if came, aside := takeAll(t, q2); (came == 1) != fresh || aside > 0 {
					t.Errorf("after %d operations: fresh %v, and %d came, %d were set aside", skip, fresh, came, aside)
				}
				closeStore(t, q2)
			})
		}
	}
	if forgot == 0 || forgot == 24 {
		t.Errorf("the ID was forgotten in %d of 24 rounds: the failures hit nothing", forgot)
	}
}
