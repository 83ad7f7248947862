package web_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer returns a server with the given routes beside /echo, /long and /skip.
func newServer(t testing.TB, c web.Config) *web.Server {
	t.Helper()
	c.Name = "test"
	c.Routes = append(c.Routes,
		web.Route{Method: "POST", Path: "/echo", For: "writer", Serve: echo},
		web.Route{Method: "POST", Path: "/skip", Serve: func(c *web.Call) error { c.SkipBody(); return c.JSON(200, []byte("{}")) }},
		web.Route{Method: "GET", Path: "/long", Serve: func(c *web.Call) error { return c.JSON(200, bytes.Repeat([]byte(" "), 1<<20)) }},
		web.Route{Method: "GET", Path: "/", Serve: func(c *web.Call) error { return c.JSON(200, []byte(`{"root":true}`)) }},
	)
	s, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// echo answers with the body of the request.
func echo(c *web.Call) error {
	text, err := web.ReadBody(c, func(b []byte) (string, error) { return string(b), nil })
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, []byte(text))
}

// do makes a request without a socket; headers are "Name: value".
func do(s http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	return doIn(context.Background(), s, method, path, strings.NewReader(body), headers...)
}

// doIn is do with a context and any body.
func doIn(ctx context.Context, s http.Handler, method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, path, body)
	r.Host = "localhost"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// dial opens a connection and writes a text to it.
func dial(t *testing.T, addr, text string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// readStatus reads the head of a reply and returns its status.
func readStatus(c net.Conn) (int, error) {
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	return reply.StatusCode, reply.Body.Close()
}

// zipped is gzip with a member for each text.
func zipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	show := func(c *web.Call) error {
		return c.JSON(200, fmt.Appendf(nil, `%s a=%s b=%s`, c.Route, c.Param("a"), c.Param("b")))
	}
	s := newServer(t, web.Config{Routes: []web.Route{
		{Method: "GET", Path: "/things", Serve: show},
		{Method: "GET", Path: "/things/{a}", Serve: show},
		{Method: "PUT", Path: "/things/{a}", Serve: show},
		{Method: "GET", Path: "/things/{a}/parts/{b}", Serve: show},
		{Method: "GET", Path: "/things/all/parts", Serve: show},
		{Method: "GET", Path: "/page", Serve: show, Page: true},
		{Method: "POST", Path: "/{a}", Serve: show},
	}})
	for _, test := range []struct {
		why, method, path string
		status            int
		reply             string
	}{
		{"the root", "GET", "/", 200, `{"root":true}`},
		{"a path", "GET", "/things", 200, "/things a= b="},
		{"a parameter", "GET", "/things/x", 200, "/things/{a} a=x b="},
		{"another method", "PUT", "/things/x", 200, "/things/{a} a=x b="},
		{"two parameters", "GET", "/things/x/parts/y", 200, "/things/{a}/parts/{b} a=x b=y"},
		{"a word goes before a parameter", "GET", "/things/all/parts", 200, "/things/all/parts a= b="},
		{"a method that is not there", "POST", "/things", 405, `{"detail":"Method Not Allowed"}`},
		{"HEAD is one", "HEAD", "/things", 405, `{"detail":"Method Not Allowed"}`},
		{"HEAD of a page", "HEAD", "/page", 200, "/page a= b="}, // net/http leaves out the body
		{"an empty parameter", "GET", "/things//parts/y", 404, `{"detail":"Not Found"}`},
		{"the middle of a path", "GET", "/things/x/parts", 404, `{"detail":"Not Found"}`},
		{"more than a path", "GET", "/things/x/parts/y/z", 404, `{"detail":"Not Found"}`},
		{"a slash too many", "GET", "/things/?q=1", 307, ""},
		{"a slash too many after a question mark", "GET", "/things/a%3Fb%23c/?q=1", 307, ""},
		{"a slash after nothing", "GET", "/no/thing/", 404, `{"detail":"Not Found"}`},
		{"another method of a parameter alone", "GET", "/nothing", 404, `{"detail":"Not Found"}`},
		{"its own", "POST", "/nothing", 200, "/{a} a=nothing b="},
		{"slashes alone", "GET", "//", 404, `{"detail":"Not Found"}`},
	} {
		w := do(s, test.method, "http://localhost"+test.path, "")
		if w.Code != test.status || w.Body.String() != test.reply {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.reply)
		}
		if test.status == 405 && w.Header().Get("Allow") == "" {
			t.Errorf("%s: does not say what is allowed", test.why)
		}
		if want := strings.Replace(test.path, "/?", "?", 1); test.status == 307 && w.Header().Get("Location") != want {
			t.Errorf("%s: goes to %q, want %q", test.why, w.Header().Get("Location"), want)
		}
	}
}

