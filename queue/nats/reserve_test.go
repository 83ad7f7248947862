package nats_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// big returns a group that takes about 40 KB for each unit of size.
func big(id string, size int) *quintain.Group {
	r := rand.New(rand.NewPCG(1, uint64(size)))
	g := &quintain.Group{ID: id, Tokens: [][]quintain.Token{make([]quintain.Token, 10_000*size)}, Masks: [][]int32{make([]int32, 10_000*size)}, Scores: []float64{1}}
	for i := range g.Tokens[0] {
		g.Tokens[0][i] = quintain.Token(r.Int32())
	}
	return g
}

// A full server can be emptied, by this process or the next one, and then takes groups again.
func TestFullServer(t *testing.T) {
	for _, c := range []struct {
		why   string
		limit int64                   // of the server, in bytes
		body  *jetstream.StreamConfig // nil: the queue's own
		sizes []int                   // of a put, in turn
	}{
		{"its limit is reached by small puts", 12 << 20, nil, []int{3}},
		{"the last put goes far beyond its limit", 40 << 20, nil, []int{200}},
		{"the stream has a limit of its own", 1 << 30, &jetstream.StreamConfig{
			Name: "quintain", Subjects: []string{"quintain.group.*"}, AllowAtomicPublish: true, MaxBytes: 4 << 20, Discard: jetstream.DiscardNew,
		}, []int{3}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			url := fullServer(t, c.limit)
			if c.body != nil {
				if _, err := connect(t, url).CreateStream(t.Context(), *c.body); err != nil {
					t.Fatal(err)
				}
			}
			q := openURL(t, url, nats.Options{})
			kept := fill(t, q, "a", c.sizes)
			if c.body == nil {
				if err := q.Ready(t.Context()); !errors.Is(err, queue.ErrNoSpace) {
					t.Errorf("full: ready %v", err)
				}
			}
			gone := kept / 3
			empty(t, q, gone)
			queuetest.Close(t, q)
			q = openURL(t, url, nats.Options{})
			kept += fill(t, q, "b", c.sizes)
			queuetest.Close(t, q)
			q = openURL(t, url, nats.Options{})
			defer queuetest.Close(t, q)
			empty(t, q, kept-gone)
			if fresh, err := q.Put(t.Context(), big("after", 3)); !fresh || err != nil {
				t.Errorf("emptied: fresh %v, error %v", fresh, err)
			}
			if s := q.Stats(); s.Lost > 0 || s.Corrupt > 0 || s.Waiting.Groups != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// fullServer runs a server that stores up to limit bytes.
func fullServer(t *testing.T, limit int64) (url string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: limit, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return fmt.Sprintf("nats://%s", s.Addr().(*net.TCPAddr))
}

// fill puts groups of sizes until no put fits, and returns how many groups it put.
func fill(t *testing.T, q *queue.Queue, prefix string, sizes []int) (kept int) {
	t.Helper()
	for i := 0; ; i++ {
		var groups []*quintain.Group
		for left := sizes[i%len(sizes)]; left > 0; left -= 10 {
			groups = append(groups, big(fmt.Sprintf("%s%d-%d", prefix, i, left), min(left, 10)))
		}
		_, err := q.PutAll(t.Context(), groups)
		if errors.Is(err, queue.ErrNoSpace) {
			t.Logf("%d puts were taken: %v", i, err)
			return kept
		}
		if err != nil {
			t.Fatal(err)
		}
		kept += len(groups)
	}
}

// empty leases and acknowledges n groups.
func empty(t *testing.T, q *queue.Queue, n int) {
	t.Helper()
	for range n {
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a"})
		if err == nil {
			err = q.SetState(t.Context(), "hub-batches", []byte(`{"version":2}`))
		}
		if err == nil && len(list) > 0 {
			err = q.Ack(t.Context(), "a", list[0].Seq)
		}
		if err != nil || len(list) == 0 {
			t.Fatalf("%d groups, error %v, of %+v", len(list), err, q.Stats())
		}
	}
}
