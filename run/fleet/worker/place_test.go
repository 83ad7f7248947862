package worker_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
)

// An office is two processes of a coordinator, old and new, of which the new one takes the record
// of the other over, with connections in memory.
type office struct {
	*coordinator
	file      string        // with the address; empty: both are behind one
	slow      time.Duration // each reply takes so long, but that to a call for leases
	awake     context.Context
	freeze    context.CancelFunc // ends awake: the old process does not reply any more
	moved     atomic.Bool        // whoever connects to the one address comes to the new process
	listeners map[string]*pipes

	count  sync.Mutex
	hungUp map[string]int // calls that the worker gave up, by kind
}

// pipes is a listener.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// newOffice returns an office with n problems. The caller must call close.
func newOffice(t *testing.T, n int, file string) (o *office, closing func()) {
	t.Helper()
	o = &office{coordinator: newCoordinator(t, n), file: file, listeners: map[string]*pipes{}, hungUp: map[string]int{}}
	o.awake, o.freeze = context.WithCancel(context.Background())
	var ends []func()
	for _, name := range []string{"old", "new"} {
		l := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
		o.listeners[name] = l
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.reply(name, w, r) })}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(l) })
		ends = append(ends, func() { close(l.closed); server.Close(); serving.Wait() })
	}
	return o, func() {
		for _, end := range ends {
			end()
		}
		pause.For(context.Background(), time.Second) // net/http lets a connection that it closes linger for half of that
	}
}

// dial connects to the process at an address.
func (o *office) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	to := "old"
	if o.file != "" {
		to, _, _ = strings.Cut(addr, ":")
	} else if o.moved.Load() {
		to = "new"
	}
	here, there := net.Pipe()
	select {
	case o.listeners[to].accepted <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-o.listeners[to].closed: // a connection that nobody waits for any more
		return nil, net.ErrClosed
	}
}

// reply answers a call at one of the processes.
func (o *office) reply(name string, w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	if name == "old" {
		defer context.AfterFunc(o.awake, end)()
	}
	to := httptest.NewRecorder()
	if ctx.Err() == nil {
		o.serve(to, r.WithContext(ctx))
	}
	if kind(r) != "POST leases" {
		pause.For(ctx, o.slow)
	}
	if name == "old" && o.awake.Err() != nil {
		o.forget(to.Body.Bytes())
		<-o.listeners[name].closed
		return
	}
	if r.Context().Err() != nil {
		o.count.Lock()
		o.hungUp[kind(r)]++
		o.count.Unlock()
		return
	}
	w.Header().Set(fleet.HeaderProcess, name)
	maps.Copy(w.Header(), to.Header())
	w.WriteHeader(to.Code)
	_, _ = w.Write(to.Body.Bytes())
}

// forget takes leases back of which the worker does not hear, as it does not name them.
func (o *office) forget(reply []byte) {
	var of fleet.Grant
	if strictjson.Unmarshal(reply, &of) == nil && len(of.Leases) > 0 {
		o.set(func() {
			o.again = append(o.again, of.Leases...)
			for _, l := range of.Leases {
				delete(o.open, l.Number)
			}
		})
	}
}

// announce writes the address to the file, if there is one.
func (o *office) announce(host string) {
	if o.file != "" {
		if err := os.WriteFile(o.file, []byte("http://"+host), 0o600); err != nil {
			o.t.Fatal(err)
		}
	}
}

// play starts a worker.
func (o *office) play() *playing {
	o.t.Helper()
	o.announce("old")
	return o.start(func(to *worker.Config) {
		s := to.Settings
		s.Coordinator = "http://service"
		if o.file != "" {
			s.Coordinator = "@" + o.file
		}
		var err error
		if to.Client, err = worker.NewClient(s, "secret", &http.Transport{DialContext: o.dial, MaxIdleConnsPerHost: 6}); err != nil {
			o.t.Fatal(err)
		}
	})
}

// The owner freezes, and a standby takes over: calls without a reply go there.
func TestCallsFollowTheCoordinatorThatTakesOver(t *testing.T) {
	for _, test := range []struct {
		why      string
		file     bool
		problems int
		most     time.Duration // from the takeover until a grant
	}{
		{"an address in a file", true, 0, 10 * time.Second},
		{"an address in a file, and the worker is busy", true, 20, 6 * time.Second},
		{"a load balancer", false, 0, 10 * time.Second},
		{"a load balancer, and the worker is busy", false, 20, 6 * time.Second},
	} {
		t.Run(test.why, func(t *testing.T) {
			file := ""
			if test.file {
				file = filepath.Join(t.TempDir(), "address")
			}
			synctest.Test(t, func(t *testing.T) {
				o, end := newOffice(t, test.problems, file)
				defer end()
				o.slow = 300 * time.Millisecond // so that it freezes with a finish that it has, and no reply
				p := o.play()
				begun := func() bool { return slices.Contains(o.calls, "POST beat") }
				if test.problems > 0 {
					begun = func() bool { return len(o.finished) >= 4 }
				}
				o.until(begun)
				o.freeze()
				pause.For(t.Context(), 4*time.Second)
				o.moved.Store(true)
				o.announce("new")
				began, before := time.Now(), uint64(0)
				o.set(func() { o.left, before = max(o.left, 4), o.last })
				o.until(func() bool { return o.last > before })
				if took := time.Since(began); took > test.most {
					t.Errorf("the first grant came %v after the takeover, want at most %v", took, test.most)
				}
				o.until(func() bool { return o.left+len(o.again)+len(o.open) == 0 })
				synctest.Wait()
				if err := p.end(); err != nil {
					t.Error(err)
				}
				has(t, p.text(), "the coordinator is another process now, at http://", fmt.Sprintf("the run keeps %d groups; 0 leases returned, 0 fenced", len(o.finished)))
				if len(o.told) != 1 {
					t.Errorf("%d registrations, want 1", len(o.told))
				}
			})
		})
	}
}

