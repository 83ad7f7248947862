package hub

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

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
	if _, err := io.WriteString(c, "GET /batch HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
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

// wide is a group of one sequence of length tokens, each of which takes eight bytes
// of JSON but the first, the id.
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
				await(f, func(d *delivery) bool { return d.state == handed && d.attempt == i+1 })
			}
			if _, err := io.ReadFull(c, make([]byte, test.read)); err != nil {
				t.Fatal(err)
			}
			c.SetLinger(0) // reset, as the system does where a program ends with data unread
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
		if st := f.server.Stats(); st.Step != 2 || st.Torn < 2 {
			t.Errorf("%s: step %d after 2 batches, %d torn", test.why, st.Step, st.Torn)
		}
		c.Close()
	}
}

// await waits until a batch is as ok says.
func await(f *fixture, ok func(*delivery) bool) {
	f.t.Helper()
	for range 100_000 {
		f.server.mu.RLock()
		done := slices.ContainsFunc(f.server.open, ok)
		f.server.mu.RUnlock()
		if done {
			return
		}
		<-time.After(100 * time.Microsecond)
	}
	f.t.Fatal("the server does not notice")
}

// awaitTorn waits until the server knows that a reply did not arrive.
func awaitTorn(f *fixture) {
	await(f, func(d *delivery) bool { return d.state == due || d.state == handed && d.by.torn() })
}

