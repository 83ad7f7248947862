package registry

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A watch ends when the status is another, when the wait is over, or when the hub stops.
func TestWatch(t *testing.T) {
	same := markOf([]byte("0"))
	for _, test := range []struct {
		why    string
		seen   string
		news   []time.Duration // at each of which a channel is closed
		change time.Duration   // of the status; 0: never
		stop   time.Duration   // 0: never
		want   time.Duration
		looks  int
	}{
		{"it has seen none", "", nil, 0, 0, 0, 1},
		{"it has seen another", "other", nil, 0, 0, 0, 1},
		{"no change", same, nil, 0, 0, 9950 * time.Millisecond, 11},
		{"a change", same, []time.Duration{3100 * time.Millisecond}, 3100 * time.Millisecond, 0, 3100 * time.Millisecond, 5},
		{"a change without news", same, nil, 3100 * time.Millisecond, 0, 4 * time.Second, 5},
		{"news of others, close together", same, []time.Duration{3110 * time.Millisecond, 3120 * time.Millisecond, 3130 * time.Millisecond}, 0, 0, 9950 * time.Millisecond, 13},
		{"the hub stops", same, nil, 0, 3100 * time.Millisecond, 3100 * time.Millisecond, 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin, looks := time.Now(), 0
			stop := make(chan struct{})
			if test.stop > 0 {
				time.AfterFunc(test.stop, func() { close(stop) })
			}
			w := Watch{
				Seen: test.seen, Wait: 9950 * time.Millisecond, Stop: stop,
				Look: func() ([]byte, error) {
					looks++
					if test.change > 0 && time.Since(begin) >= test.change {
						return []byte("1"), nil
					}
					return []byte("0"), nil
				},
				News: func() (a, b <-chan struct{}) {
					next := make(chan struct{})
					for _, at := range test.news {
						if at > time.Since(begin) {
							time.AfterFunc(at-time.Since(begin), func() { close(next) })
							break
						}
					}
					return next, nil
				},
			}
			_, mark, err := w.Await(t.Context())
			took := time.Since(begin)
			if err != nil || took != test.want || looks != test.looks || (mark == same) != (test.change == 0) {
				t.Errorf("%s: after %v and %d looks, mark %s, error %v; want %v and %d", test.why, took, looks, mark, err, test.want, test.looks)
			}
			time.Sleep(10 * time.Second) // the channels are closed
		})
	}
	w := Watch{Look: func() ([]byte, error) { return nil, errors.New("gone") }, News: func() (a, b <-chan struct{}) { return nil, nil }}
	if _, _, err := w.Await(t.Context()); err == nil {
		t.Error("no error")
	}
}
