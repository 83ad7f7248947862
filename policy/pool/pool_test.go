package pool_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A network has a handler for each host, within the process, as synctest bubbles require.
type network struct {
	mu    sync.Mutex
	hosts map[string]host
}

type host struct {
	http.Handler                 // nil: no answer
	up           context.Context // ends when the handler is replaced
	replace      context.CancelFunc
}

// set replaces the handler of a host; requests in flight to the old one are lost.
func (n *network) set(name string, h http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.hosts[name]; old.replace != nil {
		old.replace()
	}
	up, replace := context.WithCancel(context.Background())
	n.hosts[name] = host{h, up, replace}
}

// RoundTrip implements [http.RoundTripper].
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	h := n.hosts[r.URL.Host]
	n.mu.Unlock()
	defer r.Body.Close()
	if h.Handler == nil {
		return nil, errors.New("connection refused")
	}
	w := httptest.NewRecorder()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(h.up, func() { cancel(errors.New("connection reset")) })()
	h.ServeHTTP(w, r.WithContext(ctx))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return w.Result(), nil
}

// A rack is a pool of fake servers named a, b, …, in a synctest bubble.
type rack struct {
	*network
	*pool.Generator
	t       *testing.T
	servers []*fake.Server
	end     func()
}

// slow configures a server that samples 100 tokens, one every 10 ms.
func slow() fake.Settings {
	c := fake.Defaults()
	c.Length, c.Rate, c.Interval, c.FirstToken = "fixed:100", 100, 1, 0
	return c
}

// newRack starts a rack of n servers; change may be nil.
func newRack(t *testing.T, n int, s fake.Settings, change func(*pool.Config)) *rack {
	t.Helper()
	r := &rack{t: t, network: &network{hosts: map[string]host{}}}
	cfg := pool.Config{Control: true, Server: remote.Config{Transport: r.network}}
	for i := range n {
		server, err := fake.New(fake.Config{Server: s})
		if err != nil {
			t.Fatal(err)
		}
		name := string(rune('a' + i))
		r.servers = append(r.servers, server)
		r.set(name, server)
		cfg.URLs = append(cfg.URLs, "http://"+name)
	}
	if change != nil {
		change(&cfg)
	}
	g, err := pool.NewGenerator(cfg, func(c remote.Config) (pool.Tokens, error) { return engines.NewSGLang(c) })
	if err != nil {
		t.Fatal(err)
	}
	r.Generator = g
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := g.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	r.end = func() { stop(); running.Wait(); g.CloseIdle() }
	synctest.Wait()
	return r
}

// prompt asks for a reply in the conversation of key.
func prompt(key string) policy.Prompt {
	return policy.Prompt{Key: key, Tokens: policy.Encode("How many legs has " + key + "?"), N: 1, Sampling: quintain.Sampling{Temperature: 1}}
}

// states lists the servers' states, such as "a up, b down".
func (r *rack) states() string {
	var all []string
	for _, s := range r.Status().Servers {
		all = append(all, strings.TrimPrefix(s.URL, "http://")+" "+string(s.State))
	}
	return strings.Join(all, ", ")
}

// want checks the states of the servers.
func (r *rack) want(why, states string) {
	r.t.Helper()
	synctest.Wait()
	if got := r.states(); got != states {
		r.t.Errorf("%s: %s, want %s", why, got, states)
	}
}

// generate starts n requests, each of which must be answered, and returns a function that
// waits for them.
func (r *rack) generate(n int) (wait func()) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			outputs, err := r.Generate(r.t.Context(), prompt(fmt.Sprint("p", i)))
			if err != nil || len(outputs) != 1 || outputs[0].Finish != quintain.Stop {
				r.t.Errorf("request %d: %d outputs, error %v", i, len(outputs), err)
			}
		})
	}
	synctest.Wait()
	return all.Wait
}

func TestConversationsAreSpreadAndStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRack(t, 2, slow(), nil)
		defer r.end()
		r.want("at the start", "a up, b up")
		wait := r.generate(100)
		if a, b := r.servers[0].Stats().Running, r.servers[1].Stats().Running; a < 38 || b < 38 || a+b != 100 {
			t.Errorf("%d and %d of 100 requests", a, b)
		}
		wait()
		before := r.servers[0].Stats().Asked
		for _, turn := range []string{"p", "p#3", "p#3", "p#3~1", "p~1"} {
			if _, err := r.Generate(t.Context(), prompt(turn)); err != nil {
				t.Error(err)
			}
		}
		if turns := r.servers[0].Stats().Asked - before; turns != 0 && turns != 5 {
			t.Errorf("one server was asked for %d of 5 turns of one group", turns)
		}
	})
}

