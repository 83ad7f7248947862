package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A hubStub is a hub in memory: a run-api, unless it is ours.
type hubStub struct {
	ours bool
	run  string // path of the run served; empty: the default

	mu       sync.Mutex
	trainer  bool
	envs     int
	status   string // reply of status-env; empty: nothing waits
	step     int
	lose     string                          // path of the next request with a lost reply
	down     bool                            // nobody listens
	fail     func(post) int                  // status of a post of groups; nil: 200
	posts    []post                          // of groups, in order
	requests []string                        // methods and paths
	register map[string]any                  // the last registration
	answer   func(path string) (int, string) // nil, or "": as usual
}

// A post is a request with groups.
type post struct {
	groups []map[string]any
}

// RoundTrip implements [http.RoundTripper], without a network.
func (h *hubStub) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	if err := r.Context().Err(); err != nil {
		return nil, context.Cause(r.Context())
	}
	w := httptest.NewRecorder()
	status, body := h.serve(r)
	w.WriteHeader(status)
	w.WriteString(body)
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if h.lose != "" && strings.HasSuffix(r.URL.Path, h.lose) {
		h.lose = ""
		return nil, io.ErrUnexpectedEOF
	}
	return w.Result(), nil
}

func (h *hubStub) serve(r *http.Request) (int, string) {
	h.requests = append(h.requests, r.Method+" "+r.URL.Path)
	if h.answer != nil {
		if status, body := h.answer(r.URL.Path); status != 0 {
			return status, body
		}
	}
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, h.run); ok && h.run != "" {
		path = strings.Replace(rest, "/groups", "/v1/runs/default/groups", 1)
	}
	switch path {
	case "/v1/openapi.json":
		if h.ours {
			return 200, `{"openapi":"3.1.0"}`
		}
	case "/register-env":
		if !h.trainer {
			return 200, `{"status":"wait for trainer to start"}`
		}
		h.register = map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(&h.register); err != nil {
			return 422, err.Error()
		}
		h.envs++
		return 200, fmt.Sprintf(`{"status":"success","env_id":%d,"wandb_name":"e_0","checkpoint_dir":"c","starting_step":%d,"checkpoint_interval":5,"num_steps":40}`, h.envs-1, h.step)
	case "/info":
		return 200, `{"batch_size":8,"max_token_len":64}`
	case "/status-env":
		var q struct {
			Env int `json:"env_id"`
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.Env >= h.envs {
			return 500, "Internal Server Error"
		}
		if h.status != "" {
			return 200, h.status
		}
		return 200, fmt.Sprintf(`{"current_step":%d,"queue_size":0,"unallocated_fraction":1.0,"self_queue_size":0,"max_group_size":1,"env_weight":1.0}`, h.step)
	case "/disconnect-env":
		return 200, `{"status":"success"}`
	case "/scored_data", "/scored_data_list", "/v1/runs/default/groups":
		return h.take(r)
	}
	return 404, `{"detail":"Not Found"}`
}

// take takes groups.
func (h *hubStub) take(r *http.Request) (int, string) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return 400, err.Error()
		}
		body = z
	}
	var p post
	dec := json.NewDecoder(body)
	var err error
	switch r.URL.Path {
	case "/scored_data_list":
		err = dec.Decode(&p.groups)
	case "/scored_data":
		p.groups = make([]map[string]any, 1)
		err = dec.Decode(&p.groups[0])
	default:
		p.groups, err = framed(body)
	}
	if err != nil {
		return 422, err.Error()
	}
	if h.fail != nil {
		if status := h.fail(p); status != 200 {
			return status, "no"
		}
	}
	h.posts = append(h.posts, p)
	return 200, `{"status":"received"}`
}

// framed reads groups in their binary form as if they were JSON.
func framed(body io.Reader) (groups []map[string]any, err error) {
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	bodies, err := groupform.SplitFrames(b, 1000)
	for _, b := range bodies {
		g, err := groupform.NewCodec(0).Decode(b)
		if err != nil {
			return nil, err
		}
		of := map[string]any{}
		if err := json.Unmarshal(atropos.AppendWhole(nil, g), &of); err != nil {
			return nil, err
		}
		groups = append(groups, of)
	}
	return groups, err
}

// ids lists the first tokens at both ends of the last sequence: the numbers of the groups
// that came.
func (h *hubStub) ids() (all []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.posts {
		for _, g := range p.groups {
			first := g["tokens"].([]any)[0].([]any)
			all = append(all, int(first[3].(float64)))
		}
	}
	return all
}

