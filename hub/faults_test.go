package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

func TestCorruptGroups(t *testing.T) {
	store := &badStore{Memory: queue.NewMemory(), corrupt: map[uint64]bool{1: true, 4: true}}
	f := newFixture(t, store, Config{})
	f.begin(2)
	for id := 1; id <= 6; id++ {
		f.put(group(id, 1, -1))
	}
	if got := f.batch(); got != "2 3" {
		t.Errorf("batch %s, want 2 3: 1 cannot be read", got)
	}
	if got := f.batch(); got != "5 6" {
		t.Errorf("batch %s, want 5 6: 4 cannot be read", got)
	}
	f.put(group(7, 1, -1))
	store.corrupt[5] = true // in the trainer's hands
	f.register(2, 0)
	if got := f.batch(); got != "6 7" {
		t.Errorf("batch %s, want 6 7: 5 cannot be read any more", got)
	}
	store.corrupt[7] = true
	f.restart()
	f.put(group(8, 1, -1))
	if got := f.batch(); got != "6 8" {
		t.Errorf("batch %s, want 6 8", got)
	}
	if st := f.run.Stats(); st.Queue.Aside.Groups != 4 {
		t.Errorf("%d groups are set aside, want 4", st.Queue.Aside.Groups)
	}
}

// TestDroppedMeanwhile drops a group of the trainer's batch; the rest is still acknowledged.
func TestDroppedMeanwhile(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(2)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 2, -1))
	f.batch()
	if n, err := f.config.Queue.Drop(t.Context(), 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := f.batch(); got != "3" {
		t.Errorf("batch %s, want 3", got)
	}
	f.restart()
	for _, want := range []string{"3", "null"} {
		if got := f.batch(); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
	}
}

