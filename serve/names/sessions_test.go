package names_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/names"
)

// A door counts how often it is closed.
type door struct{ closed int }

func (d *door) Close() error {
	d.closed++
	return nil
}

func TestTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := names.NewTable[*door](names.Limits{Most: 2, Idle: time.Minute})
		a, b, c := new(door), new(door), new(door)
		for _, test := range []struct {
			why    string
			err    error
			status int
		}{
			{"the first", table.Add("a", a), 0},
			{"one of the same name", table.Add("a", c), 409},
			{"the second", table.Add("b", b), 0},
			{"one too many", table.Add("c", c), 503},
		} {
			status := 0
			if refused := new(web.Error); errors.As(test.err, &refused) {
				status = refused.Status
			}
			if status != test.status || (test.err == nil) != (status == 0) {
				t.Errorf("%s: error %v, want status %d", test.why, test.err, test.status)
			}
		}
		if c.closed != 2 {
			t.Errorf("sessions that were refused were closed %d times, want 2", c.closed)
		}
		time.Sleep(40 * time.Second)
		if got, ok := table.Get("a"); !ok || got != a {
			t.Error("a session is not found")
		}
		time.Sleep(40 * time.Second) // the second was idle for long, the first was not
		if err := table.Add("c", new(door)); err != nil || a.closed != 0 || b.closed != 1 {
			t.Errorf("when one is stale: error %v, closed %d and %d times, want 0 and 1", err, a.closed, b.closed)
		}
		if _, ok := table.Get("b"); ok {
			t.Error("a stale session is found")
		}
		if err := errors.Join(table.End("a"), table.End("a")); err != nil || a.closed != 1 {
			t.Errorf("ended twice: error %v, closed %d times, want 1", err, a.closed)
		}
	})
}
