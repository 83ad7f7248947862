package nats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// behindProxy runs a server behind a proxy.
func behindProxy(t *testing.T) (url string, p *proxy) {
	t.Helper()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	t.Cleanup(stop)
	return url, newProxy(t, strings.TrimPrefix(url, "nats://"))
}

// TestAnOwnerThatWasReplacedIsFenced cuts the owner off, lets another process take over, and
// reconnects the first.
func TestAnOwnerThatWasReplacedIsFenced(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, p := behindProxy(t)
	lost := make(chan error, 1)
	old := openURL(t, p.url(), nats.Options{Lost: func(err error) { lost <- err }})
	queuetest.PutAll(t, old, 5)
	mine, err := old.Lease(ctx, queue.Want{Consumer: "a", Max: 2})
	if err != nil {
		t.Fatal(err)
	}
	p.cutOff()
	heir := openURL(t, url, nats.Options{Standby: true})
	if _, err := heir.Put(ctx, queuetest.Group(5)); err != nil {
		t.Fatal(err)
	}
	list, err := heir.Lease(ctx, queue.Want{Consumer: "b", Max: 1})
	if err == nil {
		err = heir.Ack(ctx, "b", list[0].Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.mend()
	for _, one := range []struct {
		what string
		do   func() error
	}{
		{"ack", func() error { return old.Ack(ctx, "a", mine[0].Seq, mine[1].Seq) }},
		{"put", func() error { _, err := old.Put(ctx, queuetest.Group(6)); return err }},
		{"lease", func() error { _, err := old.Lease(ctx, queue.Want{}); return err }},
		{"state", func() error { return old.SetStates(ctx, []queue.State{{Key: "x"}}) }},
		{"reset", func() error { return old.Reset(ctx) }},
	} {
		if err := one.do(); !errors.Is(err, queue.ErrFenced) || !strings.Contains(err.Error(), "process ") {
			t.Errorf("%s: error %v, want one that names the owner", one.what, err)
		}
	}
	if err := <-lost; !errors.Is(err, queue.ErrFenced) {
		t.Errorf("told of %v", err)
	}
	queuetest.Close(t, old)
	queuetest.Close(t, heir)
	heir = openURL(t, url, nats.Options{})
	defer queuetest.Close(t, heir)
	if got := queuetest.IDs(heir); !slices.Equal(got, []string{"g1", "g2", "g3", "g4", "g5"}) {
		t.Errorf("%v wait", got)
	}
	if s := heir.Stats(); s.Lost > 0 || s.Corrupt > 0 {
		t.Errorf("%+v", s)
	}
}

// TestAnIdleOwnerNoticesItsHeir fences an owner that does nothing.
func TestAnIdleOwnerNoticesItsHeir(t *testing.T) {
	t.Parallel()
	url, p := behindProxy(t)
	lost := make(chan error, 1)
	old := openURL(t, p.url(), nats.Options{Lost: func(err error) { lost <- err }})
	p.cutOff()
	heir := openURL(t, url, nats.Options{Standby: true})
	p.mend()
	if err := <-lost; !errors.Is(err, queue.ErrFenced) {
		t.Errorf("told of %v", err)
	}
	queuetest.Close(t, old)
	queuetest.Close(t, heir)
}

// TestDeletionsOfAFormerOwnerHitNothing tries deletions, which the server cannot refuse.
func TestDeletionsOfAFormerOwnerHitNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, p := behindProxy(t)
	old, err := nats.Open(ctx, p.url(), nats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(ctx, old, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.cutOff()
	heir := openURL(t, url, nats.Options{Standby: true})
	queuetest.PutAll(t, heir, 3)
	if err := heir.SetState(ctx, "x", []byte("new")); err != nil {
		t.Fatal(err)
	}
	p.mend()
	for _, err := range []error{old.Clear(ctx), old.Delete(ctx, 1<<60, nil), old.Rewrite(ctx, nil), old.SetStates(ctx, []queue.State{{Key: "x"}})} {
		if err != nil && !errors.Is(err, queue.ErrFenced) {
			t.Error(err)
		}
	}
	queuetest.Close(t, q)
	queuetest.Close(t, heir)
	heir = openURL(t, url, nats.Options{})
	defer queuetest.Close(t, heir)
	if got := queuetest.IDs(heir); !slices.Equal(got, []string{"g0", "g1", "g2"}) || heir.Stats().Lost > 0 {
		t.Errorf("%v wait, %d lost", got, heir.Stats().Lost)
	}
	if value, err := heir.State(ctx, "x"); string(value) != "new" || err != nil {
		t.Errorf("state %q, error %v", value, err)
	}
}

// TestOneOfManyOpens opens the streams from many processes at once.
func TestOneOfManyOpens(t *testing.T) {
	t.Parallel()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	const many, rounds = 6, 4
	for range rounds {
		stores, errs := make([]queue.Store, many), make([]error, many)
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() { stores[i], errs[i] = nats.Open(t.Context(), url, nats.Options{}) })
		}
		all.Wait()
		owners := 0
		for i, err := range errs {
			switch {
			case err == nil:
				owners++
				if err := stores[i].Close(); err != nil {
					t.Error(err)
				}
			case !errors.Is(err, queue.ErrInUse):
				t.Error(err)
			}
		}
		if owners != 1 {
			t.Errorf("%d processes own the queue", owners)
		}
	}
}

// TestABrokenConnectionCostsNothing breaks the owner's connection for a moment, while
// another process waits for the queue.
func TestABrokenConnectionCostsNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, p := behindProxy(t)
	q := openURL(t, p.url(), nats.Options{})
	defer queuetest.Close(t, q)
	queuetest.PutAll(t, q, 3)
	list, err := q.Lease(ctx, queue.Want{Consumer: "a", Max: 2})
	if err != nil {
		t.Fatal(err)
	}
	p.cutOff()
	mended := time.AfterFunc(time.Second, p.mend)
	defer mended.Stop()
	if _, err := nats.Open(ctx, url, nats.Options{}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("another process: error %v", err)
	}
	if err := q.Ack(ctx, "a", list[0].Seq, list[1].Seq); err != nil {
		t.Errorf("ack: %v", err)
	}
	if fresh, err := q.Put(ctx, queuetest.Group(3)); err != nil || !fresh {
		t.Errorf("put: fresh %t, error %v", fresh, err)
	}
	if got := queuetest.IDs(q); !slices.Equal(got, []string{"g2", "g3"}) {
		t.Errorf("%v wait", got)
	}
}