// TestStaleIsNotHandedOut puts groups of several versions, and makes them staler with a
// step.
func TestStaleIsNotHandedOut(t *testing.T) {
	one := queue.Bound{MaxLag: 1}
	f := newFixture(t, nil, Config{Bound: &one})
	f.register(1, 5)
	for i, version := range []int32{3, 4, 5, 4, -1, 6} {
		g := &quintain.Group{Tokens: [][]quintain.Token{{quintain.Token(i)}}, Masks: [][]int32{{int32(i)}}, Scores: []float64{1}, Versions: [][]int32{{version}}}
		if _, err := f.config.Queue.Put(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for step, want := range []string{"1", "2", "4", "null"} { // at step 8, version 6 is two behind
		if got := f.batch(); got != want {
			t.Errorf("at step %d: batch %s, want %s", 5+step, got, want)
		}
	}
	if n := f.run.Stats().Queue.Waiting.Groups; n != 3 {
		t.Errorf("%d groups wait for others to drop them, want 3", n)
	}
}

func TestStoreFails(t *testing.T) {
	store := &badStore{Memory: queue.NewMemory()}
	f := newFixture(t, store, Config{})
	f.begin(1)
	for _, test := range []struct {
		why    string
		err    error
		status int
	}{
		{"the disk is full", queue.ErrNoSpace, http.StatusInsufficientStorage},
		{"the group is too large", &groupform.TooLargeError{Bytes: 2, Limit: 1}, http.StatusRequestEntityTooLarge},
		{"anything else", errors.New("broken"), http.StatusServiceUnavailable},
	} {
		store.full = test.err
		if w := f.do("POST", "/scored_data", group(1, 1, -1)); w.Code != test.status || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s, want %d", test.why, w.Code, w.Body, test.status)
		}
	}
	store.full = nil
	f.put(group(1, 1, -1))
	store.writes = 1
	if w := f.do("GET", "/batch", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a batch that cannot be noted: %d %s", w.Code, w.Body)
	}
	if got := f.batch(); got != "1" || f.run.Step() != 1 {
		t.Errorf("then batch %s at step %d, want 1 at 1", got, f.run.Step())
	}
	for _, request := range []struct{ method, path, body string }{
		{"POST", "/register", fmt.Sprintf(registerBody, 1, 0)},
		{"POST", "/register-env", `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4}`},
		{"GET", "/reset_data", ""},
	} {
		store.writes = 1
		if w := f.do(request.method, request.path, request.body); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", request.path, w.Code, w.Body)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("no queue: taken")
	}
	for _, test := range []struct{ why, key, text string }{
		{"no JSON", registry.Key, `{`},
		{"an earlier version", registry.Key, `{"version":1}`},
		{"a later version of the batches", batchesKey, `{"version":3}`},
		{"a later version of a batch", partKey(1, 0), `{"version":2}`},
		{"no groups", partKey(1, 0), `{"version":1,"batch":1,"groups":5}`},
		{"torn groups", partKey(1, 0), `{"version":1,"batch":1,"groups":"gA=="}`},
		{"groups without end", partKey(1, 0), `{"version":1,"batch":1,"groups":"AoCAgIAQ"}`},
	} {
		q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.SetState(t.Context(), test.key, []byte(test.text)); err != nil {
			t.Fatal(err)
		}
		if _, err := New(Config{Queue: q}); err == nil || !strings.Contains(err.Error(), test.key) {
			t.Errorf("%s: %v", test.why, err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A badStore is a store in memory that fails on demand.
type badStore struct {
	*queue.Memory
	corrupt map[uint64]bool // unreadable bodies
	dead    atomic.Bool     // no body can be read
	reads   chan struct{}   // gets an element for each read, if there is a gate
	gate    chan struct{}   // nil: open; else reads wait until it is closed
	full    error           // of Put
	writes  int             // if above 0: counts down to the failing write
}

func (b *badStore) Body(ctx context.Context, seq uint64) ([]byte, error) {
	if b.gate != nil {
		b.reads <- struct{}{}
		<-b.gate
	}
	if b.dead.Load() {
		return nil, &queue.UnreadableError{From: 1, Through: 1 << 30, Err: syscall.EIO}
	}
	body, err := b.Memory.Body(ctx, seq)
	if b.corrupt[seq] && err == nil {
		body[len(body)/2] ^= 1
	}
	return body, err
}

func (b *badStore) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	if err := b.count(); err != nil || b.full != nil {
		return nil, errors.Join(err, b.full)
	}
	return b.Memory.Put(ctx, records)
}

// TestDeadDisk asks for batches while the disk can read nothing: the trainer is told so, or
// waits, and gets all groups once the disk reads again. No batch is formed meanwhile.
func TestDeadDisk(t *testing.T) {
	for _, path := range []string{"GET /batch", "POST " + mainPath + "/batches?trainer=a", "POST " + mainPath + "/batches?trainer=a&wait=1s"} {
		synctest.Test(t, func(t *testing.T) {
			store := &badStore{Memory: queue.NewMemory()}
			store.dead.Store(true)
			f := newFixture(t, store, Config{})
			f.begin(100)
			for id := range 200 {
				f.put(group(id, 1, -1))
			}
			method, path, _ := strings.Cut(path, " ")
			for range 3 { // later ones too, before the queue tries again
				if w := f.do(method, path, ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "cannot be read") {
					t.Errorf("%s: %d %s", path, w.Code, w.Body)
				}
			}
			if st := f.run.Stats(); st.Open != 0 || st.Queue.Leased.Groups != 0 || st.Queue.Aside.Groups+st.Queue.Waiting.Groups != 200 {
				t.Errorf("%s: %d batches, %+v", path, st.Open, st.Queue)
			}
			store.dead.Store(false)
			time.Sleep(time.Minute)
			for range 2 {
				if w := f.do(method, path, ""); w.Code != http.StatusOK {
					t.Errorf("%s, and the disk reads again: %d %s", path, w.Code, w.Body)
				}
				f.do("POST", mainPath+"/batches/1/ack?trainer=a", "")
			}
		})
	}
}

// TestTrainerWaitsForTheDisk has a trainer wait while the disk can read nothing; it gets a batch
// soon after the disk reads again.
func TestTrainerWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &badStore{Memory: queue.NewMemory()}
		store.dead.Store(true)
		f := newFixture(t, store, Config{})
		f.begin(2)
		f.put(group(1, 1, -1), group(2, 1, -1))
		began := time.Now()
		time.AfterFunc(10*time.Second, func() { store.dead.Store(false) })
		if w := f.do("POST", mainPath+"/batches?wait=1m", ""); w.Code != http.StatusOK || time.Since(began) > 30*time.Second {
			t.Errorf("%d %s after %s", w.Code, w.Body, time.Since(began))
		}
	})
}

// TestSlowReadHoldsNobodyUp reads a batch from a disk that does not answer. Meanwhile others are
// acknowledged, and what happens to the run is not undone by the batch.
func TestSlowReadHoldsNobodyUp(t *testing.T) {
	for _, test := range []struct {
		why    string
		due    bool   // the batch was formed before
		method string // meanwhile
		path   string
		body   string
		status int // of the request for the batch
		next   int // of the next one
	}{
		{"another batch is acknowledged", false, "POST", mainPath + "/batches/1/ack?trainer=a", "", 200, 200},
		{"the same, and the batch was given back before", true, "POST", mainPath + "/batches/1/ack?trainer=a", "", 200, 200},
		{"the batch given back is acknowledged", true, "POST", mainPath + "/batches/2/ack?trainer=b", "", 200, 204},
		{"a trainer registers with another size", false, "POST", "/register", fmt.Sprintf(registerBody, 4, 0), 200, 204},
		{"the run is reset", false, "GET", "/reset_data", "", 204, 409},
	} {
		store := &badStore{Memory: queue.NewMemory()}
		f := newFixture(t, store, Config{})
		f.begin(2)
		for id := range 6 {
			f.put(group(id, 1, -1))
		}
		take := func(trainer string) int { return f.do("POST", mainPath+"/batches?trainer="+trainer, "").Code }
		if code := take("a"); code != 200 {
			t.Fatal(code)
		}
		if test.due {
			take("b")
			f.do("POST", mainPath+"/batches/2/nack?trainer=b", "")
		}
		gate := make(chan struct{})
		store.reads, store.gate = make(chan struct{}, 10), gate
		got, done := make(chan int, 1), make(chan int, 1)
		go func() { got <- take("b") }()
		<-store.reads
		go func() { done <- f.do(test.method, test.path, test.body).Code }()
		if test.path == "/reset_data" { // it waits for running reads
			close(gate)
		}
		if code := <-done; code != 200 {
			t.Errorf("%s: %d", test.why, code)
		}
		if test.path != "/reset_data" {
			close(gate)
		}
		if code := <-got; code != test.status && test.path != "/reset_data" {
			t.Errorf("%s: the batch that was read: %d, want %d", test.why, code, test.status)
		}
		if code := take("c"); code != test.next {
			t.Errorf("%s: the next batch: %d, want %d", test.why, code, test.next)
		}
	}
}

// TestReadyAsPostsAre compares readiness with a post.
func TestReadyAsPostsAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &badStore{Memory: queue.NewMemory()}
		f := newFixture(t, store, Config{})
		f.begin(1)
		for i, test := range []struct {
			why    string
			err    error
			status int
		}{
			{"all is well", nil, http.StatusOK},
			{"the disk is full", queue.ErrNoSpace, http.StatusInsufficientStorage},
			{"space was made", nil, http.StatusOK},
			{"the disk is broken", syscall.EIO, http.StatusServiceUnavailable},
			{"it was mounted again to be read", syscall.EROFS, http.StatusServiceUnavailable},
			{"the server is gone", queue.ErrUnreachable, http.StatusServiceUnavailable},
			{"it is back", nil, http.StatusOK},
		} {
			time.Sleep(time.Minute) // nobody asks
			store.full = test.err
			for range 2 {
				if w := f.do("GET", "/readyz", ""); w.Code != test.status || !json.Valid(w.Body.Bytes()) {
					t.Errorf("%s: ready %d %s, want %d", test.why, w.Code, w.Body, test.status)
				}
				if w := f.do("POST", "/scored_data", group(i+1, 1, -1)); w.Code != test.status {
					t.Errorf("%s: a post %d %s, want %d", test.why, w.Code, w.Body, test.status)
				}
			}
		}
	})
}