// Each answered request counts once, as an exchange of the server that answered it.
func TestExchanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRack(t, 2, slow(), nil)
		defer r.end()
		r.generate(40)()
		all := r.Exchanges()
		if len(all) != 2 || len(all[0])+len(all[1]) != 40 || len(all[0]) != r.servers[0].Stats().Asked {
			t.Fatalf("%d servers, exchanges %v", len(all), all)
		}
		for _, e := range append(all[0], all[1]...) {
			if e.Took < time.Second/2 || e.Took > 2*time.Second || e.Tries != 1 {
				t.Errorf("%+v, want about a second, and one try", e)
			}
		}
		wait := r.generate(20)
		r.set("a", nil)
		wait()
		again := 0
		all = r.Exchanges()
		for _, e := range all[1] {
			again += e.Tries - 1
		}
		if len(all[0]) != 0 || len(all[1]) != 20 || again == 0 {
			t.Errorf("exchanges %v, want 20 of the server that is left, some at the second try", all)
		}
		examined := prompt("p")
		examined.Exam = true
		if _, err := r.Generate(t.Context(), examined); err != nil {
			t.Error(err)
		}
		if all = r.Exchanges(); len(all[1]) != 1 || !all[1][0].Exam {
			t.Errorf("exchanges %v, want one of an evaluation", all)
		}
	})
}

// The requests in flight on a dying server go to another; a server that comes back is used
// again.
func TestAServerThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var again atomic.Int32
		r := newRack(t, 2, slow(), func(c *pool.Config) { c.Server.Told = func(*remote.Error, int) { again.Add(1) } })
		defer r.end()
		wait := r.generate(20)
		lost := r.servers[0].Stats().Running
		r.set("a", nil)
		r.want("one is away", "a down, b up")
		wait()
		if n := r.servers[1].Stats().Asked; n != 20 || int(again.Load()) != lost {
			t.Errorf("the other one was asked for %d replies, %d of %d again", n, again.Load(), lost)
		}
		if f := r.Status().Servers[0].Fault; !strings.Contains(fmt.Sprint(f), "connection refused") {
			t.Errorf("it is down because of %v", f)
		}
		r.set("a", r.servers[0])
		time.Sleep(2 * time.Minute)
		r.want("it is back", "a up, b up")
		before := r.servers[0].Stats().Asked
		r.generate(20)()
		if r.servers[0].Stats().Asked == before {
			t.Error("it is not used again")
		}
	})
}

// A server with good health whose every reply fails is left out, for longer and longer.
func TestAServerThatFailsIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		r := newRack(t, 2, slow(), nil)
		defer r.end()
		r.set("a", http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/generate" {
				r.servers[0].ServeHTTP(w, q)
				return
			}
			asked.Add(1)
			w.WriteHeader(http.StatusInternalServerError)
		}))
		for range 40 {
			r.generate(10)()
		}
		if n := r.servers[1].Stats().Asked; n != 400 || asked.Load() > 40 {
			t.Errorf("the good server was asked %d times, the other one %d times", n, asked.Load())
		}
	})
}

// A server removed from the file gets no new requests, and those in flight may finish; a
// server added is used.
func TestTheFileOfServersIsWatched(t *testing.T) {
	path := t.TempDir() + "/urls"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("http://a\nhttp://b\n")
	synctest.Test(t, func(t *testing.T) {
		s := slow()
		s.Length = "fixed:1000" // ten seconds
		r := newRack(t, 3, s, func(c *pool.Config) { c.URLs, c.File = nil, path })
		defer r.end()
		r.want("at the start", "a up, b up")
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				if _, err := r.Generate(t.Context(), prompt(fmt.Sprint("p", i))); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		write("# a is needed elsewhere\nhttp://b\nhttp://c\nftp://d\n")
		time.Sleep(3 * time.Second)
		r.want("a line has gone, and one has come", "a draining, b up, c up")
		write("http://b\nhttp://a\n")
		time.Sleep(2 * time.Second)
		r.want("they are swapped back", "a up, b up")
		write("http://b\n")
		time.Sleep(2 * time.Second)
		r.want("a drains again", "a draining, b up")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		r.want("it has drained, and the file is away", "b up")
		if n := r.servers[2].Stats().Asked; n != 0 {
			t.Errorf("the server that came and went was asked %d times", n)
		}
	})
}

