package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// memoryServer returns a server with memory bytes for its calls and the routes /echo, /short
// and /hold, which keeps the body until hold is closed.
func memoryServer(t *testing.T, memory int64, hold <-chan struct{}, held chan<- struct{}) *Server {
	read := func(wait bool) func(*Call) error {
		return func(c *Call) error {
			_, err := ReadBody(c, func([]byte) (none struct{}, err error) {
				if wait {
					held <- none
					<-hold
				}
				return none, nil
			})
			if err != nil {
				return err
			}
			return c.JSON(http.StatusOK, []byte("{}"))
		}
	}
	s, err := New(Config{Name: "test", Settings: Settings{Memory: memory}, Routes: []Route{
		{Method: "POST", Path: "/echo", Serve: read(false)}, {Method: "POST", Path: "/hold", Serve: read(true)},
		{Method: "POST", Path: "/short", Serve: func(c *Call) error { c.MaxBody = 10; return read(false)(c) }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// post sends a body, with its length in the header only if it is a *strings.Reader.
func post(s *Server, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, body)
	r.Host = "localhost"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestMemoryIsShared puts off requests that do not fit beside the running ones, keeps some
// memory for small requests, and refuses those that never fit.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	hold, held := make(chan struct{}), make(chan struct{})
	s := memoryServer(t, 16<<20, hold, held) // 7 MiB for requests, 6.1 for large ones
	body := func(mega int) io.Reader { return strings.NewReader(strings.Repeat(" ", mega<<20)) }
	ended := make(chan int)
	go func() { ended <- post(s, "/hold", body(5)).Code }()
	<-held
	for _, test := range []struct {
		why    string
		body   io.Reader
		status int
	}{
		{"a small one", strings.NewReader("{}"), 200},
		{"one that draws on the last eighth", io.MultiReader(body(0), strings.NewReader(strings.Repeat(" ", 1<<18))), 200},
		{"too much beside the other", body(2), 503},
		{"and of unknown length", io.MultiReader(body(2)), 503},
		{"too much alone", body(9), 413},
	} {
		w := post(s, "/echo", test.body)
		if w.Code != test.status || (w.Header().Get("Retry-After") != "") != (test.status == 503) {
			t.Errorf("%s: %d %s, want %d", test.why, w.Code, w.Body, test.status)
		}
	}
	close(hold)
	if status := <-ended; status != 200 {
		t.Errorf("the one under way: %d", status)
	}
	if w := post(s, "/echo", body(2)); w.Code != 200 {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
	if used := s.budget.used.Load(); used != 0 {
		t.Errorf("%d bytes are still taken", used)
	}
	if w := post(s, "/short", strings.NewReader("12345678901")); w.Code != 413 {
		t.Errorf("a body that should be short: %d", w.Code)
	}
}

// TestBodiesGrowAsTheyCome reserves memory for received bytes, not for announced ones.
func TestBodiesGrowAsTheyCome(t *testing.T) {
	t.Parallel()
	s := memoryServer(t, 1<<30, nil, nil)
	for _, test := range []struct {
		announced int64
		came      int
		most      int64 // bytes
	}{
		{200 << 20, 1, leastBuffer},
		{200 << 20, 100_000, 1 << 18},
		{-1, 100_000, 1 << 18},
		{-1, 5_000_000, 1 << 23},
		{100_000, 100_000, 100_001},
		{0, 0, leastBuffer},
	} {
		c := &Call{server: s}
		text := strings.Repeat("some text. ", test.came)[:test.came]
		buf, err := c.fill(strings.NewReader(text), c.buffer(), test.announced)
		if err != nil || string(buf) != text || c.held > test.most || c.held != int64(cap(buf)) {
			t.Errorf("%d of %d bytes: %d, takes %d, at most %d, error %v", test.came, test.announced, len(buf), c.held, test.most, err)
		}
	}
	refused := &Call{server: memoryServer(t, 1<<16, nil, nil)}
	if _, err := refused.fill(strings.NewReader(strings.Repeat("x", 1<<16)), nil, -1); err == nil {
		t.Error("took more than the budget")
	}
}

// TestBombs limits inflated bytes by the size of the gzip, and reserves memory before it
// inflates.
func TestBombs(t *testing.T) {
	t.Parallel()
	s := memoryServer(t, 1<<30, nil, nil)
	for _, test := range []struct {
		why    string
		mega   []int // MiB of each member
		status int
	}{
		{"a small one", []int{1}, 200},
		{"one that fits its size", []int{20}, 200},
		{"one that does not", []int{40}, 413},
		{"several members", []int{7, 7}, 200},
		{"several members, the last one small", []int{20, 0}, 413},
	} {
		packed := zeros(test.mega...)
		if w := post(s, "/echo", strings.NewReader(packed), "Content-Encoding: gzip"); w.Code != test.status {
			t.Errorf("%s, %d bytes: %d %s, want %d", test.why, len(packed), w.Code, w.Body, test.status)
		}
	}
	torn := zeros(20)
	torn = torn[:20] + strings.Repeat("?", len(torn)-24) + torn[len(torn)-4:]
	for memory, want := range map[int64]func(error) bool{
		1 << 30:  func(err error) bool { return errors.Is(err, errGzip) },
		16 << 20: isMemory,
	} {
		c := &Call{server: memoryServer(t, memory, nil, nil)}
		if _, err := c.inflate([]byte(torn)); !want(err) {
			t.Errorf("%d bytes of memory for one that claims more: error %v", memory, err)
		}
	}
}

// zeros is gzip with a member for each size, in MiB.
func zeros(mega ...int) string {
	var b strings.Builder
	for _, n := range mega {
		z := gzip.NewWriter(&b)
		z.Write(make([]byte, n<<20))
		z.Close()
	}
	return b.String()
}

// TestFreeList keeps no more bytes than its limit.
func TestFreeList(t *testing.T) {
	t.Parallel()
	s := NewFreeList[string](10)
	for _, word := range []string{"four", "seven..", "five.", "two"} {
		s.Put(word, len(word))
	}
	for _, want := range []string{"five.", "four", ""} {
		if got, size := s.Get(); got != want || size != len(want) {
			t.Errorf("%q of %d bytes, want %q", got, size, want)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	t.Parallel()
	if n := MachineMemory(); n < 1<<20 || n > 1<<50 {
		t.Errorf("this machine has %d bytes", n)
	}
	for text, want := range map[string]int64{"12\n": 12, "max\n": 1 << 51, "9223372036854771712": 1 << 51, "": 1 << 51, "-1": 1 << 51} {
		if got := byteCount([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if n := (Settings{}).withDefaults().Memory; n < leastMemory {
		t.Errorf("the default is %d bytes", n)
	}
	if err := (&Call{server: memoryServer(t, 2<<20, nil, nil)}).Reserve(2 << 20); !errors.As(err, new(*Error)) {
		t.Errorf("all memory and more: error %v", err)
	}
}