// TestUnreadableGroupsAreReported finds an unreadable group in events, metrics and statistics.
func TestUnreadableGroupsAreReported(t *testing.T) {
	store := &badStore{Memory: queue.NewMemory(), corrupt: map[uint64]bool{1: true}}
	f := newFixture(t, store, Config{})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1))
	if got := f.batch(); got != "2" {
		t.Errorf("batch %s, want 2: 1 cannot be read", got)
	}
	addr, _ := f.serve()
	f.follow(addr, "event: aside\ndata: {", `"number":1,"reason":"`)
	metrics := f.do("GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`quintain_hub_queue_groups{run="default",state="aside"} 1`,
		`quintain_hub_groups_dropped_total{reason="corrupt",run="default"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if w := f.do("GET", mainPath+"/stats", ""); !strings.Contains(w.Body.String(), `"aside":{"groups":1,`) {
		t.Errorf("statistics %s", w.Body)
	}
}

// follow reads the run's events, at the address of [fixture.serve], from the first until texts
// have come.
func (f *fixture) follow(addr string, texts ...string) {
	f.t.Helper()
	c := dial(f.t, addr)
	defer c.Close()
	fmt.Fprintf(c, "GET %s/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n", mainPath)
	var seen strings.Builder
	buf := make([]byte, 4096)
	for slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(seen.String(), text) }) {
		n, err := c.Read(buf)
		if err != nil {
			f.t.Fatalf("events %s, want %q: %v", seen.String(), texts, err)
		}
		seen.Write(buf[:n])
	}
}

func (b *badStore) SetStates(ctx context.Context, list []queue.State) error {
	if err := b.count(); err != nil {
		return err
	}
	return b.Memory.SetStates(ctx, list)
}

func (b *badStore) count() error {
	if b.writes > 0 {
		if b.writes--; b.writes == 0 {
			return errors.New("this write fails")
		}
	}
	return nil
}

func TestUnfitAdvantages(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.want("POST", "/scored_data", strings.Replace(group(1, 1, -1), "{", `{"advantages":[[1,2]],`, 1),
		`{"status":"received","warnings":["group 0: dropped: advantages[0]: has 2 elements, but tokens[0] has 1"]}`)
	if w := f.do("GET", "/batch", ""); !strings.Contains(w.Body.String(), `"advantages":null`) {
		t.Errorf("batch %s", w.Body)
	}
	if st := f.run.Stats(); st.Unfit != 1 {
		t.Errorf("stats %+v, want 1 unfit", st)
	}
}

func TestRefusedPostsLeaveNothing(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	bad := strings.Replace(group(1, 1, -1), "[1]", "[1.5]", 1)
	w := f.do("POST", "/scored_data_list", "["+group(1, 1, -1)+","+bad+"]")
	want := `{"detail":[{"type":"int_from_float","loc":["body",1,"tokens",0,0],"msg":"Input should be a valid integer, got a number with a fractional part","input":1.5}]}`
	if w.Code != 422 || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := f.do("POST", "/scored_data_list", "["+strings.Repeat(group(1, 1, -1)+",", queue.MaxPutAll)+group(1, 1, -1)+"]"); w.Code != 422 {
		t.Errorf("a list without end: %d %s", w.Code, w.Body)
	}
	if got := f.batch(); got != "null" {
		t.Errorf("batch %s, want none", got)
	}
	if st := f.run.Stats(); st.Refused != 2 || st.Posts != 0 {
		t.Errorf("stats %+v, want 2 refused", st)
	}
}
