package hub

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// dial opens a connection to a hub.
func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// ask sends a request for a batch.
func ask(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := io.WriteString(c, "GET /batch HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
}

// fetch asks for a batch and reads all of it.
func fetch(t *testing.T, c net.Conn) string {
	t.Helper()
	ask(t, c)
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	return batchIDs(t, reply.Body)
}

// wide is a group of one sequence of length tokens of eight bytes of JSON each, except the
// first, the id.
func wide(id, length int) string {
	row := fmt.Sprint(id) + strings.Repeat(",1234567", length-1)
	return fmt.Sprintf(`{"tokens":[[%s]],"masks":[[%s]],"scores":[1]}`, row, row)
}

func TestTornReplies(t *testing.T) {
	for _, test := range []struct {
		why    string
		tokens int // of each of two groups
		read   int // bytes of the reply that the trainer reads before it hangs up
	}{
		{"in the middle of a long reply", 500_000, 1000},
		{"with a short reply unread", 10, 0},
		{"with a short reply half read", 1000, 100},
	} {
		f := newFixture(t, nil, Config{})
		f.begin(2)
		f.put(wide(1, test.tokens), wide(2, test.tokens), group(3, 2, -1))
		addr, _ := f.serve()
		for i := range 2 {
			c := dial(t, addr)
			ask(t, c)
			if test.read == 0 {
				await(f, func(d *batch) bool { return d.state == handed && d.attempt == i+1 })
			}
			if _, err := io.ReadFull(c, make([]byte, test.read)); err != nil {
				t.Fatal(err)
			}
			c.SetLinger(0) // closes with a reset, as the system does if a program ends with data unread
			c.Close()
			awaitTorn(f)
		}
		c := dial(t, addr)
		if got := fetch(t, c); got != "1 2" {
			t.Errorf("%s: batch %s, want 1 2 again", test.why, got)
		}
		if got := fetch(t, c); got != "3" {
			t.Errorf("%s: then %s, want 3", test.why, got)
		}
		if st := f.run.Stats(); st.Step != 2 || st.Torn < 2 {
			t.Errorf("%s: step %d after 2 batches, %d torn", test.why, st.Step, st.Torn)
		}
		c.Close()
	}
}

// await waits until ok holds for a batch.
func await(f *fixture, ok func(*batch) bool) {
	f.t.Helper()
	for range 3_000_000 {
		f.run.batches.mu.RLock()
		done := slices.ContainsFunc(f.run.batches.open, ok)
		f.run.batches.mu.RUnlock()
		if done {
			return
		}
		<-time.After(100 * time.Microsecond)
	}
	f.t.Fatal("the server does not notice")
}

// awaitTorn waits until the server knows that a reply did not arrive.
func awaitTorn(f *fixture) {
	await(f, func(d *batch) bool { return d.state == due || d.state == handed && d.by.Torn() })
}

// TestWholeReplies reads whole replies: the batch counts as delivered, whether the
// connection stays, closes or breaks later.
func TestWholeReplies(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	addr, _ := f.serve()
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1), group(4, 1, -1))
	c := dial(t, addr)
	if got := fetch(t, c); got != "1" {
		t.Errorf("batch %s, want 1", got)
	}
	c.Close() // all of it read
	c = dial(t, addr)
	if got := fetch(t, c); got != "2" {
		t.Errorf("batch %s, want 2", got)
	}
	if _, err := io.WriteString(c, "GET /latest_example HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	c.SetLinger(0) // in the middle of another reply
	c.Close()
	c = dial(t, addr)
	if got := fetch(t, c); got != "3" {
		t.Errorf("batch %s, want 3", got)
	}
	if got := fetch(t, c); got != "4" {
		t.Errorf("batch %s, want 4", got)
	}
	c.Close()
}

func TestTwoTrainers(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(wide(1, 500_000), group(2, 1, -1), group(3, 1, -1))
	addr, _ := f.serve()
	slow, quick := dial(t, addr), dial(t, addr)
	ask(t, slow)
	if _, err := io.ReadFull(slow, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2", "3", "null"} { // while the first reply is under way
		if got := fetch(t, quick); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
	}
	slow.SetLinger(0)
	slow.Close()
	awaitTorn(f)
	if got := fetch(t, quick); got != "1" {
		t.Errorf("batch %s, want 1: its first trainer has gone", got)
	}
	quick.Close()
}