// change changes the hub.
func (h *hubStub) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// link returns an unregistered link to the hub, and its reports.
func (h *hubStub) link(t *testing.T, c LinkConfig) (*Link, *[]string) {
	t.Helper()
	said, mu := []string{}, sync.Mutex{}
	c.URL, c.RunID = "http://hub:8000", func() string { return "run" }
	c.Say = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}
	if c.Limits.GroupSize == 0 {
		c.Limits = LinkLimits{GroupSize: 2, OffPolicy: 3, Workers: 8, Requests: 8}
	}
	l, err := newLink(c)
	if err != nil {
		t.Fatal(err)
	}
	l.hub.http = httpclient.New(httpclient.Config{Transport: h})
	return l, &said
}

// groups returns deliveries of the groups numbered from up to below.
func groups(from, below int) (all []queue.Delivery) {
	for i := from; i < below; i++ {
		g := queuetest.Group(i)
		g.Messages = []byte(`[[{"role":"user","content":"?"}],[{"role":"user","content":"?"}]]`)
		body, err := groupform.NewCodec(0).EncodeFast(g)
		if err != nil {
			panic(err)
		}
		all = append(all, queue.Delivery{Entry: queue.Entry{Seq: uint64(i), ID: g.ID}, Body: body})
	}
	return all
}

// unmarked is a mark that does nothing.
func unmarked([]queue.Delivery) error { return nil }

// An environment registers when there is a trainer, and introduces itself.
func TestRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, tenth := &hubStub{down: true}, 0.1
		l, said := h.link(t, LinkConfig{TotalSteps: -1, Registration: Registration{Name: "rg", MaxTokenLength: 4096, Weight: 4, GroupSize: 2, Minimum: &tenth}})
		go func() {
			time.Sleep(5 * time.Second)
			h.change(func() { h.down = false })
			time.Sleep(5 * time.Second)
			h.change(func() { h.trainer, h.step = true, 3 })
		}()
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if l.MaxTokens() != 64 || l.Step() != 3 || l.total != 40 {
			t.Errorf("limit %d, step %d of %d", l.MaxTokens(), l.Step(), l.total)
		}
		want := map[string]any{"desired_name": "rg", "max_token_length": 4096.0, "weight": 4.0, "group_size": 2.0, "min_batch_allocation": 0.1}
		if fmt.Sprint(h.register) != fmt.Sprint(want) {
			t.Errorf("registered as %v, want %v", h.register, want)
		}
		for i, part := range []string{"connection refused", "no trainer takes batches", "env.seed of its own", "at step 3 of 40"} {
			if len(*said) != 4 || !strings.Contains((*said)[i], part) {
				t.Fatalf("said %q, want %q", *said, part)
			}
		}
	})
}

// An address without a hub, or a hub that refuses the environment, gives a telling error.
func TestRefusedRegistration(t *testing.T) {
	for _, test := range []struct {
		why, path, body string
		status          int
		config          LinkConfig
		want            string
	}{
		{"another server", "/register-env", "not here", 404, LinkConfig{}, `HTTP 404 Not Found: the server said "not here"; is this the address of a hub`},
		{"a page", "/register-env", "<html>", 200, LinkConfig{}, `the server said "<html>"`},
		{"a key is wanted", "/register-env", "who?", 401, LinkConfig{}, "--hub-key-file"},
		{"it is refused", "/register-env", `{"detail":"weight"}`, 422, LinkConfig{}, `HTTP 422 Unprocessable Entity: the server said "weight"`},
		{"a batch smaller than a group", "/info", `{"batch_size":1,"max_token_len":5}`, 200, LinkConfig{}, "a batch has 1 sequence, and a group 2"},
		{"nobody knows the number of steps", "/register-env", `{"status":"success","env_id":0,"num_steps":-1}`, 200, LinkConfig{TotalSteps: -1}, "nor the trainer sets the number of steps"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &hubStub{trainer: true, answer: func(path string) (int, string) {
				if path == test.path {
					return test.status, test.body
				}
				return 0, ""
			}}
			l, _ := h.link(t, test.config)
			if err := l.connect(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.why, err, test.want)
			}
		})
	}
	for _, address := range []string{"", "hub:8000", "ftp://hub", "http://"} {
		if _, err := OpenLink(t.Context(), LinkConfig{URL: address}); err == nil || !strings.Contains(err.Error(), "want one with") {
			t.Errorf("address %q: error %v", address, err)
		}
	}
}

