package nats_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(childNode); config != "" {
		node(config)
		return
	}
	if config := os.Getenv(childKeeper); config != "" {
		os.Exit(keep(config))
	}
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait for timers, not for a processor
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// natsServer runs a server on a loopback port, -1 for any free one, until stop is called.
func natsServer(t testing.TB, dir string, port int) (url string, at int, stop func()) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL(), s.Addr().(*net.TCPAddr).Port, func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// connect returns a client of JetStream for the test.
func connect(t testing.TB, url string, options ...natsio.Option) jetstream.JetStream {
	t.Helper()
	nc, err := natsio.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func openURL(t testing.TB, url string, o nats.Options) *queue.Queue {
	t.Helper()
	s, err := nats.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestServer(t *testing.T) {
	t.Parallel()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	n := 0
	queuetest.Run(t, queuetest.Place{New: func(testing.TB) func() (queue.Store, error) {
		n++
		o := nats.Options{Name: fmt.Sprintf("q%d", n)}
		return func() (queue.Store, error) { return nats.Open(context.Background(), url, o) }
	}})
}

func TestServerGoesAndComes(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), t.TempDir()
	url, port, stop := natsServer(t, dir, -1)
	q := openURL(t, url, nats.Options{Timeout: 2 * time.Second})
	defer queuetest.Close(t, q)
	queuetest.PutAll(t, q, 3)
	stop()
	_, err := q.Put(ctx, queuetest.Group(3))
	if !errors.Is(err, queue.ErrUnreachable) && !errors.Is(err, queue.ErrUncertain) {
		t.Errorf("put: error %v", err)
	}
	if _, err = q.Lease(ctx, queue.Want{}); !errors.Is(err, queue.ErrUnreachable) {
		t.Errorf("lease: error %v", err)
	}
	_, _, stop = natsServer(t, dir, port)
	defer stop()
	for { // the client looks for the server four times a second
		_, err := q.Put(ctx, queuetest.Group(3))
		if err == nil {
			break
		}
		if !errors.Is(err, queue.ErrUnreachable) && !errors.Is(err, queue.ErrUncertain) {
			t.Fatal(err)
		}
	}
	if got := queuetest.IDs(q); !slices.Equal(got, []string{"g0", "g1", "g2", "g3"}) {
		t.Errorf("%v wait", got)
	}
}

func TestServerWithLimitsIsRefused(t *testing.T) {
	ctx := context.Background()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	js := connect(t, url)
	_, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "quintain", Subjects: []string{"quintain.group.*"}, AllowAtomicPublish: true, MaxAge: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nats.Open(ctx, url, nats.Options{}); err == nil || !strings.Contains(err.Error(), "would discard") {
		t.Errorf("error %v", err)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	t.Parallel()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	q := openURL(t, url, nats.Options{})
	if _, err := nats.Open(t.Context(), url, nats.Options{}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("streams that have an owner: error %v", err)
	}
	queuetest.Close(t, q)
	queuetest.Close(t, openURL(t, url, nats.Options{}))
}

// A queue is ready while its server takes groups, and again once the server is back.
func TestReadyAsServerIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, port, stop := natsServer(t, dir, -1)
	q := openURL(t, url, nats.Options{Timeout: time.Second})
	if err := q.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	await := func(why string, done func(error) bool) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for !done(q.Ready(t.Context())) {
			<-tick.C
		}
		t.Log(why)
	}
	await("the server has gone", func(err error) bool {
		return errors.Is(err, queue.ErrUnreachable) || errors.Is(err, queue.ErrUncertain)
	})
	_, _, stop = natsServer(t, dir, port)
	defer stop()
	await("the server is back", func(err error) bool { return err == nil })
	if fresh, err := q.Put(t.Context(), queuetest.Group(1)); !fresh || err != nil {
		t.Errorf("fresh %v, error %v", fresh, err)
	}
	queuetest.Close(t, q)
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	if _, err := nats.Open(t.Context(), "nats://127.0.0.1:1", nats.Options{Name: "a.b"}); err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("an invalid name: error %v", err)
	}
	_, err := nats.Open(t.Context(), "nats://user:secret@127.0.0.1:1", nats.Options{})
	if !errors.Is(err, queue.ErrUnreachable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: error %v", err)
	}
}

// A user without a right gets the server's words, soon, and so does a standby, which waits for none.
func TestUserWithoutRights(t *testing.T) {
	for _, c := range []struct{ why, denied, subject, want string }{
		{"no JetStream", "publish", "$JS.API.>", `Publish to "$JS.API.STREAM.INFO.quintain"`},
		{"no answers", "subscribe", "_INBOX.>", `Subscription to "_INBOX.`},
		{"no log", "publish", "quintain.state.>", `Publish to "quintain.state.queue.owner"`},
		{"no listing", "publish", "$JS.API.CONSUMER.>", `Publish to "$JS.API.CONSUMER.CREATE.quintain-log`},
	} {
		for _, standby := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, standby %t", c.why, standby), func(t *testing.T) {
				t.Parallel()
				rights := &server.Permissions{Publish: &server.SubjectPermission{}, Subscribe: &server.SubjectPermission{}}
				if c.denied == "publish" {
					rights.Publish.Deny = []string{c.subject}
				} else {
					rights.Subscribe.Deny = []string{c.subject}
				}
				s, err := server.NewServer(&server.Options{
					Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
					Users: []*server.User{{Username: "a", Password: "b", Permissions: rights}},
				})
				if err != nil {
					t.Fatal(err)
				}
				s.Start()
				defer s.WaitForShutdown()
				defer s.Shutdown()
				if !s.ReadyForConnections(time.Minute) {
					t.Fatal("the server does not start")
				}
				_, err = nats.Open(t.Context(), "nats://a:b@"+s.Addr().String(), nats.Options{Standby: standby, Timeout: time.Minute})
				if err == nil || !strings.Contains(err.Error(), "lacks a right") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "context") {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}
