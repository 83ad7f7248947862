package nats

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/quintain-rl/quintain/queue"
)

// written are messages from a number on, of n bytes each.
func written(from uint64, count, n int) (all []*message) {
	for i := range uint64(count) {
		all = append(all, &message{Msg: &nats.Msg{Data: bytes.Repeat([]byte{byte(from + i)}, n)}, seq: from + i})
	}
	return all
}

// has lists which numbers up to most have a body.
func (f *fresh) has(t *testing.T, most uint64) (all []uint64) {
	t.Helper()
	for seq := range most + 1 {
		body := f.body(seq)
		if body == nil {
			continue
		}
		if body[0] != byte(seq) {
			t.Errorf("the body of %d is another's", seq)
		}
		all = append(all, seq)
	}
	return all
}

func TestFreshBodies(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		why  string
		do   func(f *fresh)
		want string
	}{
		{"all fit", func(f *fresh) { f.keep(written(1, 3, mb)) }, "[1 2 3]"},
		{"the oldest make room", func(f *fresh) { f.keep(written(1, 40, mb)) }, "[9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40]"},
		{"a write may come late", func(f *fresh) {
			f.keep(written(3, 1, mb))
			f.keep(written(1, 1, mb))
			f.keep(written(4, 31, mb))
		}, "[3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34]"},
		{"a group that was there before has no number", func(f *fresh) { f.keep(written(0, 2, mb)) }, "[1]"},
		{"a huge body stays outside", func(f *fresh) { f.keep(written(1, 1, mostFresh/8+1)) }, "[]"},
		{"deleted ones", func(f *fresh) { f.keep(written(1, 6, mb)); f.drop(3, []uint64{4, 4, 9}) }, "[3 5 6]"},
		{"deleted ones make room", func(f *fresh) {
			f.keep(written(1, 32, mb))
			f.drop(31, nil)
			f.keep(written(33, 2, mb))
		}, "[31 32 33 34]"},
		{"all deleted", func(f *fresh) { f.keep(written(1, 6, mb)); f.drop(1<<63, nil); f.keep(written(7, 1, mb)) }, "[7]"},
	} {
		f := &fresh{}
		f.prove(time.Now().Add(time.Hour))
		c.do(f)
		if got := fmt.Sprint(f.has(t, 40)); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// Another process may own the streams after a while without a sign of life.
func TestFreshBodiesNeedProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fresh{}
		f.keep(written(1, 1, 10))
		if f.body(1) != nil {
			t.Error("a body without proof")
		}
		f.prove(time.Now())
		<-time.After(grace - beat)
		if f.body(1) == nil {
			t.Error("no body within the time of the proof")
		}
		<-time.After(time.Millisecond)
		if f.body(1) != nil {
			t.Error("a body after the time of the proof")
		}
	})
}

// A consumer that follows closely reads what this process wrote: the server is not asked, and
// its copy may be gone. What is done is not read any more.
func TestFreshBodiesAreNotAskedFor(t *testing.T) {
	of, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	of.Start()
	defer of.WaitForShutdown()
	defer of.Shutdown()
	if !of.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	s, err := open(t.Context(), of.ClientURL(), Options{Synced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.fresh.prove(time.Now().Add(time.Hour))
	seqs, err := s.Put(t.Context(), []queue.Record{{Key: queue.Key{1}, Body: []byte("a")}, {Key: queue.Key{2}, Body: []byte("b")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bodies.stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), 0, seqs[:1]); err != nil {
		t.Fatal(err)
	}
	if body, err := s.Body(t.Context(), seqs[0]); !errors.Is(err, queue.ErrUnknown) {
		t.Errorf("a deleted body: %q, error %v", body, err)
	}
	if body, err := s.Body(t.Context(), seqs[1]); string(body) != "b" {
		t.Errorf("%q, error %v", body, err)
	}
}