// While no server is up, requests wait; they end when the pool is stopped.
func TestRequestsWaitForAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		r := newRack(t, 1, slow(), func(c *pool.Config) { c.Server.Stop = stop })
		defer r.end()
		r.set("a", nil)
		var first, second error
		var all sync.WaitGroup
		all.Go(func() { _, first = r.Generate(t.Context(), prompt("p")) })
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if s := r.Status(); s.Waiting != 1 || !strings.Contains(fmt.Sprint(s.Servers[0].Fault), "connection refused") {
			t.Errorf("after a day without a server: %+v", s)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("cut"))
		defer cancel()
		all.Go(func() { _, second = r.Generate(ctx, prompt("p")) })
		time.Sleep(2 * time.Second)
		close(stop)
		all.Wait()
		if fault, ok := errors.AsType[*remote.Error](first); !ok || fault.Kind != remote.Unreachable || !errors.Is(first, quintain.ErrCancelled) || fmt.Sprint(second) != "cut" {
			t.Errorf("errors %v and %v, want the server's missing ability, and the cause", first, second)
		}
		if s := r.Status(); s.Waiting != 0 || s.UnderWay != 0 {
			t.Errorf("still %+v", s)
		}
	})
}

// says wraps a server so that it reports its cache use.
func says(s http.Handler, use func() float64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/metrics" {
			_, _ = fmt.Fprintf(w, "sglang:token_usage %v\nsglang:num_running_reqs 10\n", use())
			return
		}
		s.ServeHTTP(w, q)
	})
}

// When the caches are too full, the youngest replies are interrupted, and later continue;
// no attempt is counted.
func TestOnlyServersThatAreAdmittedAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRack(t, 2, slow(), func(c *pool.Config) {
			c.Admit = func(_ context.Context, url string) error {
				time.Sleep(time.Minute) // meanwhile requests come
				if url == "http://b" {
					return errors.New("another model")
				}
				return nil
			}
		})
		wait := r.generate(20)
		r.want("nobody is admitted yet", "a down, b down")
		wait()
		r.want("one is", "a up, b down")
		r.end() // while episodes in flight may finish
		r.generate(5)()
		if a, b := r.servers[0].Stats().Asked, r.servers[1].Stats().Asked; a != 25 || b != 0 {
			t.Errorf("asked for %d and %d replies, want 25 and 0", a, b)
		}
		r.CloseIdle()
	})
}

func TestRequestsFailFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var again atomic.Int32
		r := newRack(t, 2, slow(), func(c *pool.Config) {
			c.FailFast, c.Server.Retries, c.Server.Told = true, 3, func(*remote.Error, int) { again.Add(1) }
		})
		defer r.end()
		r.set("a", nil)
		r.generate(1)() // by the other one
		r.set("b", nil)
		again.Store(0)
		_, err := r.Generate(t.Context(), prompt("p"))
		if fault, ok := errors.AsType[*remote.Error](err); !ok || fault.Kind != remote.Unreachable || fault.Attempts != 4 || again.Load() != 3 {
			t.Errorf("error %v, %d times again; want their common missing ability, after 3 retries", err, again.Load())
		}
		r.set("a", r.servers[0])
		time.Sleep(2 * time.Minute)
		r.generate(1)()
	})
}

func TestTheYoungestAreContinuedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slow()
		s.Length = "fixed:2000" // twenty seconds
		r := newRack(t, 1, s, func(c *pool.Config) {
			c.Server.Told = func(f *remote.Error, _ int) { t.Errorf("tried again: %v", f) }
		})
		defer r.end()
		start := time.Now()
		r.set("a", says(r.servers[0], func() float64 {
			if d := time.Since(start); d > 9*time.Second && d < 16*time.Second {
				return 0.95
			}
			return 0.7
		}))
		p := exact.New(r.Generator, exact.Bytes{})
		var all sync.WaitGroup
		took := make([]time.Duration, 10)
		for i := range took {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				samples, err := p.Sample(t.Context(), quintain.Request{
					Key: fmt.Sprint("p", i), N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "Hm?"}}, Sampling: quintain.Sampling{Temperature: 1},
				})
				if err != nil || len(samples) != 1 || len(samples[0].Wrote) != 2000 || samples[0].Finish != quintain.Stop {
					t.Errorf("sample %d: %d, error %v", i, len(samples), err)
				}
				took[i] = time.Since(start)
			})
		}
		all.Wait()
		if n := p.Stats().Resumed; n != 3 {
			t.Errorf("%d replies were interrupted, want the youngest 3 of 10: 0.7/0.95 of them stay", n)
		}
		for i, d := range took {
			if late := d > 25*time.Second; late != (i >= 7) {
				t.Errorf("reply %d ended after %v", i, d)
			}
		}
		if limit := r.Status().Limit; limit != 7 {
			t.Errorf("the limit is %d, want 7", limit)
		}
	})
}

// A reply never continues with older weights than it began with.
func TestVersionsNeverFallWithinAReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRack(t, 2, slow(), nil)
		defer r.end()
		update := httptest.NewRequest(http.MethodPost, "/update_weight_version", strings.NewReader(`{"new_version":"5"}`))
		r.servers[1].ServeHTTP(httptest.NewRecorder(), update)
		time.Sleep(2 * time.Second)
		for i := range 20 {
			p := prompt(fmt.Sprint("p", i))
			p.AtLeast = 5
			outputs, err := r.Generate(t.Context(), p)
			if err != nil || outputs[0].Versions[0] != 5 {
				t.Errorf("output %v, error %v", outputs, err)
			}
		}
		if r.servers[0].Stats().Asked == 0 {
			t.Error("no conversation began where the weights are old: the test shows nothing")
		}
	})
}