// TestWholeReplies holds the hub to taking a batch for received that was: whether its
// connection stays, is closed, or breaks later.
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
	if _, err := io.WriteString(c, "GET /latest_example HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
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
	f := newFixture(t, nil, Config{Drain: 200 * time.Millisecond})
	f.begin(1)
	f.put(wide(1, 500_000))
	addr, end := f.serve()
	idle, fresh, stuck, half := dial(t, addr), dial(t, addr), dial(t, addr), dial(t, addr)
	if _, err := io.WriteString(idle, "GET /info HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := readStatus(idle); err != nil {
		t.Fatal(err)
	}
	ask(t, stuck) // and never reads
	if _, err := io.ReadFull(stuck, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(half, "POST /scored_data HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	end()
	if took := time.Since(start); took > 5*time.Second {
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

func TestRunEndsAtOnce(t *testing.T) {
	f := newFixture(t, nil, Config{Drain: time.Hour})
	addr, end := f.serve()
	idle, fresh := dial(t, addr), dial(t, addr)
	if _, err := io.WriteString(idle, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := readStatus(idle); err != nil {
		t.Fatal(err)
	}
	end()
	idle.Close()
	fresh.Close()
}

func TestRunFails(t *testing.T) {
	f := newFixture(t, nil, Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := f.server.Run(t.Context(), l); err == nil {
		t.Error("a closed listener is no error")
	}
}

func TestStalledBody(t *testing.T) {
	f := newFixture(t, nil, Config{Stall: 50 * time.Millisecond})
	addr, _ := f.serve()
	c := dial(t, addr)
	defer c.Close()
	if _, err := io.WriteString(c, "POST /scored_data HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	status, err := readStatus(c)
	if err != nil || status != http.StatusRequestTimeout {
		t.Errorf("status %d (%v), want 408", status, err)
	}
	c = dial(t, addr)
	defer c.Close()
	if _, err := io.WriteString(c, "GET /info HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, c) // whether the body that nobody wants gets a reply or not, the connection ends
}

func zipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func TestPackedBodies(t *testing.T) {
	f := newFixture(t, nil, Config{Limits: Limits{Body: 4000, Inflated: 10_000}})
	g := group(1, 2, -1)
	bomb := zipped(g + strings.Repeat(" ", 20_000))
	for _, test := range []struct {
		why, body, encoding string
		status              int
		reply               string // its beginning
	}{
		{"plain", g, "", 200, `{"status":"received"}`},
		{"identity", g, "identity", 200, `{"status":"received"}`},
		{"gzip", zipped(g), "gzip", 200, `{"status":"received"}`},
		{"by its other name", zipped(g), "X-GZIP", 200, `{"status":"received"}`},
		{"several members", zipped(g[:10], g[10:20], g[20:]), "gzip", 200, `{"status":"received"}`},
		{"zeros behind", zipped(g) + "\x00\x00\x00", "gzip", 200, `{"status":"received"}`},
		{"rubbish behind", zipped(g) + "rubbish", "gzip", 400, "Invalid gzip payload"},
		{"no gzip", g, "gzip", 400, "Invalid gzip payload"},
		{"not all of one", zipped(g)[:30], "gzip", 400, "Invalid gzip payload"},
		{"a wrong sum", zipped(g)[:len(zipped(g))-8] + "\x00\x00\x00\x00\x00\x00\x00\x00", "gzip", 400, "Invalid gzip payload"},
		{"nothing", "", "gzip", 422, `{"detail":[{"type":"missing"`},
		{"nothing in it", zipped(""), "gzip", 422, `{"detail":[{"type":"missing"`},
		{"a bomb", bomb, "gzip", 413, `{"detail":"the body has more than 10000 bytes when inflated"}`},
		{"too much", strings.Repeat(" ", 4001), "", 413, `{"detail":"the body has more than 4000 bytes `},
		{"zstandard", g, "zstd", 415, `{"detail":`},
	} {
		w := f.do("POST", "/scored_data", test.body, "Content-Encoding: "+test.encoding)
		if w.Code != test.status || !strings.HasPrefix(w.Body.String(), test.reply) {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.reply)
		}
	}
	addr, _ := f.serve()
	c := dial(t, addr)
	defer c.Close()
	// Chunked, without a length.
	fmt.Fprintf(c, "POST /scored_data HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
		5000, strings.Repeat(" ", 5000))
	status, err := readStatus(c)
	if err != nil || status != http.StatusRequestEntityTooLarge {
		t.Errorf("chunks without end: %d (%v), want 413", status, err)
	}
}

func TestPackedReplies(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	for _, test := range []struct {
		why, accept string
		tokens      int
		packed      bool
	}{
		{"a long reply", "gzip, deflate", 1000, true},
		{"a very long one", "br;q=1.0, GZIP;q=0.5", 100_000, true},
		{"not wanted", "deflate", 1000, false},
		{"refused", "gzip;q=0", 1000, false},
		{"refused precisely", "gzip; q=0.00", 100_000, false},
		{"a short one", "gzip", 10, false},
	} {
		f.put(wide(1, test.tokens))
		w := f.do("GET", "/batch", "", "Accept-Encoding: "+test.accept)
		if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != test.packed {
			t.Errorf("%s: packed %v, want %v", test.why, packed, test.packed)
		}
		if vary := w.Header().Get("Vary") != ""; vary != (test.tokens > 10) {
			t.Errorf("%s: varies: %v", test.why, vary)
		}
		body := io.Reader(w.Body)
		if test.packed {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if got := batchIDs(t, body); got != "1" {
			t.Errorf("%s: batch %s", test.why, got)
		}
	}
}

func TestPanic(t *testing.T) {
	f := newFixture(t, nil, Config{})
	all := routes()
	page := func(serve func(*Server, *call)) map[string]route {
		return map[string]route{"GET": {serve, looker}}
	}
	all["/panic"] = page(func(*Server, *call) { panic("oh") })
	all["/half"] = page(func(_ *Server, c *call) { io.WriteString(c.w, "half"); panic("oh") })
	all["/bound"] = page(func(s *Server, c *call) {
		p, err := s.nextBatch(t.Context(), claim{trainer: mainTrainer})
		if err != nil {
			t.Error(err)
		}
		s.deliver(c, p, func(*call, parcel) error { panic("oh") })
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: f.server.handler(all)}
	var serving sync.WaitGroup
	serving.Go(func() { web.Serve(l) })
	defer func() { web.Close(); serving.Wait(); http.DefaultClient.CloseIdleConnections() }()
	get := func(path string) (int, string) {
		reply, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			return 0, ""
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if err != nil {
			return 0, ""
		}
		return reply.StatusCode, string(text)
	}
	f.begin(1)
	f.put(group(1, 1, -1))
	for _, test := range []struct {
		path   string
		status int
		text   string
	}{
		{"/panic", 500, "Internal Server Error"},
		{"/half", 0, ""}, // must not look whole
		{"/bound", 500, "Internal Server Error"},
		{"/", 200, `{"message":"AtroposLib API"}`},
	} {
		if status, text := get(test.path); status != test.status || text != test.text {
			t.Errorf("%s: %d %q, want %d %q", test.path, status, text, test.status, test.text)
		}
	}
	if got := f.batch(); got != "1" {
		t.Errorf("batch %s, want 1: its reply panicked", got)
	}
}

// TestManyAtOnce lets environments and trainers run into each other. Each group comes
// out once.
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
				f.server.Stats()
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
