package nats_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// Messages of other programs in the log cost nothing: the queue leaves records out, and Repair
// deletes all, but nothing of the queue.
func TestRepair(t *testing.T) {
	for _, c := range []struct {
		why, subject string
		opens        bool // without a repair
	}{
		{"a record", "quintain.done", true},
		{"the owner", "quintain.state.queue.owner", false},
		{"the format", "quintain.state.queue.format", false},
		{"a state of the hub", "quintain.state.one", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			url, _, stop := natsServer(t, t.TempDir(), -1)
			defer stop()
			q := openURL(t, url, nats.Options{})
			queuetest.PutAll(t, q, 4)
			list, err := q.Lease(ctx, queue.Want{Consumer: "a", Max: 2})
			if err == nil {
				err = q.Ack(ctx, "a", list[0].Seq, list[1].Seq)
			}
			if err == nil { // a batch
				err = q.SetStates(ctx, []queue.State{{Key: "one", Value: []byte("1")}, {Key: "two", Value: []byte("2")}})
			}
			if err != nil {
				t.Fatal(err)
			}
			queuetest.Close(t, q)
			js := connect(t, url)
			last, err := js.Publish(ctx, c.subject, []byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			if s, err := nats.Open(ctx, url, nats.Options{}); err == nil {
				q, err = queue.Open(ctx, s, queue.Options{})
				if (err == nil) != c.opens {
					t.Errorf("opening: error %v", err)
				}
				if err == nil {
					queuetest.Close(t, q)
				}
			} else if c.opens {
				t.Errorf("opening: error %v", err)
			}
			var got []string
			repair := func() {
				t.Helper()
				err := nats.Repair(ctx, url, nats.Options{}, func(s nats.Stray) error {
					got = append(got, fmt.Sprintf("%d %s %s", s.Seq, s.Subject, s.Data))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			repair()
			if want := []string{fmt.Sprintf("%d %s x", last.Sequence, c.subject)}; !slices.Equal(got, want) {
				t.Errorf("deleted %q, want %q", got, want)
			}
			repair()
			q = openURL(t, url, nats.Options{})
			defer queuetest.Close(t, q)
			value, err := q.State(ctx, "one")
			if ids := queuetest.IDs(q); !slices.Equal(ids, []string{"g2", "g3"}) || string(value) != "1" || err != nil || len(got) != 1 {
				t.Errorf("%v wait, state %q, error %v, %q deleted", ids, value, err, got)
			}
		})
	}
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	if err := nats.Repair(t.Context(), url, nats.Options{}, nil); !errors.Is(err, queue.ErrUnknown) {
		t.Errorf("no queue: error %v", err)
	}
	if _, err := connect(t, url).Stream(t.Context(), "quintain-log"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("a repair makes a stream: error %v", err)
	}
}
