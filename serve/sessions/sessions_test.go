package sessions_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/sessions"
)

// A door counts how often it is closed.
type door struct {
	closed int
	hold   chan struct{} // closed by Close; nil: none
}

func (d *door) Close() error {
	d.closed++
	if d.hold != nil {
		close(d.hold)
	}
	return nil
}

// returns opens a door.
func returns(d *door) func() (*door, error) { return func() (*door, error) { return d, nil } }

// stay is a call after which a session goes on.
func stay(*door) (over bool, err error) { return false, nil }

// statusOf is the status of an error of package web; 0: it is none.
func statusOf(err error) int {
	if refused, ok := errors.AsType[*web.Error](err); ok {
		return refused.Status
	}
	return 0
}

func TestLimits(t *testing.T) {
	t.Parallel()
	table := sessions.New[*door](sessions.Limits{Most: 3, Each: 2, Idle: time.Minute})
	broken := errors.New("broken")
	for _, test := range []struct {
		why, name, owner string
		err              error // of its opening
		status           int
	}{
		{"the first", "a", "x", nil, 0},
		{"one of the same name", "a", "y", nil, 409},
		{"one that does not open", "b", "x", broken, 0},
		{"the second of an owner", "b", "x", nil, 0},
		{"one too many of an owner", "c", "x", nil, 503},
		{"that of another", "c", "y", nil, 0},
		{"one too many", "d", "z", nil, 503},
	} {
		opened := false
		err := table.Open(test.name, test.owner, func() (*door, error) { opened = true; return new(door), test.err })
		if statusOf(err) != test.status || opened != (test.status == 0) || test.status == 0 && !errors.Is(err, test.err) {
			t.Errorf("%s: error %v, opened %v; want status %d", test.why, err, opened, test.status)
		}
	}
	busy := errors.New("busy")
	full := sessions.New[*door](sessions.Limits{Idle: time.Minute, Full: busy})
	if err := full.Open("a", "", returns(new(door))); !errors.Is(err, busy) {
		t.Errorf("with an error of its own: %v", err)
	}
	if err := errors.Join(table.Close(), full.Close()); err != nil {
		t.Error(err)
	}
}

// A session is there for its owner alone.
func TestOwner(t *testing.T) {
	t.Parallel()
	d := new(door)
	table := sessions.New[*door](sessions.Limits{Most: 1, Idle: time.Minute})
	if err := table.Open("a", "x", returns(d)); err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[string]bool{"x": true, "y": false, "": false} {
		got, found := table.Get("a", owner)
		called, err := table.Call("a", owner, stay)
		if found != want || called != want || err != nil || (got == d) != want {
			t.Errorf("%q: found %v, called %v, error %v; want %v", owner, found, called, err, want)
		}
	}
	if err := table.End("a", "y"); err != nil || table.Count() != 1 {
		t.Errorf("another ends it: error %v, %d are open", err, table.Count())
	}
	if err := errors.Join(table.End("a", "x"), table.End("a", "x")); err != nil || d.closed != 1 || table.Count() != 0 {
		t.Errorf("ended twice: error %v, closed %d times, %d are open", err, d.closed, table.Count())
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := sessions.New[*door](sessions.Limits{Most: 2, Idle: time.Minute})
		a, b := new(door), new(door)
		if err := errors.Join(table.Open("a", "", returns(a)), table.Open("b", "", returns(b))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(40 * time.Second)
		table.Get("a", "")
		time.Sleep(40 * time.Second)
		if synctest.Wait(); a.closed != 0 || b.closed != 1 || table.Count() != 1 {
			t.Errorf("one was used: closed %d and %d times, %d are open", a.closed, b.closed, table.Count())
		}
		long := func(*door) (bool, error) { time.Sleep(time.Hour); return false, nil }
		if ok, err := table.Call("a", "", long); !ok || err != nil || a.closed != 0 {
			t.Errorf("a call of an hour: %v, error %v, closed %d times", ok, err, a.closed)
		}
		time.Sleep(59 * time.Second)
		if _, ok := table.Get("a", ""); !ok {
			t.Error("it ends within the minute after the call")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, ok := table.Get("a", ""); ok || a.closed != 1 {
			t.Errorf("a minute later: found %v, closed %d times", ok, a.closed)
		}
	})
}

// Calls of a session of a serial table have their turns, and the end waits for the one under way.
func TestSerial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := sessions.NewSerial[*door](sessions.Limits{Most: 1, Idle: time.Minute})
		d := new(door)
		if err := table.Open("a", "", returns(d)); err != nil {
			t.Fatal(err)
		}
		running := 0
		call := func(*door) (bool, error) {
			if running++; running != 1 || d.closed != 0 {
				t.Errorf("%d calls run, closed %d times", running, d.closed)
			}
			time.Sleep(time.Second)
			running--
			return false, nil
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if ok, err := table.Call("a", "", call); !ok || err != nil {
					t.Errorf("a call: %v, error %v", ok, err)
				}
			})
		}
		all.Wait()
		all.Go(func() { _, _ = table.Call("a", "", call) })
		synctest.Wait()
		begun := time.Now()
		if err := table.Close(); err != nil || d.closed != 1 || time.Since(begun) != time.Second {
			t.Errorf("closed %d times after %v, error %v", d.closed, time.Since(begun), err)
		}
		all.Wait()
	})
}

// A call that says so is the last: one that waits for its turn finds no session.
func TestTheLastCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := sessions.NewSerial[*door](sessions.Limits{Most: 1, Idle: time.Minute})
		d, failed := new(door), errors.New("failed")
		if err := table.Open("a", "", returns(d)); err != nil {
			t.Fatal(err)
		}
		var late sync.WaitGroup
		ok, err := table.Call("a", "", func(*door) (bool, error) {
			late.Go(func() {
				if ok, err := table.Call("a", "", stay); ok || err != nil {
					t.Errorf("a call after the last: %v, error %v", ok, err)
				}
			})
			synctest.Wait() // until it waits
			return true, failed
		})
		late.Wait()
		if !ok || !errors.Is(err, failed) || d.closed != 1 {
			t.Errorf("%v, error %v, closed %d times", ok, err, d.closed)
		}
	})
}

// The end of a session of any other table ends the calls under way, and so does that of all, which
// lets none open that was about to.
func TestEndsDoNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := sessions.New[*door](sessions.Limits{Most: 3, Idle: time.Minute})
		var calls sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			if err := table.Open(name, "", returns(&door{hold: make(chan struct{})})); err != nil {
				t.Fatal(err)
			}
			calls.Go(func() { _, _ = table.Call(name, "", func(d *door) (bool, error) { <-d.hold; return false, nil }) })
		}
		late, slow := new(door), make(chan struct{})
		calls.Go(func() {
			err := table.Open("late", "", func() (*door, error) { <-slow; return late, nil })
			if statusOf(err) != 503 || late.closed != 1 {
				t.Errorf("it opened late: error %v, closed %d times", err, late.closed)
			}
		})
		synctest.Wait()
		if err := errors.Join(table.End("a", ""), table.Close()); err != nil || table.Count() != 1 {
			t.Errorf("error %v, %d are open", err, table.Count())
		}
		close(slow)
		calls.Wait()
		if err := table.Open("c", "", returns(new(door))); statusOf(err) != 503 || table.Count() != 0 {
			t.Errorf("after the end: error %v, %d are open", err, table.Count())
		}
	})
}
