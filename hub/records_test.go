package hub

import (
	"fmt"
	"net/http"
	"slices"
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

func TestSpans(t *testing.T) {
	for _, test := range []struct {
		why  string
		seqs []uint64
		size int
	}{
		{"none", nil, 0},
		{"one", []uint64{5}, 2},
		{"a run", []uint64{5, 6, 7, 8}, 2},
		{"runs in any order", []uint64{900, 901, 3, 4, 2, 1 << 62}, 18},
	} {
		b := packSpans(test.seqs)
		got, err := unpackSpans(b, len(test.seqs))
		if err != nil || !slices.Equal(got, test.seqs) || len(b) != test.size {
			t.Errorf("%s: %v in %d bytes, %v, want %v in %d", test.why, got, len(b), err, test.seqs, test.size)
		}
		if _, err := unpackSpans(b, len(test.seqs)-1); err == nil && len(test.seqs) > 0 {
			t.Errorf("%s: more than may be were read", test.why)
		}
	}
}

func FuzzSpans(f *testing.F) {
	f.Add(packSpans([]uint64{1, 2, 3, 9, 4}))
	f.Add([]byte{2, 0x80, 0x80, 0x80, 0x80, 0x10})
	f.Fuzz(func(t *testing.T, b []byte) {
		seqs, err := unpackSpans(b, 1000)
		if err != nil {
			return
		}
		again, err := unpackSpans(packSpans(seqs), 1000)
		if err != nil || !slices.Equal(again, seqs) {
			t.Errorf("%v became %v, %v", seqs, again, err)
		}
	})
}