// Groups are sent in Atropos' form, and their fates are returned.
func TestSend(t *testing.T) {
	for _, test := range []struct {
		why   string
		hub   *hubStub
		send  int // groups
		want  []int
		fates []rollout.Drop // of the first call
	}{
		{"one group", &hubStub{}, 1, []int{0}, []rollout.Drop{""}},
		{"a list", &hubStub{}, 3, []int{0, 1, 2}, []rollout.Drop{"", "", ""}},
		{"a list to ours", &hubStub{ours: true}, 3, []int{0, 1, 2}, []rollout.Drop{"", "", ""}},
		{"run-api takes them, and its reply is lost: they are not sent again", &hubStub{lose: "/scored_data_list"}, 2, []int{0, 1}, []rollout.Drop{rollout.DropUnsure, rollout.DropUnsure}},
		{"ours gets them again, under the same names", &hubStub{ours: true, lose: "/groups"}, 2, []int{0, 1, 0, 1}, []rollout.Drop{"", ""}},
		{"run-api fails on one: it is sent again", &hubStub{fail: once(500)}, 1, []int{0}, []rollout.Drop{""}},
		{"run-api fails on a list, and may have kept some", &hubStub{fail: once(500)}, 2, nil, []rollout.Drop{rollout.DropUnsure, rollout.DropUnsure}},
		{"ours is full", &hubStub{ours: true, fail: once(429)}, 2, []int{0, 1}, []rollout.Drop{"", ""}},
		{"ours fails", &hubStub{ours: true, fail: once(503)}, 2, []int{0, 1}, []rollout.Drop{"", ""}},
		{"the first of a list is refused", &hubStub{fail: refuse(0)}, 2, nil, []rollout.Drop{rollout.DropRefused}},
		{"another of a list is refused: the first goes alone", &hubStub{fail: refuse(1)}, 2, []int{0}, []rollout.Drop{""}},
		{"ours has it with another content, from before", &hubStub{ours: true, fail: once(409)}, 1, nil, []rollout.Drop{""}},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := test.hub
			h.trainer = true
			l, _ := h.link(t, LinkConfig{TotalSteps: 100})
			if err := l.connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			var marks []int
			fates, err := l.Send(t.Context(), groups(0, test.send), func(now []queue.Delivery) error {
				marks = append(marks, len(now))
				return nil
			})
			if err != nil || !slices.Equal(fates, test.fates) || !slices.Equal(h.ids(), test.want) {
				t.Errorf("%s: fates %q, came %v, error %v; want %q and %v", test.why, fates, h.ids(), err, test.fates, test.want)
			}
			settled := fates[0] == "" || fates[0] == rollout.DropUnsure
			if h.ours == (len(marks) > 0) || !h.ours && settled == (marks[len(marks)-1] == 0) {
				t.Errorf("%s: marked %v", test.why, marks)
			}
		})
	}
}

// once refuses the first post with a status.
func once(status int) func(post) int {
	return func(post) int {
		now := status
		status = 200
		return now
	}
}

// refuse refuses requests with the group of a number.
func refuse(number float64) func(post) int {
	return func(p post) int {
		for _, g := range p.groups {
			if g["tokens"].([]any)[0].([]any)[3] == number {
				return 422
			}
		}
		return 200
	}
}

// A group has the right form at either hub.
func TestForm(t *testing.T) {
	for _, test := range []struct {
		why  string
		ours bool
		run  string // path of the hub
	}{{"run-api", false, ""}, {"ours", true, ""}, {"a run of ours", true, "/v1/runs/x"}} {
		synctest.Test(t, func(t *testing.T) {
			h := &hubStub{ours: test.ours, trainer: true, envs: 5, run: test.run}
			l, _ := h.link(t, LinkConfig{TotalSteps: 100})
			l.hub.base.Path = test.run
			if err := l.connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Send(t.Context(), groups(7, 8), unmarked); err != nil {
				t.Fatal(err)
			}
			g := h.posts[0].groups[0]
			if g["env_id"] != 5.0 || g["messages"] == nil {
				t.Errorf("%s: env_id %v, messages %v", test.why, g["env_id"], g["messages"])
			}
			if named := g["id"] == "run/7" && g["versions"] != nil; named != test.ours || !test.ours && g["id"] != nil {
				t.Errorf("%s: id %v", test.why, g["id"])
			}
		})
	}
}

