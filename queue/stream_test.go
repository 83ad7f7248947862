package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/groupform"
	"github.com/quintain-rl/quintain/groupform/groupformtest"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// natsServer runs a server on a port of the loopback, -1 for any free one, until
// stop is called.
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

func openDir(t testing.TB, dir string, o queue.Options) *queue.Queue {
	t.Helper()
	q, err := queue.OpenDir(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// putAll puts the groups of numbers from 0 to n-1, one by one.
func putAll(t testing.TB, q *queue.Queue, n int) {
	t.Helper()
	for i := range n {
		if fresh, err := q.Put(context.Background(), groupformtest.Group(i)); !fresh || err != nil {
			t.Fatalf("group %d: fresh %v, error %v", i, fresh, err)
		}
	}
}

func closeQueue(t testing.TB, q *queue.Queue) {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// ids are the IDs of what waits.
func ids(q *queue.Queue) (list []string) {
	q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			list = append(list, e.ID)
		}
	})
	return list
}

func TestServer(t *testing.T) {
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	n := 0
	queuetest.Run(t, queuetest.Place{New: func(testing.TB) func() (queue.Store, error) {
		n++
		o := queue.Options{Name: fmt.Sprintf("q%d", n)}
		return func() (queue.Store, error) { return queue.URLStore(context.Background(), url, o) }
	}})
}

func TestServerGoesAndComes(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	url, port, stop := natsServer(t, dir, -1)
	o := queue.Options{Timeout: 2 * time.Second}
	q, err := queue.OpenURL(ctx, url, o)
	if err != nil {
		t.Fatal(err)
	}
	defer closeQueue(t, q)
	putAll(t, q, 3)
	stop()
	_, err = q.Put(ctx, groupformtest.Group(3))
	if !errors.Is(err, queue.ErrUnreachable) && !errors.Is(err, queue.ErrUncertain) {
		t.Errorf("put: error %v", err)
	}
	if _, err = q.Lease(ctx, queue.Want{}); !errors.Is(err, queue.ErrUnreachable) {
		t.Errorf("lease: error %v", err)
	}
	_, _, stop = natsServer(t, dir, port)
	defer stop()
	for { // the client looks for the server four times a second
		_, err := q.Put(ctx, groupformtest.Group(3))
		if err == nil {
			break
		}
		if !errors.Is(err, queue.ErrUnreachable) && !errors.Is(err, queue.ErrUncertain) {
			t.Fatal(err)
		}
	}
	if got := ids(q); !slices.Equal(got, []string{"g0", "g1", "g2", "g3"}) {
		t.Errorf("%v wait", got)
	}
}