// messages counts the messages of a stream that a filter passes.
func messages(t *testing.T, js jetstream.JetStream, stream, filter string) (n int) {
	t.Helper()
	st, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := st.Info(t.Context(), jetstream.WithSubjectFilter(filter))
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range info.State.Subjects {
		n += int(more)
	}
	return n
}

// TestAnUnansweredWriteIsDoneOnce loses the server's answers to a put and to an
// acknowledgement.
func TestAnUnansweredWriteIsDoneOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, p := behindProxy(t)
	q := openURL(t, p.url(), nats.Options{})
	defer queuetest.Close(t, q)
	if err := q.Ready(ctx); err != nil { // fills the reserve
		t.Fatal(err)
	}
	js := connect(t, url)
	subjects := func(stream, filter string) int { return messages(t, js, stream, filter) }
	try := func(stream, filter string, before int, do func() error) error {
		for q.Ready(ctx) != nil {
			<-time.After(time.Millisecond)
		}
		p.deafen()
		done := make(chan error)
		go func() { done <- do() }()
		// A write behind another whose answer is lost, too, may be made only after the network is mended.
		for until := time.Now().Add(10 * time.Second); subjects(stream, filter) == before && time.Now().Before(until); {
			<-time.After(time.Millisecond)
		}
		p.cutOff()
		p.mend()
		return <-done
	}
	unanswered := func(stream, filter string, do func() error) {
		t.Helper()
		before := subjects(stream, filter)
		err := try(stream, filter, before, do)
		for errors.Is(err, queue.ErrUnreachable) { // or not be made at all
			err = try(stream, filter, before, do)
		}
		if n := subjects(stream, filter); err != nil || n != before+1 {
			t.Errorf("%s: %d messages more, error %v", stream, n-before, err)
		}
	}
	unanswered("quintain", "quintain.group.*", func() error {
		fresh, err := q.Put(ctx, queuetest.Group(1))
		if err == nil && !fresh {
			err = errors.New("not fresh")
		}
		return err
	})
	list, err := q.Lease(ctx, queue.Want{Consumer: "a"})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d leased, error %v", len(list), err)
	}
	unanswered("quintain-log", "quintain.done", func() error { return q.Ack(ctx, "a", list[0].Seq) })
}

