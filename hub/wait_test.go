package hub

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// A gatedStore blocks reads of bodies and writes of records until it is opened.
type gatedStore struct {
	*queue.Memory
	bodies, states chan struct{} // closed: open
	arrived        chan string   // blocked operations
}

func (g *gatedStore) Body(ctx context.Context, seq uint64) ([]byte, error) {
	g.wait(g.bodies, "body")
	return g.Memory.Body(ctx, seq)
}

func (g *gatedStore) SetStates(ctx context.Context, list []queue.State) error {
	g.wait(g.states, "state")
	return g.Memory.SetStates(ctx, list)
}

func (g *gatedStore) wait(gate chan struct{}, what string) {
	select {
	case <-gate:
	default:
		select {
		case g.arrived <- what:
		default:
		}
		<-gate
	}
}

// TestNothingWaitsForABatch blocks a batch while its groups are read, and while it is stored.
// Meanwhile all other requests are answered, and posts are taken.
func TestNothingWaitsForABatch(t *testing.T) {
	open := make(chan struct{})
	close(open)
	for _, where := range []string{"body", "state"} {
		store := &gatedStore{Memory: queue.NewMemory(), bodies: open, states: open, arrived: make(chan string, 1)}
		f := newFixture(t, store, Config{})
		f.begin(1)
		f.env(1, "null")
		f.put(group(1, 1, 0), group(2, 1, 0))
		gate := make(chan struct{})
		if where == "body" {
			store.bodies = gate
		} else {
			store.states = gate
		}
		var trainer sync.WaitGroup
		var reply *httptest.ResponseRecorder
		trainer.Go(func() { reply = f.do("GET", "/batch", "") })
		if got := <-store.arrived; got != where {
			t.Fatalf("held up at %s, want %s", got, where)
		}
		for _, request := range []struct{ method, path, body string }{
			{"GET", "/", ""},
			{"GET", "/info", ""},
			{"GET", "/wandb_info", ""},
			{"GET", "/status", ""},
			{"GET", "/status-env", `{"env_id":0}`},
			{"GET", "/healthz", ""},
			{"GET", "/readyz", ""},
			{"GET", "/metrics", ""},
			{"GET", mainPath + "/stats", ""},
			{"POST", "/scored_data", group(3, 1, 0)},
			{"POST", "/scored_data_list", "[" + group(4, 1, -1) + "]"},
			{"POST", mainPath + "/groups", "[" + group(5, 1, -1) + "]"},
		} {
			if w := f.do(request.method, request.path, request.body); w.Code != 200 {
				t.Errorf("%s while a batch is held up at its %s: %d %s", request.path, where, w.Code, w.Body)
			}
		}
		close(gate)
		trainer.Wait()
		if got := batchIDs(t, reply.Body); got != "1" {
			t.Errorf("batch %s, want 1", got)
		}
		if st := f.run.Stats(); st.GroupsIn != 5 {
			t.Errorf("%d groups were taken, want 5", st.GroupsIn)
		}
	}
}

// TestManyEnvironments checks the status of many environments while groups come and go.
func TestManyEnvironments(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(4)
	const envs = 50
	for range envs {
		f.env(4, "null")
	}
	weight := `,"max_group_size":4,"env_weight":0.02}`
	for i := range 2 * envs {
		f.put(group(i+1, 4, i%envs))
		f.want("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, i%envs),
			fmt.Sprintf(`{"current_step":0,"queue_size":%d,"unallocated_fraction":1.0,"self_queue_size":%d`, i+1, i/envs+1)+weight)
	}
	for i := range envs {
		f.batch()
		f.want("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, i),
			fmt.Sprintf(`{"current_step":%d,"queue_size":%d,"unallocated_fraction":1.0,"self_queue_size":1`, i+1, 2*envs-i-1)+weight)
	}
}

// TestLastByteArrives gives a batch to the trainer before the last byte of its reply goes,
// unless that then fails.
func TestLastByteArrives(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1))
	for _, test := range []struct {
		why     string
		request *http.Request
		refused bool
	}{
		{"the JSON of Atropos", httptest.NewRequest(http.MethodGet, "http://localhost/batch", nil), false},
		{"the binary form", httptest.NewRequest(http.MethodPost, "http://localhost"+mainPath+"/batches", nil), false},
		{"a connection that breaks", httptest.NewRequest(http.MethodGet, "http://localhost/batch", nil), true},
	} {
		w := &lastLook{ResponseRecorder: httptest.NewRecorder(), see: func() { f.state(test.why, handed) }}
		if test.refused {
			w.err = io.ErrClosedPipe
		}
		func() {
			defer func() { recover() }() // the panic of a broken reply
			f.server.Handler().ServeHTTP(w, test.request)
		}()
		if !w.seen {
			t.Errorf("%s: nothing was written", test.why)
		}
		if test.refused {
			f.state(test.why, due)
			continue
		}
		f.state(test.why, handed)
		if err := f.run.nack(t.Context(), 1, unnamedTrainer); err != nil {
			t.Fatal(err)
		}
	}
}

// state checks the state of the only batch.
func (f *fixture) state(why string, want batchState) {
	f.t.Helper()
	if list := f.run.batches.list(); len(list) != 1 || list[0].State != want.String() {
		f.t.Errorf("%s: %+v, want it %s", why, list, want)
	}
}

// A lastLook calls see before each write.
type lastLook struct {
	*httptest.ResponseRecorder
	see  func()
	seen bool
	err  error
}

func (l *lastLook) Write(b []byte) (int, error) {
	l.see()
	l.seen = true
	if l.err != nil {
		return 0, l.err
	}
	return l.ResponseRecorder.Write(b)
}

// TestLatestExample shows the latest unheld group.
func TestLatestExample(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(4)
	f.env(4, "null")
	for _, step := range []struct{ why, body, want string }{
		{"a whole one", group(1, 4, 0), "[1],[1],[1],[1]"},
		{"one that is held", group(2, 2, 0), "[1],[1],[1],[1]"},
		{"one that makes it up", group(3, 2, 0), "[3],[3]"},
		{"none", "[]", "[3],[3]"},
		{"another whole one", group(4, 4, 0), "[4],[4],[4],[4]"},
		{"a list", "[" + group(5, 4, 0) + "," + group(6, 2, 0) + "]", "[5],[5],[5],[5]"},
		{"a list with one that makes it up", "[" + group(7, 4, 0) + "," + group(8, 2, 0) + "]", "[8],[8]"},
	} {
		path := "/scored_data"
		if step.body[0] == '[' {
			path += "_list"
		}
		if w := f.do("POST", path, step.body); w.Code != 200 {
			t.Fatalf("%s: %d %s", step.why, w.Code, w.Body)
		}
		if w := f.do("GET", "/latest_example", ""); !strings.Contains(w.Body.String(), `"tokens":[`+step.want+`]`) {
			t.Errorf("%s: latest example %s, want tokens %s", step.why, w.Body, step.want)
		}
	}
}