func TestServerWithLimitsIsRefused(t *testing.T) {
	ctx := context.Background()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "quintain", Subjects: []string{"quintain.group.*"}, AllowAtomicPublish: true, MaxAge: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	if q, err := queue.OpenURL(ctx, url, queue.Options{}); err == nil || !strings.Contains(err.Error(), "would discard") {
		t.Errorf("queue %v, error %v", q, err)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	url, _, stop := natsServer(t, t.TempDir(), -1)
	defer stop()
	for why, open := range map[string]func() (*queue.Queue, error){
		"the folder is locked":         func() (*queue.Queue, error) { return queue.OpenDir(ctx, dir, queue.Options{}) },
		"the owner of streams answers": func() (*queue.Queue, error) { return queue.OpenURL(ctx, url, queue.Options{}) },
	} {
		q, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := open(); !errors.Is(err, queue.ErrInUse) {
			t.Errorf("%s: error %v", why, err)
		}
		closeQueue(t, q)
		if q, err = open(); err != nil {
			t.Errorf("%s, and no more: %v", why, err)
			continue
		}
		closeQueue(t, q)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := queue.OpenDir(ctx, file, queue.Options{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in the place of the folder: error %v", err)
	}
	if _, err := queue.OpenDir(ctx, t.TempDir(), queue.Options{Name: "a.b"}); err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("a name that is none: error %v", err)
	}
	_, err := queue.OpenURL(ctx, "nats://user:secret@127.0.0.1:1", queue.Options{})
	if !errors.Is(err, queue.ErrUnreachable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: error %v", err)
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	ctx := context.Background()
	for format, newer := range map[string]bool{"2": true, "x": false} {
		m := queue.NewMemory()
		if err := m.SetState(ctx, "queue.format", []byte(format)); err != nil {
			t.Fatal(err)
		}
		_, err := queue.Open(ctx, m, queue.Options{})
		if err == nil || errors.Is(err, queue.ErrNewer) != newer {
			t.Errorf("format %s: error %v", format, err)
		}
	}
	m := queue.NewMemory()
	if err := m.Append(ctx, []byte{9, 0}); err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Open(ctx, m, queue.Options{}); !errors.Is(err, queue.ErrNewer) {
		t.Errorf("record of the log: error %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	q := openDir(t, dir, queue.Options{})
	putAll(t, q, 2)
	closeQueue(t, q)

	q = openDir(t, dir, queue.Options{MinFree: 1 << 60})
	_, err := q.Put(ctx, groupformtest.Group(2))
	if !errors.Is(err, queue.ErrNoSpace) || !strings.Contains(err.Error(), dir) {
		t.Errorf("put: error %v", err)
	}
	list, err := q.Lease(ctx, queue.Want{Consumer: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Ack(ctx, "a", list[0].Seq); err != nil {
		t.Errorf("a full disk keeps consumers from acknowledging: %v", err)
	}
	closeQueue(t, q)

	q = openDir(t, dir, queue.Options{})
	defer closeQueue(t, q)
	if fresh, err := q.Put(ctx, groupformtest.Group(2)); !fresh || err != nil {
		t.Errorf("put again: fresh %v, error %v", fresh, err)
	}
	if got := ids(q); !slices.Equal(got, []string{"g1", "g2"}) {
		t.Errorf("%v wait", got)
	}
}

// large returns a group of about the given size in its binary form: noise.
func large(id string, bytes int) *quintain.Group {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]float64, bytes/8)
	tokens := make([]quintain.Token, len(noise))
	for i := range noise {
		noise[i] = r.Float64()
	}
	return &quintain.Group{
		ID: id, Tokens: [][]quintain.Token{tokens}, Masks: [][]int32{make([]int32, len(tokens))},
		Scores: []float64{1}, RefLogProbs: [][]float64{noise},
	}
}

func TestLargeGroups(t *testing.T) {
	ctx := context.Background()
	q := openDir(t, t.TempDir(), queue.Options{})
	defer closeQueue(t, q)
	g := large("large", 30<<20)
	if _, err := q.PutAll(ctx, []*quintain.Group{g, groupformtest.Group(1)}); err != nil {
		t.Fatal(err)
	}
	list, err := q.Lease(ctx, queue.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if d := groupformtest.Diff(g, list[0].Group); d != "" {
		t.Error("a large group comes out changed")
	}
	_, err = q.Put(ctx, large("larger", 90<<20))
	if e := new(groupform.TooLargeError); !errors.As(err, &e) || e.Bytes < e.Limit {
		t.Errorf("one too large: error %v", err)
	}
}

// blocks are the files in which the groups of a folder lie, oldest first.
func blocks(t *testing.T, dir string) []string {
	list, err := filepath.Glob(filepath.Join(dir, "*.groups"))
	if err != nil || len(list) == 0 {
		t.Fatalf("files %v, error %v", list, err)
	}
	return list
}

func TestDamagedFiles(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		why    string
		damage func(b []byte) []byte
	}{
		{"bytes have changed", func(b []byte) []byte {
			copy(b[len(b)/2:], make([]byte, 64))
			return b
		}},
		{"the end is torn off", func(b []byte) []byte { return b[:len(b)*3/4] }},
	} {
		dir := t.TempDir()
		q := openDir(t, dir, queue.Options{})
		putAll(t, q, 40)
		last, err := q.Lease(ctx, queue.Want{Consumer: "a", Pick: func(w []queue.Entry) []queue.Entry { return w[39:] }})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Ack(ctx, "a", last[0].Seq); err != nil {
			t.Fatal(err)
		}
		closeQueue(t, q)
		name := blocks(t, dir)[0]
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, test.damage(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		var before queue.Stats
		for i := range 2 {
			q = openDir(t, dir, queue.Options{})
			s := q.Stats()
			t.Logf("%s: %d wait, %d are missing", test.why, s.Waiting.Groups, s.Lost)
			if s.Lost == 0 || s.Waiting.Groups+int(s.Lost) != 39+i {
				t.Errorf("%s: %d wait and %d are missing, of 39", test.why, s.Waiting.Groups, s.Lost)
			}
			if i == 1 && (s.Waiting.Groups != before.Waiting.Groups+1 || s.Lost != before.Lost) {
				t.Errorf("%s: opened again, %+v wait and %d are missing, after %+v and %d", test.why, s.Waiting, s.Lost, before.Waiting, before.Lost)
			}
			before = s
			if i == 0 { // takes a number that the log knows, where the end is lost
				if fresh, err := q.Put(ctx, groupformtest.Group(100)); !fresh || err != nil {
					t.Errorf("%s: put: fresh %v, error %v", test.why, fresh, err)
				}
			}
			if fresh, err := q.Put(ctx, groupformtest.Group(39)); fresh || err != nil {
				t.Errorf("%s: an acknowledged group: fresh %v, error %v", test.why, fresh, err)
			}
			closeQueue(t, q)
		}
	}
}
