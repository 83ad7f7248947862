package routes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A parrot is a policy whose tokens are bytes. It says the number of the call.
type parrot struct {
	mu    sync.Mutex
	calls int
}

func (p *parrot) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	text := fmt.Sprintf("reply %d", p.calls)
	var read []quintain.Token
	for _, m := range r.Messages[r.Fresh:] {
		read = append(read, bytesOf("<"+m.Role+">"+m.Text())...)
	}
	all := make([]quintain.Sample, r.N)
	for i := range all {
		wrote := bytesOf(text + "\n")
		s := quintain.Sample{Text: text, Whole: text, Read: read, Wrote: wrote, Versions: make([]int32, len(wrote)), Finish: quintain.Stop, Vocabulary: "bytes"}
		for k := range wrote {
			s.LogProbs, s.Versions[k] = append(s.LogProbs, -0.5), 3
		}
		all[i] = s
	}
	return all, nil
}

func bytesOf(text string) []quintain.Token {
	out := make([]quintain.Token, len(text))
	for i := range len(text) {
		out[i] = quintain.Token(text[i])
	}
	return out
}

// Text returns tokens of the policy as text.
func Text[T ~int32 | ~int64](tokens []T) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(byte(t))
	}
	return b.String()
}

// A desk is a host that keeps what it gets.
type desk struct {
	mu      sync.Mutex
	shut    bool
	judge   quintain.Scenario // of problems to come
	results chan rollout.Result
}

func (d *desk) Enter(ctx context.Context) error {
	d.mu.Lock()
	shut := d.shut
	d.mu.Unlock()
	if shut {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}
func (d *desk) Leave() {}
func (d *desk) Next() (rollout.Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return rollout.Job{Problem: quintain.Problem{Task: "t", Version: 1, Prompt: "What?"}, Scenario: d.judge}, nil
}
func (d *desk) Job(p quintain.Problem) rollout.Job { return rollout.Job{Problem: p} }
func (d *desk) Judge(_ context.Context, r rollout.Result) (rollout.Drop, error) {
	d.results <- r
	return "", nil
}

// A Bench is a gateway on a port.
type Bench struct {
	URL string

	t      *testing.T
	desk   *desk
	server *httptest.Server
	stop   func()
}

// Key is the caller's key of a bench.
const Key = "caller-key"

// Open opens a gateway with the routes of another project, whose groups have two sessions.
// Its sessions are kept in a folder; empty: they are not.
func Open(t *testing.T, folder string, routes func(gateway.Door) []web.Route) *Bench {
	t.Helper()
	b := &Bench{t: t, desk: &desk{results: make(chan rollout.Result, 100)}}
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), GroupSize: 2, Secret: []byte("secret"), Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	door := gateway.NewDoor(g)
	server, err := web.New(web.Config{
		Name: "test", Routes: append(g.Routes(), routes(door)...), Keys: []web.Key{{Role: gateway.Sessions, Secret: Key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.server = httptest.NewServer(server)
	b.URL = b.server.URL
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- g.Run(ctx, gateway.Player{Policy: &parrot{}}, b.desk) }()
	<-door.Opened()
	b.stop = sync.OnceFunc(func() {
		b.server.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.stop)
	return b
}

// Close ends the gateway, as at the end of the test.
func (b *Bench) Close() { b.stop() }

// Shut closes the gate, so that no group may start, or opens it.
func (b *Bench) Shut(shut bool) {
	b.desk.mu.Lock()
	defer b.desk.mu.Unlock()
	b.desk.shut = shut
}

// JudgeBy sets the scenario of problems to come, which are the host's own.
func (b *Bench) JudgeBy(s quintain.Scenario) {
	b.desk.mu.Lock()
	defer b.desk.mu.Unlock()
	b.desk.judge = s
}

// Do sends a request with a key, and returns the status and the body.
func (b *Bench) Do(key, request, body string) (int, string) {
	b.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.URL+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text))
}

// Want sends a request that must have a status, and returns its body.
func (b *Bench) Want(status int, key, request, body string) string {
	b.t.Helper()
	got, text := b.Do(key, request, body)
	if got != status {
		b.t.Fatalf("%s: status %d, want %d: %s", request, got, status, text)
	}
	return text
}

// Ask makes a call of chat completions with one message of a user, at a path, and returns the
// ID of the reply.
func (b *Bench) Ask(key, path, text string) string {
	b.t.Helper()
	body := fmt.Sprintf(`{"model": "any", "messages": [{"role": "user", "content": %q}]}`, text)
	return Parse[struct{ ID string }](b.t, b.Want(http.StatusOK, key, "POST "+path, body)).ID
}

// Result waits for a group.
func (b *Bench) Result() rollout.Result {
	b.t.Helper()
	select {
	case r := <-b.desk.results:
		return r
	case <-time.After(10 * time.Second):
		b.t.Fatal("no group came")
		return rollout.Result{}
	}
}

// Parse reads JSON.
func Parse[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}
