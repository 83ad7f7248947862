package hub

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestLeaseOutlastsRestart keeps a batch with its trainer across a restart.
func TestLeaseOutlastsRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{})
		f.begin(1)
		for i := range 9 {
			f.put(group(i+1, 1, -1))
		}
		take := func(why, trainer, want string) string {
			t.Helper()
			number, ids := f.take("lease=10m&trainer=" + trainer)
			if ids != want {
				t.Errorf("%s: trainer %s got %q, want %q", why, trainer, ids, want)
			}
			return number
		}
		tell := func(number, verb, trainer string, status int) {
			t.Helper()
			f.tell(number, verb+"?trainer="+trainer, status)
		}
		one, two, three := take("first", "a", "1"), take("second", "a", "2"), take("third", "b", "3")
		f.restart()
		take("others' batches are not handed out", "c", "4")
		tell(one, "ack", "c", http.StatusConflict)
		tell(one, "ack", "a", http.StatusOK)
		take("it may not have come", "a", "2")
		tell(two, "nack", "a", http.StatusOK)
		f.restart()
		tell(two, "ack", "b", http.StatusConflict)
		take("it was given back", "c", "2")
		tell(three, "extend", "b", http.StatusOK) // half an hour
		time.Sleep(11 * time.Minute)
		f.restart()
		take("leases that ran out", "d", "2")
		take("leases that ran out", "d", "4")
		take("one that was lengthened", "d", "5")
		tell(three, "ack", "b", http.StatusOK)
		f.restart()
		f.do("POST", "/register?trainer=d", fmt.Sprintf(registerBody, 1, 0))
		f.restart()
		take("its trainer has registered again", "e", "2")
		if got := f.batch(); got != "4" {
			t.Errorf("batch %s, want 4", got)
		}
		f.restart()
		if got := f.batch(); got != "4" {
			t.Errorf("batch %s, want 4: it is not known whether it came", got)
		}
		f.restart()
		time.Sleep(time.Hour)
		take("a lease that ran out meanwhile", "f", "2")
	})
}

// TestClockSetBack limits leases after the clock was set back.
func TestClockSetBack(t *testing.T) {
	now := time.Now()
	d := &batch{owner: owner{"a", now.Add(20 * maxLease)}}
	if d.restore(now); d.state != kept || d.until.After(now.Add(maxLease)) {
		t.Errorf("%v until %v", d.state, d.until)
	}
}