// A coordinator with too much to do gets each call once, and few more beats.
func TestASlowCoordinatorKeepsItsCalls(t *testing.T) {
	for _, file := range []bool{false, true} {
		name := ""
		if file {
			name = filepath.Join(t.TempDir(), "address")
		}
		synctest.Test(t, func(t *testing.T) {
			o, end := newOffice(t, 1000, name)
			defer end()
			o.slow = 9 * time.Second
			p := o.play()
			pause.For(t.Context(), 10*time.Minute)
			calls, finished := map[string]int{}, 0
			o.set(func() {
				for _, call := range o.calls {
					calls[call]++
				}
				finished = len(o.finished)
				calls["POST finish"] -= finished
				o.cut = true
			})
			o.count.Lock()
			delete(o.hungUp, "POST beat") // those of probes
			if len(o.hungUp) > 0 || calls["POST finish"] > 0 || calls["POST beat"] > 5*600/14 || finished < 100 {
				t.Errorf("file %v: %d groups, calls beyond these %v, given up %v; want each but beats once, and 5 beats each 14 seconds at most", file, finished, calls, o.hungUp)
			}
			o.count.Unlock()
			close(p.cut)
			if err := p.end(); err != nil {
				t.Error(err)
			}
			if strings.Contains(p.text(), "another process") {
				t.Errorf("it moves: %s", p.text())
			}
		})
	}
}

// A worker whose coordinator is gone for good ends, and one whose coordinator answers does not.
func TestAWorkerGivesUp(t *testing.T) {
	for _, test := range []struct {
		why     string
		limit   time.Duration
		away    int    // status of calls after a while
		but     string // is answered
		delay   time.Duration
		between [2]time.Duration // it ends
	}{
		{"nobody answers", 30 * time.Minute, -1, "", time.Second, [2]time.Duration{30 * time.Minute, 31 * time.Minute}},
		{"nobody answers while it plays", 5 * time.Minute, -1, "", time.Hour, [2]time.Duration{5 * time.Minute, 6 * time.Minute}},
		{"the coordinator stays a standby", 5 * time.Minute, http.StatusServiceUnavailable, "", time.Second, [2]time.Duration{5 * time.Minute, 6 * time.Minute}},
		{"a disk stays full", 5 * time.Minute, http.StatusInsufficientStorage, "POST beat", time.Second, [2]time.Duration{}},
		{"it has no limit", 0, -1, "", time.Second, [2]time.Duration{}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCoordinator(t, 50)
				var away atomic.Bool
				c.fault = func(r *http.Request) int {
					if away.Load() && kind(r) != test.but {
						return test.away
					}
					return 0
				}
				p := c.start(func(to *worker.Config) {
					to.Settings.GiveUp = test.limit
					to.Player.Script.Delay = test.delay
				})
				c.until(func() bool { return len(c.open) > 0 })
				away.Store(true)
				began := time.Now()
				select {
				case <-p.done:
				case <-time.After(time.Hour):
				}
				if test.between[1] == 0 {
					select {
					case <-p.done:
						t.Errorf("it ended after %v: %v", time.Since(began), p.err)
					default:
					}
					close(p.cut)
					return
				}
				if took := time.Since(began); took < test.between[0] || took > test.between[1] {
					t.Errorf("it ended after %v, want %v", took, test.between)
				}
				<-p.done
				if p.err == nil {
					t.Fatal("no error")
				}
				has(t, p.err.Error(), fmt.Sprintf("the coordinator has not answered for %v (worker.give_up): ", test.limit))
			})
		})
	}
}

// A worker that waits for its coordinator in the first place gives up, too.
func TestAWorkerGivesUpBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 0)
		c.fault = func(*http.Request) int { return -1 }
		s := worker.Defaults()
		s.Coordinator, s.GiveUp = "http://coordinator", time.Minute
		client, err := worker.NewClient(s, "", c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Play(t.Context(), func(string, ...any) {})
		if err == nil || !strings.Contains(err.Error(), "has not answered for 1m0s (worker.give_up): ") {
			t.Errorf("error %v", err)
		}
	})
}