// TestAStandbyTakesOver closes the owner's store.
func TestAStandbyTakesOver(t *testing.T) {
	t.Parallel()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	q := openURL(t, url, nats.Options{})
	queuetest.PutAll(t, q, 2)
	type opened struct {
		store queue.Store
		err   error
	}
	heir := make(chan opened)
	go func() {
		s, err := nats.Open(t.Context(), url, nats.Options{Standby: true})
		heir <- opened{s, err}
	}()
	select {
	case o := <-heir:
		t.Fatalf("the standby does not wait: error %v", o.err)
	case <-time.After(2 * time.Second):
	}
	queuetest.Close(t, q)
	o := <-heir
	if o.err != nil {
		t.Fatal(o.err)
	}
	q, err := queue.Open(t.Context(), o.store, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer queuetest.Close(t, q)
	if got := queuetest.IDs(q); !slices.Equal(got, []string{"g0", "g1"}) {
		t.Errorf("%v wait", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := nats.Open(ctx, url, nats.Options{Standby: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a standby that is told to end: error %v", err)
	}
}

// TestAStandbyWaitsForItsServer opens a queue whose server does not run yet.
func TestAStandbyWaitsForItsServer(t *testing.T) {
	t.Parallel()
	port := freePorts(t, 1)[0]
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	log := &watchedLog{want: "waiting for the NATS server", seen: make(chan struct{})}
	opened := make(chan *queue.Queue)
	go func() {
		opened <- openURL(t, url, nats.Options{Standby: true, Log: slog.New(slog.NewTextHandler(log, nil))})
	}()
	<-log.seen
	_, _, stop := natsServer(t, t.TempDir(), port)
	defer stop()
	queuetest.Close(t, <-opened)
}

// A watchedLog closes seen at the first line that has a text.
type watchedLog struct {
	want string
	seen chan struct{}
	once sync.Once
}

func (l *watchedLog) Write(line []byte) (int, error) {
	if strings.Contains(string(line), l.want) {
		l.once.Do(func() { close(l.seen) })
	}
	return len(line), nil
}

// TestRemove deletes unused streams.
func TestRemove(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	q := openURL(t, url, nats.Options{Name: "one"})
	queuetest.PutAll(t, q, 2)
	if err := nats.Remove(ctx, url, nats.Options{Name: "one"}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("streams in use: error %v", err)
	}
	queuetest.Close(t, q)
	if err := nats.Remove(ctx, url, nats.Options{Name: "one"}); err != nil {
		t.Fatal(err)
	}
	js := connect(t, url)
	for name := range js.StreamNames(ctx).Name() {
		t.Errorf("stream %s is there", name)
	}
}

// Groups of a stream that somebody deletes are lost: the next start says so, once, whether any was
// acknowledged before or not. A running owner ends.
func TestADeletedStreamIsLostGroups(t *testing.T) {
	for _, c := range []struct {
		why     string
		acked   int
		running bool
	}{
		{"before the first acknowledgement", 0, false},
		{"after one", 2, false},
		{"under a running owner", 0, true},
		{"under a running owner, after an acknowledgement", 2, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			url, _, stop := natsServer(t, t.TempDir(), -1)
			defer stop()
			js := connect(t, url)
			var ended error
			q := openURL(t, url, nats.Options{Timeout: time.Second, Lost: func(err error) { ended = err }})
			queuetest.PutAll(t, q, 5)
			if c.acked > 0 {
				list, err := q.Lease(ctx, queue.Want{Consumer: "a", Max: c.acked})
				if err == nil {
					err = q.Ack(ctx, "a", list[0].Seq, list[1].Seq)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !c.running {
				queuetest.Close(t, q)
			}
			soon, end := context.WithTimeout(ctx, 20*time.Second)
			defer end()
			for log, _ := js.Stream(ctx, "quintain-log"); c.running; { // the next sign of life tells the end
				m, err := log.GetLastMsgForSubject(soon, "quintain.state.queue.owner")
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(m.Data), `"bodies":6`) {
					break
				}
			}
			if err := js.DeleteStream(ctx, "quintain"); err != nil {
				t.Fatal(err)
			}
			if c.running {
				_, err := q.Put(ctx, queuetest.Group(7))
				for err != nil && soon.Err() == nil && !errors.Is(err, queue.ErrFenced) {
					_, err = q.Put(ctx, queuetest.Group(7))
				}
				if err == nil || !strings.Contains(err.Error(), "deleted the stream") || ended == nil {
					t.Errorf("put: %v; told of %v", err, ended)
				}
				queuetest.Close(t, q)
			}
			for i := range 3 {
				var log strings.Builder
				s, err := nats.Open(ctx, url, nats.Options{})
				if err == nil {
					q, err = queue.Open(ctx, s, queue.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := q.Stats().Lost; got != uint64(5-c.acked) {
					t.Errorf("start %d: %d groups are lost, want %d", i, got, 5-c.acked)
				}
				if tells := strings.Contains(log.String(), fmt.Sprintf("level=ERROR msg=\"groups are missing: files or streams of the queue were damaged, or another program changed them\" groups=%d ", 5-c.acked)); tells != (i == 0) {
					t.Errorf("start %d: the log says %s", i, &log)
				}
				if got := len(queuetest.IDs(q)); got != i {
					t.Errorf("start %d: %d groups wait, want %d", i, got, i)
				}
				if fresh, err := q.Put(ctx, queuetest.Group(10+i)); !fresh || err != nil {
					t.Errorf("put: %t, %v", fresh, err)
				}
				queuetest.Close(t, q)
			}
		})
	}
}