// Compute does not run for a client that has gone.
func TestNothingIsComputedForThoseWhoWent(t *testing.T) {
	t.Parallel()
	computed := 0
	s := newServer(t, web.Config{Routes: []web.Route{{Method: "GET", Path: "/sum", Serve: func(c *web.Call) error {
		err := c.Compute(func() error { computed++; return nil })
		if err != nil {
			return err
		}
		return c.JSON(200, []byte("{}"))
	}}}})
	for _, gone := range []bool{false, true} {
		ctx, leave := context.WithCancel(t.Context())
		if gone {
			leave()
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/sum", nil))
		leave()
		if want := map[bool]int{false: 200, true: 408}[gone]; w.Code != want || computed != 1 {
			t.Errorf("gone: %v: status %d after %d computed, want %d after 1", gone, w.Code, computed, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	twice := []web.Route{{Method: "GET", Path: "/a/{b}"}, {Method: "GET", Path: "/a/{b}"}}
	for why, c := range map[string]web.Config{
		"a route twice":           {Routes: twice},
		"routes that differ only": {Routes: []web.Route{{Method: "GET", Path: "/a/{b}"}, {Method: "PUT", Path: "/a/{c}"}}},
		"an empty key":            {Keys: []web.Key{{Role: web.Admin}}},
		"a key without a role":    {Keys: []web.Key{{Secret: "x"}}},
		"a key for anyone":        {Keys: []web.Key{{Role: web.AnyKey, Secret: "x"}}},
	} {
		if _, err := web.New(c); err == nil {
			t.Errorf("%s: taken", why)
		}
	}
}

func TestPackedBodies(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{Settings: web.Settings{MaxBody: 400, MaxInflated: 1000}})
	const text = `{"a":"some text"}`
	for _, test := range []struct {
		why, body, encoding string
		status              int
		reply               string // its beginning
	}{
		{"plain", text, "", 200, text},
		{"identity", text, "identity", 200, text},
		{"gzip", zipped(text), "gzip", 200, text},
		{"by its other name", zipped(text), "X-GZIP", 200, text},
		{"several members", zipped(text[:4], text[4:8], text[8:]), "gzip", 200, text},
		{"zeros after it", zipped(text) + "\x00\x00\x00", "gzip", 200, text},
		{"rubbish after it", zipped(text) + "rubbish", "gzip", 400, "Invalid gzip payload"},
		{"not gzip", text, "gzip", 400, "Invalid gzip payload"},
		{"not a whole one", zipped(text)[:20], "gzip", 400, "Invalid gzip payload"},
		{"a wrong sum", zipped(text)[:len(zipped(text))-8] + "\x00\x00\x00\x00\x00\x00\x00\x00", "gzip", 400, "Invalid gzip payload"},
		{"nothing", "", "gzip", 200, ""},
		{"nothing in it", zipped(""), "gzip", 200, ""},
		{"a bomb", zipped(strings.Repeat(" ", 20_000)), "gzip", 413, `{"detail":"the body has more than 1000 bytes when inflated"}`},
		{"too much", strings.Repeat(" ", 401), "", 413, `{"detail":"the body has more than 400 bytes"}`},
		{"zstandard", text, "zstd", 415, `{"detail":`},
	} {
		w := do(s, "POST", "/echo", test.body, "Content-Encoding: "+test.encoding)
		if w.Code != test.status || !strings.HasPrefix(w.Body.String(), test.reply) {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.reply)
		}
	}
	addr, _ := webtest.Serve(t, s)
	c := dial(t, addr, fmt.Sprintf("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", 5000, strings.Repeat(" ", 5000)))
	defer c.Close()
	if status, err := readStatus(c); err != nil || status != http.StatusRequestEntityTooLarge {
		t.Errorf("chunks of unknown length: %d (%v), want 413", status, err)
	}
}

func TestPackedReplies(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{})
	for _, test := range []struct {
		why, accept string
		size        int
		packed      bool
	}{
		{"a long reply", "gzip, deflate", 5000, true},
		{"a very long one", "br;q=1.0, GZIP;q=0.5", 500_000, true},
		{"not wanted", "deflate", 5000, false},
		{"refused", "gzip;q=0", 5000, false},
		{"refused precisely", "gzip; q=0.00", 500_000, false},
		{"a short one", "gzip", 10, false},
	} {
		text := strings.Repeat("x", test.size)
		w := do(s, "POST", "/echo", text, "Accept-Encoding: "+test.accept)
		if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != test.packed {
			t.Errorf("%s: packed %v, want %v", test.why, packed, test.packed)
		}
		if vary := w.Header().Get("Vary") != ""; vary != (test.size > 10) {
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
		if got, err := io.ReadAll(body); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes came, error %v", test.why, len(got), err)
		}
	}
}

// TestPrinter writes a reply in pieces of all sizes.
func TestPrinter(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	s := newServer(t, web.Config{Routes: []web.Route{{Method: "GET", Path: "/pieces", Serve: func(c *web.Call) error {
		p := c.Printer(http.StatusAccepted)
		for i := range 200 {
			piece := strings.Repeat(string(rune('a'+i%26)), 1+i*i*10)
			want.WriteString(piece)
			if _, err := io.WriteString(p, piece); err != nil {
				t.Error(err)
			}
		}
		return p.Close()
	}}}})
	if w := do(s, "GET", "/pieces", ""); w.Code != http.StatusAccepted || w.Body.String() != want.String() {
		t.Errorf("%d, %d bytes, want %d", w.Code, w.Body.Len(), want.Len())
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{Routes: []web.Route{
		{Method: "GET", Path: "/panic", Serve: func(*web.Call) error { panic("oh") }},
		{Method: "GET", Path: "/half", Serve: func(c *web.Call) error { io.WriteString(c.W, "half"); panic("oh") }},
		{Method: "GET", Path: "/broken", Serve: func(c *web.Call) error { io.WriteString(c.W, "half"); return errors.New("oh") }},
	}})
	addr, _ := webtest.Serve(t, s)
	defer http.DefaultClient.CloseIdleConnections()
	get := func(path string) (int, string) {
		reply, err := http.Get("http://" + addr + path)
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
	for _, test := range []struct {
		path   string
		status int
		text   string
	}{
		{"/panic", 500, "Internal Server Error"},
		{"/half", 0, ""}, // must not look whole
		{"/broken", 0, ""},
		{"/", 200, `{"root":true}`},
	} {
		if status, text := get(test.path); status != test.status || text != test.text {
			t.Errorf("%s: %d %q, want %d %q", test.path, status, text, test.status, test.text)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{})
	do(s, "POST", "/echo", "12345")
	do(s, "GET", "/nope", "")
	do(s, "BREW", "/", "")
	page := newServer(t, web.Config{Routes: []web.Route{{Method: "GET", Path: "/metrics", Serve: s.Metrics}}})
	text := do(page, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`quintain_test_http_requests_total{method="POST",route="/echo",status="200"} 1`,
		`quintain_test_http_requests_total{method="GET",route="none",status="404"} 1`,
		`quintain_test_http_requests_total{method="other",route="none",status="405"} 1`,
		`quintain_test_http_request_seconds_bucket{method="POST",route="/echo",le="+Inf"} 1`,
		`quintain_test_http_request_bytes_total{route="/echo"} 5`, `quintain_test_http_response_bytes_total{route="/echo"} 5`,
		"quintain_test_connections_refused_total 0", "go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}

// TestComputeLeavesAProcessor runs as many calls as there are slots, and no more.
func TestComputeLeavesAProcessor(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{})
	if s.ComputeSlots() < 1 {
		t.Fatalf("%d slots", s.ComputeSlots())
	}
	busy, leave := make(chan struct{}), make(chan struct{})
	ended := make(chan struct{}, s.ComputeSlots()+1)
	for range s.ComputeSlots() + 1 {
		go func() {
			s.Compute(func() { busy <- struct{}{}; <-leave })
			ended <- struct{}{}
		}()
	}
	for range s.ComputeSlots() {
		<-busy
	}
	select {
	case <-busy:
		t.Error("one more call runs than there are slots")
	case <-time.After(10 * time.Millisecond):
	}
	close(leave)
	<-busy
	for range s.ComputeSlots() + 1 {
		<-ended
	}
}

// FuzzGzip sends arbitrary bytes as gzip.
func FuzzGzip(f *testing.F) {
	f.Add([]byte(zipped("some text")))
	f.Add([]byte(zipped("some", "text") + "\x00\x00"))
	f.Add([]byte(zipped(strings.Repeat(" ", 1<<16))))
	s := newServer(f, web.Config{Settings: web.Settings{MaxInflated: 1 << 15}})
	f.Fuzz(func(t *testing.T, body []byte) {
		switch w := do(s, "POST", "/echo", string(body), "Content-Encoding: gzip"); w.Code {
		case 200, 400, 413:
		default:
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// FuzzPaths asks for arbitrary paths.
func FuzzPaths(f *testing.F) {
	s := newServer(f, web.Config{Routes: []web.Route{{Method: "GET", Path: "/a/{b}/c/{d}", Serve: func(c *web.Call) error { return c.Text(200, c.Param("b")+c.Param("d")) }}}})
	for _, path := range []string{"/a/b/c/d", "/a//c", "/a/{b}/c/{d}/", "//", "/%2f"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 307 && w.Code != 404 && w.Code != 405 {
			t.Fatalf("%q: %d %s", path, w.Code, w.Body)
		}
	})
}