// A restarted run-api knows nobody. Nothing is sent before it has a trainer, because that
// would lock the trainer out, and the environment registers anew.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hubStub{trainer: true}
		l, said := h.link(t, LinkConfig{TotalSteps: 100})
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		h.change(func() { h.down = true })
		sent := make(chan []rollout.Drop)
		go func() {
			fates, _ := l.Send(ctx, groups(0, 2), unmarked)
			sent <- fates
		}()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		h.change(func() { h.down, h.trainer, h.envs = false, false, 3 }) // others were faster
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(h.ids()); n > 0 {
			t.Errorf("%d groups came before the trainer", n)
		}
		h.change(func() { h.trainer = true })
		if fates := <-sent; len(fates) != 2 || !slices.Equal(h.ids(), []int{0, 1}) || h.posts[0].groups[0]["env_id"] != 3.0 {
			t.Errorf("fates %q, came %v", fates, h.posts)
		}
		stop()
		if err := <-ended; err != nil || h.requests[len(h.requests)-1] != "POST /disconnect-env" {
			t.Errorf("error %v, the last request is %s", err, h.requests[len(h.requests)-1])
		}
		if text := strings.Join(*said, "\n"); strings.Count(text, "waiting for the hub") != 2 || strings.Count(text, "registered with") != 2 {
			t.Errorf("said\n%s", text)
		}
	})
}

// Our hub still knows the environment after an outage.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hubStub{ours: true, trainer: true}
		l, said := h.link(t, LinkConfig{TotalSteps: 100})
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		h.change(func() { h.down = true })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		h.change(func() { h.down = false })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if text := strings.Join(*said, "\n"); h.envs != 1 || !strings.HasSuffix(text, "answers again") {
			t.Errorf("registered %d times; said\n%s", h.envs, text)
		}
		h.change(func() { h.status = "[]" }) // nonsense
		time.Sleep(time.Second)
		synctest.Wait()
		h.change(func() { h.status = "" })
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if h.envs != 2 {
			t.Errorf("registered %d times, want 2: after nonsense again", h.envs)
		}
		stop()
		<-ended
	})
}

// Once all ends, groups are tried once, and stay if that fails.
func TestLastTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hubStub{ours: true, trainer: true}
		l, _ := h.link(t, LinkConfig{TotalSteps: 100})
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if fates, err := l.Send(ctx, groups(0, 2), unmarked); len(fates) != 2 || err != nil {
			t.Errorf("fates %q, error %v", fates, err)
		}
		h.change(func() { h.down = true })
		if fates, err := l.Send(ctx, groups(2, 4), unmarked); len(fates) != 0 || err != nil {
			t.Errorf("fates %q, error %v, want none", fates, err)
		}
	})
}

// The status ends the link, requests evaluations, and admits groups; sent groups count
// until a status includes them.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hubStub{trainer: true}
		l, _ := h.link(t, LinkConfig{TotalSteps: 30, EvalEvery: 10, Waiting: 1})
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		counts := func() (most, pending int) {
			l.gate.lock.Lock()
			defer l.gate.lock.Unlock()
			return l.most, l.pending
		}
		if most, pending := counts(); most != 12 || pending != 1 {
			t.Errorf("%d groups may be in flight, %d are", most, pending)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		if err := l.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.Ended(true)
		if _, err := l.Send(t.Context(), groups(0, 2), unmarked); err != nil {
			t.Fatal(err)
		}
		if _, pending := counts(); pending != 2 {
			t.Errorf("%d groups are in flight, want 2 until the next status", pending)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, pending := counts(); pending != 0 {
			t.Errorf("%d groups are in flight, want 0", pending)
		}
		h.change(func() { h.step = 9 })
		time.Sleep(time.Second)
		synctest.Wait()
		if len(l.ExamDue()) != 0 {
			t.Error("an evaluation is due after step 9")
		}
		h.change(func() { h.step = 21 }) // past 10 and 20, and not at either
		time.Sleep(time.Second)
		synctest.Wait()
		if len(l.ExamDue()) != 1 {
			t.Error("no evaluation is due after step 20")
		}
		select {
		case <-l.Over():
			t.Error("over at step 21 of 30")
		default:
		}
		h.change(func() {
			h.status = `{"current_step":29,"queue_size":8,"unallocated_fraction":1.0,"self_queue_size":0,"max_group_size":2,"env_weight":1.0}`
		})
		<-l.Over() // two batches wait
		stop()
		<-ended
	})
}

// The caller owns the memory of a body again when a request ends, however it ends.
func TestBodyIsReturned(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refuse" { // without reading it
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	}))
	defer server.Close()
	defer close(stop)
	c, err := newClient(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.http.CloseIdle()
	body := make([]byte, 16<<20)
	for _, path := range []string{"refuse", "stall"} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, _ = c.do(ctx, call{method: http.MethodPost, path: path, kind: "application/octet-stream", body: body}) // whatever the result
		cancel()
		for i := range body { // the race detector sees remaining readers
			body[i]++
		}
	}
}
