package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A client that asks again waits for the reply under way, however long it takes; one that
// nobody waits for ends, which is no failure of the policy.
func TestAbandonedCalls(t *testing.T) {
	for _, again := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			_, p, s := inBubble(t)
			p.hold = make(chan struct{})
			req := &dialect.Request{N: 1, Messages: []quintain.Message{user("?")}}
			f, _, err := s.begin(req, tree.Digest{1}, false)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			s.arrived(f, false)
			time.Sleep(time.Second)
			if again {
				if same, _, err := s.begin(req, tree.Digest{1}, true); same != f || err != nil {
					t.Fatalf("the retry got another flight, error %v", err)
				}
			}
			time.Sleep(5 * time.Minute)
			close(p.hold)
			<-f.done
			s.mu.Lock()
			defer s.mu.Unlock()
			if again && f.err != nil || !again && f.err == nil {
				t.Errorf("asked again %v: error %v", again, f.err)
			}
			if len(s.failures) > 0 {
				t.Errorf("asked again %v: the policy is blamed: %v", again, s.failures)
			}
		})
	}
}

// A session that ends while its engine hangs is not one that its agent failed.
func TestSessionsThatEndWhileTheEngineHangs(t *testing.T) {
	for _, test := range []struct {
		why  string
		end  End
		gone bool // the client gives up before the end
		want quintain.Outcome
	}{
		{"its client waits", End{}, false, quintain.InfraFailed},
		{"its client gave up", End{Failed: failedAgent, Why: "timeout"}, true, quintain.InfraFailed},
		{"its caller cancels it", End{Failed: failedCancelled}, false, quintain.Cancelled},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, p, s := inBubble(t)
			p.hold = make(chan struct{})
			f, _, err := s.begin(&dialect.Request{N: 1, Messages: []quintain.Message{user("?")}}, tree.Digest{1}, false)
			if err != nil {
				t.Fatal(err)
			}
			leave := func() { s.arrived(f, false) }
			time.Sleep(time.Minute)
			if test.gone {
				leave()
			}
			if err := g.End(t.Context(), s.id, test.end); err != nil {
				t.Fatal(err)
			}
			<-f.done
			if !test.gone {
				leave()
			}
			r := <-g.host.(*desk).results
			if got := r.Trajectories[0]; got.Outcome != test.want {
				t.Errorf("%s: %s: %s", test.why, got.Outcome, got.Error)
			}
		})
	}
}

// inBubble runs a gateway without a port, with one session.
func inBubble(t *testing.T) (*Gateway, *parrot, *session) {
	t.Helper()
	g, err := New(Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")})
	if err != nil {
		t.Fatal(err)
	}
	p := &parrot{}
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() {
		if err := g.Run(ctx, Player{Policy: p}, &desk{results: make(chan rollout.Result, 9)}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); run.Wait() })
	<-g.opened
	made, err := g.Make(t.Context(), Spec{Name: "x"}, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return g, p, g.sessions[made.Sessions[0].ID]
}

// A request is a retry if its client says so; keys that differ make different requests.
func TestRetries(t *testing.T) {
	const body = `{"messages": [{"role": "user", "content": "?"}]}`
	for _, test := range []struct {
		why           string
		first, second []string // headers
		same          bool
	}{
		{"no mark", nil, nil, false},
		{"the mark of the SDKs, first try", nil, []string{"X-Stainless-Retry-Count", "0"}, false},
		{"the mark of the SDKs", []string{"X-Stainless-Retry-Count", "0"}, []string{"X-Stainless-Retry-Count", "1"}, true},
		{"the same key", []string{"Idempotency-Key", "a"}, []string{"Idempotency-Key", "a"}, true},
		{"another key", []string{"Idempotency-Key", "a"}, []string{"Idempotency-Key", "b"}, false},
		{"the same request", []string{"X-Client-Request-Id", "a"}, []string{"X-Client-Request-Id", "a"}, true},
		{"another request", []string{"X-Client-Request-Id", "a"}, []string{"X-Client-Request-Id", "b"}, false},
	} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		one := b.want(200, "POST", s.OpenAI+"/chat/completions", body, test.first...)
		two := b.want(200, "POST", s.OpenAI+"/chat/completions", body, test.second...)
		if (one == two) != test.same || len(b.policy.asked) != map[bool]int{true: 1, false: 2}[test.same] {
			t.Errorf("%s: the policy was asked %d times; the replies:\n%s\n%s", test.why, len(b.policy.asked), one, two)
		}
	}
}

// 20 equal retries at once are one call.
func TestManyRetriesAtOnce(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.policy.hold = make(chan struct{})
	replies := make(chan string, 20)
	for i := range 20 {
		go func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.OpenAI+"/chat/completions", strings.NewReader(`{"messages": [{"role": "user", "content": "?"}]}`))
			if err != nil {
				t.Error(err)
			}
			r.Header.Set("X-Stainless-Retry-Count", map[bool]string{true: "1", false: "2"}[i%2 == 0])
			replies <- b.send(r)
		}()
	}
	in := b.gateway.sessions[s.ID]
	b.until(func() bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		return in.counts["retry"] == 19
	})
	close(b.policy.hold)
	first := <-replies
	for range 19 {
		if other := <-replies; other != first || !strings.Contains(first, "reply 1") {
			t.Errorf("%s\n%s", first, other)
		}
	}
	if len(in.tree.Nodes) != 1 || len(b.policy.asked) != 1 {
		t.Errorf("%d calls, the policy was asked %d times", len(in.tree.Nodes), len(b.policy.asked))
	}
}

// The last calls are remembered, and those under way.
func TestFlights(t *testing.T) {
	done := func() *flight {
		f := &flight{done: make(chan struct{})}
		close(f.done)
		return f
	}
	f := newFlights()
	underway := &flight{done: make(chan struct{})}
	f.add(tree.Digest{1}, underway)
	f.add(tree.Digest{2}, done())
	for i := range mostFlights - 2 {
		f.add(tree.Digest{3, byte(i)}, done())
	}
	newest := done()
	f.add(tree.Digest{2}, newest) // the same request again
	for i := range 10 {
		f.add(tree.Digest{4, byte(i)}, done())
	}
	if f.by[tree.Digest{1}] != underway || f.by[tree.Digest{2}] != newest || f.by[tree.Digest{3, 5}] != nil || f.by[tree.Digest{4, 9}] == nil || len(f.by) != mostFlights || len(f.order) != mostFlights {
		t.Errorf("%d calls, %d in order", len(f.by), len(f.order))
	}
	f.drop(tree.Digest{2}, newest)
	f.drop(tree.Digest{1}, newest)
	if f.by[tree.Digest{2}] != nil || f.by[tree.Digest{1}] == nil || len(f.order) != mostFlights-1 {
		t.Errorf("%d calls, %d in order", len(f.by), len(f.order))
	}
}