// The time limit of a reply runs while a server has it, not while it waits here.
func TestTimeLimitsBeginWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRack(t, 1, slow(), func(c *pool.Config) { c.Control, c.Server.MaxInFlight = false, 1 }) // a reply takes about a second
		defer r.end()
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				p := prompt(fmt.Sprint("p", i))
				p.Within = 2 * time.Second
				outputs, err := r.Generate(t.Context(), p)
				if err != nil || outputs[0].Took <= 0 || outputs[0].Took > p.Within {
					t.Errorf("outputs %v, error %v", outputs, err)
				}
			})
		}
		all.Wait()
		late := prompt("late")
		late.Within = time.Second / 2
		if _, err := r.Generate(t.Context(), late); !errors.Is(err, quintain.ErrTimeout) || !errors.Is(err, quintain.ErrFinal) || !strings.Contains(err.Error(), "http://a: too slow: no reply within 500ms") {
			t.Errorf("error %v", err)
		}
	})
}

// Thousands of requests that come at once begin as others end: none is retried, none
// starves, and their time limits do not run while they wait here.
func TestQueuedRequestsBeginAsOthersEnd(t *testing.T) {
	const requests, room = queuedRequests, 512
	synctest.Test(t, func(t *testing.T) {
		s := slow()
		s.Length, s.MaxRunning = "fixed:11", room/2
		r := newRack(t, 2, s, func(c *pool.Config) {
			c.Control, c.Server.MaxInFlight, c.Server.Timeout, c.Server.Retries = false, room, time.Second, -1
		})
		defer r.end()
		start := time.Now()
		var all sync.WaitGroup
		ends := make([]time.Duration, requests)
		for i := range requests {
			all.Go(func() {
				if _, err := r.Generate(t.Context(), prompt(fmt.Sprint("p", i))); err != nil {
					t.Error(err)
				}
				ends[i] = time.Since(start)
			})
		}
		all.Wait()
		a, b := r.servers[0].Stats().Asked, r.servers[1].Stats().Asked
		if took, least := time.Since(start), time.Duration(requests/room)*100*time.Millisecond; took > least*5/4 || a+b != requests {
			t.Errorf("took %v, want %v if both servers are full all the time; asked %d times", took, least, a+b)
		}
	})
}

func TestPoliciesKeepTheirPromises(t *testing.T) {
	t.Parallel()
	config := func(t *testing.T) pool.Config {
		var urls []string
		for range 2 {
			s := fake.Defaults()
			s.Length, s.Rate, s.FirstToken = "uniform:20-90", 0, 0
			server, err := fake.New(fake.Config{Server: s})
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(server)
			t.Cleanup(web.Close)
			urls = append(urls, web.URL+"/v1")
		}
		return pool.Config{URLs: urls}
	}
	run := func(t *testing.T, run func(context.Context) error, closeIdle func()) {
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { _ = run(ctx) })
		t.Cleanup(func() { stop(); running.Wait(); closeIdle() })
	}
	t.Run("by tokens", func(t *testing.T) {
		t.Parallel()
		policytest.Run(t, func(t *testing.T) quintain.Policy {
			g, err := pool.NewGenerator(config(t), func(c remote.Config) (pool.Tokens, error) { return engines.NewSGLang(c) })
			if err != nil {
				t.Fatal(err)
			}
			run(t, g.Run, g.CloseIdle)
			return exact.New(g, exact.Bytes{})
		})
	})
	t.Run("by messages", func(t *testing.T) {
		t.Parallel()
		policytest.Suite{Retells: true, New: func(t *testing.T) quintain.Policy {
			p, err := pool.NewPolicy(config(t), func(c remote.Config) (pool.Chat, error) {
				return engines.NewOpenAI(engines.OpenAIConfig{Server: c, Model: "fake"})
			})
			if err != nil {
				t.Fatal(err)
			}
			run(t, p.Run, p.CloseIdle)
			return p
		}}.Run(t)
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		cfg  pool.Config
		says string
	}{
		{"no server", pool.Config{}, "no server address"},
		{"a bad address", pool.Config{URLs: []string{"http://a", "b"}}, `url is "b"`},
		{"no file", pool.Config{File: "/nonexistent/urls"}, "no such file"},
	} {
		_, err := pool.NewGenerator(test.cfg, func(c remote.Config) (pool.Tokens, error) { return engines.NewSGLang(c) })
		if err == nil || !strings.Contains(err.Error(), "pool: ") || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.says)
		}
	}
}
