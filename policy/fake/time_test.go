package fake_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A memory is a network within the process, as synctest bubbles require.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { close(m.done); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.conns <- server:
		return client, nil
	case <-m.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A bubble is a fake server in a synctest bubble.
type bubble struct {
	*fake.Server
	t    *testing.T
	http *http.Client
}

// inBubble calls test with a server in a bubble.
func inBubble(t *testing.T, c fake.Settings, test func(*testing.T, *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := fake.New(fake.Config{Server: c})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		network := &memory{make(chan net.Conn), make(chan struct{})}
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := s.Run(ctx, network); err != nil {
				t.Error(err)
			}
		})
		transport := &http.Transport{DialContext: network.dial}
		test(t, &bubble{s, t, &http.Client{Transport: transport}})
		transport.CloseIdleConnections()
		stop()
		serving.Wait()
	})
}

// connect returns a generator of a kind.
func (b *bubble) connect(kind string) generator {
	g, err := kinds()[kind](remote.Config{URL: "http://fake", Transport: b.http.Transport})
	if err != nil {
		b.t.Fatal(err)
	}
	return g
}

// post posts body to path.
func (b *bubble) post(path, body string) {
	r, err := b.http.Post("http://fake"+path, "application/json", strings.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		b.t.Errorf("%s: status %d", path, r.StatusCode)
	}
}

// slow configures a server that samples a token every 10 ms.
func slow() fake.Settings {
	c := fake.Defaults()
	c.Length, c.Rate, c.Interval, c.FirstToken = "fixed:100", 100, 1, 0
	return c
}

// A reply interrupted for new weights goes on, and reports their version.
func TestInterruptedRepliesAreContinued(t *testing.T) {
	pause := func(pause, update, resume string) func(*bubble) {
		return func(b *bubble) {
			b.post(pause, "{}")
			time.Sleep(2 * time.Second)
			b.post(update, `{"weight_version":"1"}`)
			b.post(resume, "")
		}
	}
	abort := func(b *bubble) { b.post("/update_weight_version", `{"new_version":"1","abort_all_requests":true}`) }
	for _, test := range []struct {
		why, kind string
		interrupt func(*bubble)
		first     int // tokens before the interruption
		version   int32
	}{
		{"aborted after the update", "vllm", abort, 151, 1},
		{"aborted after the update", "vllm native", abort, 151, 1},
		{"aborted after the update", "sglang", abort, 151, 1},
		{"asked again during a pause", "vllm", pause("/pause?mode=abort", "/finish_weight_update", "/resume"), 151, 0},
		{"asked again during a pause", "vllm native", pause("/pause", "/finish_weight_update", "/resume"), 151, 0},
		{"asked again during a pause", "sglang", pause("/pause_generation", "/update_weights_from_disk", "/continue_generation"), 151, 0},
		{"frozen during a pause", "vllm", pause("/pause?mode=keep", "/finish_weight_update", "/resume"), 0, 0},
		{"frozen during a pause", "sglang", func(b *bubble) {
			b.post("/pause_generation", `{"mode":"in_place"}`)
			b.post("/update_weights_from_disk", `{"weight_version":"1"}`)
			b.post("/continue_generation", "")
		}, 0, 0},
	} {
		c := slow()
		c.Length = "fixed:300"
		inBubble(t, c, func(t *testing.T, b *bubble) {
			p := exact.New(b.connect(test.kind), exact.Bytes{})
			var update sync.WaitGroup
			update.Go(func() {
				time.Sleep(1505 * time.Millisecond)
				test.interrupt(b)
			})
			r := quintain.Request{Key: "p1", N: 2, Sampling: quintain.Sampling{Temperature: 1},
				Messages: []quintain.Message{{Role: "user", Content: "How many?"}}}
			samples, err := p.Sample(t.Context(), r)
			update.Wait()
			if err == nil {
				err = policytest.Check(r, samples)
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", test.kind, test.why, err)
			}
			for _, s := range samples {
				if n := len(s.Wrote); n != 300 || test.first > 0 && s.Versions[test.first-1] != 0 || s.Versions[test.first] != test.version {
					t.Errorf("%s, %s: %d tokens, versions %v", test.kind, test.why, n, s.Versions)
				}
			}
			if n := p.Stats().Resumed; (n == 2) != (test.first > 0) {
				t.Errorf("%s, %s: %d continuations", test.kind, test.why, n)
			}
		})
	}
}

// The tokens sampled until the context ends are kept, if the server reports them.
func TestCutRepliesAreKept(t *testing.T) {
	for kind, want := range map[string]int{"vllm": 17, "sglang": 31, "vllm native": 0, "llamacpp": 0} {
		inBubble(t, slow(), func(t *testing.T, b *bubble) {
			cause := errors.New("the run is over")
			ctx, cancel := context.WithCancelCause(t.Context())
			var stop sync.WaitGroup
			stop.Go(func() { time.Sleep(305 * time.Millisecond); cancel(cause) })
			outputs, err := b.connect(kind).Generate(ctx, prompt(1))
			stop.Wait()
			got := 0
			for _, o := range outputs {
				got += len(o.Tokens)
				if o.Finish != quintain.Aborted {
					t.Errorf("%s: finish is %q", kind, o.Finish)
				}
			}
			if err != cause || got != want {
				t.Errorf("%s: %d tokens and error %v, want %d and the cause", kind, got, err, want)
			}
			synctest.Wait()
			if n := b.Stats().Running; n != 0 {
				t.Errorf("%s: %d sequences still run", kind, n)
			}
		})
	}
}

// A server takes its time: for the first token, for the others, and in the queue.
func TestRepliesTakeTheirTime(t *testing.T) {
	c := slow()
	c.FirstToken, c.MaxRunning = 500*time.Millisecond, 2
	inBubble(t, c, func(t *testing.T, b *bubble) {
		g := b.connect("vllm")
		start := time.Now()
		var all sync.WaitGroup
		ends := make([]time.Duration, 5)
		for i := range ends {
			all.Go(func() {
				p := prompt(1)
				p.Tokens[3] = policy.Encode("abcde")[i]
				if _, err := g.Generate(t.Context(), p); err != nil {
					t.Error(err)
				}
				ends[i] = time.Since(start)
			})
		}
		synctest.Wait()
		if n := b.Stats(); n.Running != 2 || n.Waiting != 3 {
			t.Errorf("%d run and %d wait, want 2 and 3", n.Running, n.Waiting)
		}
		all.Wait()
		one := 500*time.Millisecond + 99*10*time.Millisecond
		last := time.Duration(0)
		for _, end := range ends {
			last = max(last, end)
		}
		if last != 3*one {
			t.Errorf("the last of five replies, two at a time, ended after %v, want %v", last, 3*one)
		}
	})
}

// The next request starts when one ends, however many wait.
func TestQueuedRequestsStartAsOthersEnd(t *testing.T) {
	const requests, room = 1000, 50
	c := slow()
	c.Length, c.MaxRunning = "fixed:11", room
	inBubble(t, c, func(t *testing.T, b *bubble) {
		g := b.connect("sglang")
		start := time.Now()
		var all sync.WaitGroup
		for range requests {
			all.Go(func() {
				if _, err := g.Generate(t.Context(), prompt(1)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took, want := time.Since(start), requests/room*100*time.Millisecond; took != want {
			t.Errorf("%d requests, %d at a time, took %v, want %v", requests, room, took, want)
		}
	})
}