func TestRunEnds(t *testing.T) {
	f := newFixture(t, nil, Config{Web: web.Settings{Drain: 200 * time.Millisecond}})
	f.begin(1)
	f.put(wide(1, 500_000))
	addr, end := f.serve()
	idle, fresh, stuck, half := dial(t, addr), dial(t, addr), dial(t, addr), dial(t, addr)
	if _, err := io.WriteString(idle, "GET /info HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := readStatus(idle); err != nil {
		t.Fatal(err)
	}
	ask(t, stuck) // never read
	if _, err := io.ReadFull(stuck, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(half, "POST /scored_data HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	end()
	if took := time.Since(start); took > time.Minute {
		t.Errorf("ending took %v", took)
	}
	for _, c := range []net.Conn{idle, fresh, stuck, half} {
		c.Close()
	}
	f.stop = func() {}
	if err := f.config.Queue.Close(); err != nil {
		t.Error(err)
	}
	f.start()
	if got := f.batch(); got != "1" {
		t.Errorf("batch %s, want 1: its reply was cut", got)
	}
}

// TestPanicWhileDelivering hands out again a batch with a panicking reply.
func TestPanicWhileDelivering(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1))
	broken, err := web.New(web.Config{Name: "test", Routes: []web.Route{{Method: "GET", Path: "/", Serve: func(c *web.Call) error {
		p, err := f.run.nextBatch(t.Context(), claim{trainer: unnamedTrainer})
		if err != nil {
			t.Error(err)
		}
		return f.run.deliver(c, p, func(*web.Call, *replyGroups) error { panic("oh") })
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	broken.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := f.batch(); got != "1" {
		t.Errorf("batch %s, want 1: its reply panicked", got)
	}
}

// TestPackedBatch uses gzip both ways.
func TestPackedBatch(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, wide(1, 1000))
	z.Close()
	if w := f.do("POST", "/scored_data", b.String(), "Content-Encoding: gzip"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := f.do("GET", "/batch", "", "Accept-Encoding: gzip")
	back, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := batchIDs(t, back); got != "1" {
		t.Errorf("batch %s, want 1", got)
	}
}

// TestManyAtOnce runs environments and trainers concurrently. Each group comes out once.
func TestManyAtOnce(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	for range 4 {
		f.env(4, "null")
	}
	addr, _ := f.serve()
	const posters, each = 4, 60
	var posting, polling sync.WaitGroup
	for p := range posters {
		posting.Go(func() {
			for i := range each {
				id := p*each + i + 1
				size := 4
				if i%3 == 0 {
					size = 2 // held, in pairs
				}
				if w := f.do("POST", "/scored_data", group(id, size, p)); w.Code != 200 {
					t.Errorf("post: %d %s", w.Code, w.Body)
				}
				f.do("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, p))
				f.run.Stats()
			}
		})
	}
	var mu sync.Mutex
	seen := make(map[string]int)
	done := make(chan struct{})
	for range 2 {
		polling.Go(func() {
			c := dial(t, addr)
			defer c.Close()
			for {
				got := fetch(t, c)
				if got == "null" {
					select {
					case <-done:
						return
					default:
						continue
					}
				}
				mu.Lock()
				for _, id := range strings.Fields(got) {
					seen[id]++
				}
				mu.Unlock()
			}
		})
	}
	posting.Wait()
	close(done)
	polling.Wait()
	for id, n := range seen {
		if n != 1 {
			t.Errorf("group %s came %d times", id, n)
		}
	}
	if len(seen) != posters*each {
		t.Errorf("%d groups came of %d", len(seen), posters*each)
	}
}

// BenchmarkPost measures a post of one group, without a socket or a disk.
func BenchmarkPost(b *testing.B) {
	q, err := queue.Open(b.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(Config{Queue: q})
	if err != nil {
		b.Fatal(err)
	}
	f := &fixture{server: s}
	body := wide(1234, 20_000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		f.do("POST", "/scored_data", body)
	}
	if err := q.Close(); err != nil {
		b.Fatal(err)
	}
}

// readStatus reads the head of a reply and returns its status.
func readStatus(c net.Conn) (int, error) {
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	return reply.StatusCode, reply.Body.Close()
}
