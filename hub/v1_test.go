package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

const mainPath = "/v1/runs/default"

// take takes a batch for a trainer, and returns its number and the JSON ids of its groups;
// the number is "" if there is none.
func (f *fixture) take(query string) (number, ids string) {
	f.t.Helper()
	w := f.do("POST", mainPath+"/batches?"+query, "", "Accept: application/json")
	if w.Code == http.StatusNoContent {
		return "", ""
	}
	if w.Code != http.StatusOK {
		f.t.Fatalf("batches?%s: %d %s", query, w.Code, w.Body)
	}
	return w.Header().Get(headerBatch), batchIDs(f.t, w.Body)
}

// tell acts on a batch and checks the status.
func (f *fixture) tell(number, verb string, status int) string {
	f.t.Helper()
	w := f.do("POST", mainPath+"/batches/"+number+"/"+verb, "")
	if w.Code != status || !json.Valid(w.Body.Bytes()) {
		f.t.Fatalf("%s of batch %s: %d %s, want %d", verb, number, w.Code, w.Body, status)
	}
	return w.Body.String()
}

// TestBinaryGroups sends groups in binary form and gets them back bit for bit.
func TestBinaryGroups(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(3)
	one, two := binaryGroup(t, "a", 2), binaryGroup(t, "b", 1)
	post := func(body []byte) *httptest.ResponseRecorder {
		return f.do("POST", mainPath+"/groups", string(body), "Content-Type: "+groupform.Frames)
	}
	both := groupform.AppendFrame(groupform.AppendFrame(nil, 0, one), 0, two)
	for _, want := range []string{`{"groups":[{"id":"a","fresh":true},{"id":"b","fresh":true}],"held":0}`, `{"groups":[{"id":"a","fresh":false},{"id":"b","fresh":false}],"held":0}`} {
		if w := post(both); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%d %s, want %s", w.Code, w.Body, want)
		}
	}
	for why, body := range map[string][]byte{
		"half a head":               both[:5],
		"half a group":              both[:len(both)-1],
		"a changed byte":            bytes.Replace(both, []byte("QNGR"), []byte("QNGS"), 1),
		"a group without sequences": groupform.AppendFrame(nil, 0, binaryGroup(t, "c", 0)),
	} {
		if w := post(body); w.Code != 422 || !strings.Contains(w.Body.String(), `"detail":[{"type":"value_error"`) {
			t.Errorf("%s: %d %s, want 422", why, w.Code, w.Body)
		}
	}
	w := f.do("POST", mainPath+"/batches", "")
	want := groupform.AppendFrame(groupform.AppendFrame(nil, 1, one), 2, two)
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) || w.Header().Get("Content-Type") != groupform.Frames {
		t.Errorf("batch: %d %q, want %q", w.Code, w.Body, want)
	}
	for name, value := range map[string]string{
		headerBatch: "1", headerStep: "1", headerAttempt: "1", headerGroups: "2", headerSequences: "3", headerLease: "1800", "Content-Length": fmt.Sprint(len(want)),
	} {
		if got := w.Header().Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	f.tell("1", "nack", 200)
	if w := f.do("POST", mainPath+"/batches", ""); !bytes.Equal(w.Body.Bytes(), want) || w.Header().Get(headerAttempt) != "2" {
		t.Errorf("given back: %q at attempt %s, want %q", w.Body, w.Header().Get(headerAttempt), want)
	}
	f.tell("1", "nack", 200)
	f.tell("1", "nack", 200)
	if w := f.do("POST", mainPath+"/batches", ""); w.Header().Get(headerAttempt) != "3" {
		t.Errorf("given back twice at once: attempt %s, want 3, for only replies count", w.Header().Get(headerAttempt))
	}
}

// A batch comes as arrays of the same groups, if the trainer asks.
func TestBatchesAsArrays(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(3)
	one, two := binaryGroup(t, "a", 2), binaryGroup(t, "b", 1)
	f.do("POST", mainPath+"/groups", string(groupform.AppendFrame(groupform.AppendFrame(nil, 0, one), 0, two)), "Content-Type: "+groupform.Frames)
	var want []byte
	for i, body := range [][]byte{one, two} {
		g, err := groupform.NewCodec(1 << 20).Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		want = groupform.AppendFrame(want, uint64(i+1), groupform.AppendArrays(nil, g))
	}
	w := f.do("POST", mainPath+"/batches", "", "Accept: "+groupform.Arrays)
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) || w.Header().Get("Content-Type") != groupform.Arrays || w.Header().Get(headerSequences) != "3" {
		t.Errorf("batch: %d %q, want %q", w.Code, w.Body, want)
	}
}

func TestAcknowledging(t *testing.T) {
	f := newFixture(t, nil, Config{})
	if w := f.do("POST", mainPath+"/batches", ""); w.Code != http.StatusConflict {
		t.Errorf("before a trainer registers: %d %s", w.Code, w.Body)
	}
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1), group(4, 1, -1))
	first, _ := f.take("trainer=a")
	second, ids := f.take("trainer=b")
	if ids != "2" {
		t.Errorf("the second trainer got %s, want 2", ids)
	}
	f.tell(first, "ack?trainer=b", 409)
	f.tell(first, "nack?trainer=b", 409)
	f.tell(first, "extend?trainer=b", 409)
	f.tell(first, "extend?trainer=a&lease=2h", 200)
	if got := f.tell(first, "ack?trainer=a", 200); got != `{"status":"acknowledged","again":false}` {
		t.Error(got)
	}
	if got := f.tell(first, "ack?trainer=a", 200); got != `{"status":"acknowledged","again":true}` {
		t.Error(got)
	}
	f.tell(first, "nack?trainer=a", 410)
	f.tell(first, "extend?trainer=a", 410)
	f.tell("77", "ack", 410)
	f.tell("x", "ack", 404)
	f.tell("0", "ack", 404)
	f.tell(second, "nack?trainer=b", 200)
	f.tell(second, "nack?trainer=b", 200)   // no trainer has it
	f.tell(second, "ack?trainer=a", 409)    // a never had it
	f.tell(second, "extend?trainer=a", 409) // so a may not take it this way
	if number, ids := f.take("trainer=a"); number != second || ids != "2" {
		t.Errorf("batch %s with %s, want %s with 2", number, ids, second)
	}
	f.tell(second, "ack?trainer=b", 409)

	// A trainer on Atropos' routes has its own batches, and acknowledges them.
	if got := f.batch(); got != "3" {
		t.Errorf("batch %s, want 3", got)
	}
	if got := f.batch(); got != "4" {
		t.Errorf("batch %s, want 4", got)
	}
	f.restart()
	f.tell(second, "ack?trainer=a", 200) // known across the restart
	if got := f.batch(); got != "4" {
		t.Errorf("after a restart: batch %s, want 4", got)
	}
	f.batch()
	f.restart()
	if got := f.tell(second, "ack?trainer=a", 200); got != `{"status":"acknowledged","again":true}` {
		t.Error(got)
	}
	if st := f.run.Stats(); st.Open != 0 {
		t.Errorf("%d batches are open, want none", st.Open)
	}
}

// TestAnotherBatchSize registers a trainer with another batch size while others train. They
// keep their batches; waiting groups go into batches of the new size.
func TestAnotherBatchSize(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(2)
	for id := 1; id <= 9; id++ {
		f.put(group(id, 1, -1))
	}
	first, _ := f.take("trainer=a")
	lost, _ := f.take("trainer=c")
	back, _ := f.take("trainer=c")
	f.tell(back, "nack?trainer=c", 200)
	if w := f.do("POST", "/register?trainer=b", fmt.Sprintf(registerBody, 3, 0)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if _, ids := f.take("trainer=b"); ids != "5 6 7" {
		t.Errorf("batch %s of the new size, want 5 6 7: 5 and 6 were given back", ids)
	}
	f.tell(back, "ack?trainer=c", 410) // its groups went into others
	f.tell(first, "ack?trainer=a", 200)
	if w := f.do("POST", "/register?trainer=c", fmt.Sprintf(registerBody, 3, 0)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if _, ids := f.take("trainer=c"); ids != "3 4 8" {
		t.Errorf("batch %s, want 3 4 8: c had the first two", ids)
	}
	f.tell(lost, "ack?trainer=c", 410)
	if st := f.run.Stats(); st.Acked != 1 || st.Open != 2 {
		t.Errorf("%d acknowledged and %d open, want 1 and 2", st.Acked, st.Open)
	}
}

// TestRegisteringIsOneTrainers hands out again the batches of the registering trainer, not
// those of others.
func TestRegisteringIsOneTrainers(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1))
	f.take("trainer=a")
	f.take("trainer=b")
	if w := f.do("POST", "/register?trainer=b", fmt.Sprintf(registerBody, 1, 0)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if _, ids := f.take("trainer=c"); ids != "2" {
		t.Errorf("batch %s, want 2", ids)
	}
	if _, ids := f.take("trainer=c"); ids != "" {
		t.Errorf("batch %s, want none", ids)
	}
}

func TestLeaseRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Settings: Settings{Lease: time.Minute}})
		f.begin(1)
		f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1), group(4, 1, -1))
		first, _ := f.take("trainer=a")
		second, _ := f.take("trainer=a&lease=10m")
		time.Sleep(50 * time.Second)
		f.tell(first, "extend?trainer=a&lease=30", 200)
		time.Sleep(20 * time.Second)
		if _, ids := f.take("trainer=b"); ids != "3" {
			t.Errorf("batch %s, want 3: the lease was extended", ids)
		}
		time.Sleep(20 * time.Second)
		if st := f.run.Stats(); st.Expired != 1 {
			t.Errorf("%d leases ran out, want 1", st.Expired)
		}
		f.tell(first, "ack?trainer=a", 200) // late, but no other trainer has it
		if _, ids := f.take("trainer=b"); ids != "4" {
			t.Errorf("batch %s, want 4", ids)
		}
		time.Sleep(10 * time.Minute)
		if number, ids := f.take("trainer=b"); number != second || ids != "2" {
			t.Errorf("batch %s with %s, want %s with 2: its lease ran out", number, ids, second)
		}
		f.tell(second, "ack?trainer=a", 409)
		f.tell(second, "ack?trainer=b", 200)
	})
}

// TestSilentTrainerKeeps has a slow trainer on Atropos' routes: asking for more acknowledges
// its batches, unless another trainer got them.
func TestSilentTrainerKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Settings: Settings{Lease: time.Minute}})
		f.begin(1)
		f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1))
		f.batch()
		time.Sleep(time.Hour)
		if got := f.batch(); got != "2" {
			t.Errorf("batch %s, want 2: 1 is the trainer's still", got)
		}
		time.Sleep(time.Hour)
		if _, ids := f.take("trainer=b"); ids != "2" {
			t.Errorf("batch %s, want 2: its lease ran out", ids)
		}
		if got := f.batch(); got != "3" {
			t.Errorf("batch %s, want 3", got)
		}
	})
}

// TestLongPoll waits for a batch, which comes after a new group, an expired lease or a leaving
// environment, or not at all.
func TestLongPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Settings: Settings{Lease: 10 * time.Second, EnvTimeout: 20 * time.Second}})
		f.begin(4)
		start := time.Now()
		wait := func(why, query, want string, after time.Duration) {
			t.Helper()
			start = time.Now()
			_, ids := f.take(query)
			if took := time.Since(start).Round(100 * time.Millisecond); ids != want || took != after {
				t.Errorf("%s: batch %q after %v, want %q after %v", why, ids, took, want, after)
			}
		}
		wait("nothing comes", "wait=3s", "", 3*time.Second)
		late := time.AfterFunc(2*time.Second, func() { f.put(group(1, 4, -1)) })
		wait("a group comes", "wait=60&trainer=a", "1", 2*time.Second)
		wait("a lease runs out", "wait=1m&trainer=b&lease=1h", "1", 10*time.Second)
		late.Stop()
		f.env(4, "0.5")
		f.put(group(2, 4, -1))
		wait("an environment with a minimum falls silent", "wait=300&lease=1h", "2", 20*time.Second)
		give := time.AfterFunc(4*time.Second, func() { f.tell("2", "nack", 200) })
		wait("a batch is given back", "wait=5m&trainer=c", "2", 4*time.Second)
		give.Stop()
	})
}

// TestLongPollsStandInLine serves waiting trainers in the order of their requests, except
// one that has gone.
func TestLongPollsStandInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{})
		f.begin(1)
		var waiting sync.WaitGroup
		got := make([]string, 4)
		gone, leave := context.WithCancel(t.Context())
		for i := range got {
			ctx := t.Context()
			if i == 1 {
				ctx = gone
			}
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+mainPath+"/batches?wait=60", nil)
			waiting.Go(func() {
				w := httptest.NewRecorder()
				f.server.Handler().ServeHTTP(w, r)
				got[i] = w.Header().Get(headerBatch)
			})
			synctest.Wait() // for it to stand in line
		}
		leave()
		synctest.Wait()
		f.put(group(1, 1, -1), group(2, 1, -1)) // together: the first in line lets the next one look
		synctest.Wait()
		f.put(group(3, 1, -1))
		waiting.Wait()
		if want := []string{"1", "", "2", "3"}; !slices.Equal(got, want) {
			t.Errorf("batches %q, want %q", got, want)
		}
	})
}

// TestStoppingWakes ends waiting requests when the server ends.
func TestStoppingWakes(t *testing.T) {
	f := newFixture(t, nil, Config{Web: web.Settings{Drain: time.Minute}})
	f.begin(1)
	addr, end := f.serve()
	for _, path := range []string{"POST " + mainPath + "/batches?wait=5m", "GET " + mainPath + "/groups?wait=5m", "GET " + mainPath + "/events"} {
		c := dial(t, addr)
		defer c.Close()
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	}
	for f.run.Stats().Posts == 0 { // the last one, after which all are under way
		f.put(group(1, 9, -1))
	}
	end()
}

func TestFollowing(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1))
	f.batch() // 1 is leased, but still shown
	see := func(query string) (ids, last string) {
		t.Helper()
		w := f.do("GET", mainPath+"/groups?"+query, "", "Accept: application/json")
		if w.Code != 200 {
			t.Fatalf("groups?%s: %d %s", query, w.Code, w.Body)
		}
		return batchIDs(t, w.Body), w.Header().Get(headerLast)
	}
	for _, test := range []struct{ query, ids, last string }{
		{"", "1 2 3", "3"},
		{"limit=2", "1 2", "2"},
		{"after=2", "3", "3"},
		{"after=9", "", "9"},
	} {
		if ids, last := see(test.query); ids != test.ids || last != test.last {
			t.Errorf("groups?%s: %s up to %s, want %s up to %s", test.query, ids, last, test.ids, test.last)
		}
	}
	w := f.do("GET", mainPath+"/groups?after=2", "")
	if w.Header().Get(headerGroups) != "1" || len(w.Body.Bytes()) < groupform.FrameHead {
		t.Errorf("binary: %q", w.Body)
	}
	f.batch() // acknowledges 1, which is gone then
	if ids, _ := see(""); ids != "" {
		t.Errorf("groups %s after a gap, want none yet: what is missing could come", ids)
	}
	for _, query := range []string{"after=x", "limit=0", "limit=1001", "wait=x", "wait=-1"} {
		if w := f.do("GET", mainPath+"/groups?"+query, ""); w.Code != 422 {
			t.Errorf("groups?%s: %d", query, w.Code)
		}
	}
}

// TestFollowingWaits shows a group to a waiting follower, and a group after a gap a moment
// later.
func TestFollowingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{})
		f.begin(1)
		late := time.AfterFunc(time.Second, func() { f.put(group(1, 1, -1)) })
		defer late.Stop()
		see := func(query, want string, after time.Duration) {
			t.Helper()
			start := time.Now()
			w := f.do("GET", mainPath+"/groups?"+query, "", "Accept: application/json")
			if ids := batchIDs(t, w.Body); ids != want || time.Since(start) != after {
				t.Errorf("groups?%s: %q after %v, want %q after %v", query, ids, time.Since(start), want, after)
			}
		}
		see("wait=1m", "1", time.Second)
		see("wait=1s&after=1", "", time.Second)
		f.batch()
		f.put(group(2, 1, -1))
		f.batch()
		f.batch() // 2 has gone
		f.put(group(3, 1, -1))
		see("wait=1m&after=1", "3", freshGap)
	})
}

func TestEvents(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1))
	f.batch()
	addr, _ := f.serve()
	f.follow(addr, "Content-Type: text/event-stream", "\nevent: trainer_registered\ndata: {", "event: groups\ndata: {\"groups\":1,", "event: batch\ndata: {", "\"batch\":1")
	f.batch() // acknowledges
	f.follow(addr, "event: acked")
	if w := f.do("GET", mainPath+"/events", "", "Last-Event-ID: x"); w.Code != 422 {
		t.Errorf("a bad id: %d", w.Code)
	}
}

// TestRuns has several runs, each with its groups and its trainer.
func TestRuns(t *testing.T) {
	stores := map[string]queue.Store{}
	open := func(name string) (*queue.Queue, error) {
		if stores[name] == nil {
			stores[name] = queue.NewMemory()
		}
		return queue.Open(t.Context(), stores[name], queue.Options{})
	}
	var opened []*queue.Queue
	f := newFixture(t, nil, Config{OpenRun: openRuns(open, &opened)})
	defer func() {
		for _, q := range opened {
			q.Close()
		}
	}()
	f.want("GET", "/v1/runs", "", `{"runs":["default"]}`)
	for _, test := range []struct {
		method, path string
		status       int
		reply        string
	}{
		{"GET", "/v1/runs/b/info", 404, `{"detail":"there is no run of this name"}`},
		{"PUT", "/v1/runs/b", 201, `{"run":"b","fresh":true}`},
		{"PUT", "/v1/runs/b", 200, `{"run":"b","fresh":false}`},
		{"PUT", "/v1/runs/default", 200, `{"run":"default","fresh":false}`},
		{"PUT", "/v1/runs/B", 422, `{"detail":[{"type":"value_error","loc":["body","query","run"],"msg":"should be 1 to 40 letters of a-z, 0-9, '-' and '_'","input":null}]}`},
		{"GET", "/v1/runs", 200, `{"runs":["default","b"]}`},
		{"GET", "/v1/runs/b/info", 200, `{"batch_size":-1,"max_token_len":-1}`},
		{"GET", "/v1/runs/b/info/", 307, ""},
		{"GET", "/v1/runs/b/nothing", 404, `{"detail":"Not Found"}`},
		{"GET", "/v1/runs/", 307, ""},
		{"POST", "/v1/runs/b", 405, `{"detail":"Method Not Allowed"}`},
		{"GET", "/v1/runs//reset_data", 404, `{"detail":"Not Found"}`},
		{"GET", "/v1/runs/%20/reset_data", 404, `{"detail":"there is no run of this name"}`},
		{"DELETE", "/v1/runs/b", 501, `{"detail":"this hub deletes no runs"}`},
	} {
		if w := f.do(test.method, test.path, ""); w.Code != test.status || w.Body.String() != test.reply {
			t.Errorf("%s %s: %d %s, want %d %s", test.method, test.path, w.Code, w.Body, test.status, test.reply)
		}
	}
	f.begin(2)
	f.put(group(1, 2, -1))
	f.do("POST", "/v1/runs/b/register", fmt.Sprintf(registerBody, 1, 5))
	f.want("POST", "/v1/runs/b/scored_data", group(2, 1, -1), `{"status":"received"}`)
	w := f.do("GET", "/v1/runs/b/batch", "")
	if got := batchIDs(t, w.Body); got != "2" {
		t.Errorf("run b: batch %s, want 2", got)
	}
	if got := f.batch(); got != "1" {
		t.Errorf("the main run: batch %s, want 1", got)
	}
	f.want("GET", "/v1/runs/b/status", "", `{"current_step":6,"queue_size":0}`)
	f.want("GET", mainPath+"/status", "", `{"current_step":1,"queue_size":0}`)
	for _, q := range opened {
		q.Close()
	}
	opened = nil
	f.restart()
	f.want("GET", "/v1/runs/b/status", "", `{"current_step":6,"queue_size":0}`)
	text := f.do("GET", "/metrics", "").Body.String()
	for _, want := range []string{`quintain_hub_step{run="b"} 6`, `quintain_hub_step{run="default"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	alone := newFixture(t, nil, Config{})
	if w := alone.do("PUT", "/v1/runs/b", ""); w.Code != http.StatusNotImplemented {
		t.Errorf("one run only: %d %s", w.Code, w.Body)
	}
}

// TestDeleteRun deletes a run while a trainer waits for its batch. A new run of the name is
// empty.
func TestDeleteRun(t *testing.T) {
	open := map[string]*queue.Queue{}
	f := newFixture(t, nil, Config{
		Settings: Settings{MaxRuns: 1},
		OpenRun: func(ctx context.Context, name string) (*queue.Queue, error) {
			q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
			open[name] = q
			return q, err
		},
		DropRun: func(_ context.Context, name string) error {
			defer delete(open, name)
			return open[name].Close()
		},
	})
	status := func(method, path string, want int) {
		t.Helper()
		if w := f.do(method, path, ""); w.Code != want || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, want)
		}
	}
	for range 2 {
		status("PUT", "/v1/runs/b", 201)
		status("PUT", "/v1/runs/c", 409) // above the limit
		f.want("GET", "/v1/runs/b/status", "", `{"current_step":0,"queue_size":0}`)
		f.do("POST", "/v1/runs/b/register", fmt.Sprintf(registerBody, 2, 0))
		f.want("POST", "/v1/runs/b/scored_data", group(2, 1, -1), `{"status":"received"}`)
		old := f.server.further["b"]
		moved := old.batches.moved.Next()
		ended := make(chan int)
		go func() { ended <- f.do("POST", "/v1/runs/b/batches?wait=60", "").Code }()
		status("DELETE", "/v1/runs/b", 200)
		<-moved
		if got := <-ended; got != http.StatusGone && got != http.StatusNotFound && got != http.StatusConflict {
			t.Errorf("a trainer that waits: %d", got)
		}
		status("DELETE", "/v1/runs/b", 404)
		status("GET", "/v1/runs/b/info", 404)
		f.want("GET", "/v1/runs", "", `{"runs":["default"]}`)
	}
	status("DELETE", "/v1/runs/default", 409)
	f.restart()
	f.want("GET", "/v1/runs", "", `{"runs":["default"]}`)
}

// TestStats shows the statistics of a busy run.
func TestStats(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	f.put(group(1, 7, -1), group(2, 7, -1))
	f.batch()
	w := f.do("GET", mainPath+"/stats", "")
	var st struct {
		Run       string
		Step      int
		BatchUnit string `json:"batch_unit"`
		Padded    int
		Open      []OpenBatch `json:"open_batches"`
		GroupsIn  int         `json:"groups_in"`
	}
	if err := json.NewDecoder(io.TeeReader(w.Body, io.Discard)).Decode(&st); err != nil {
		t.Fatal(err)
	}
	if st.Run != "default" || st.Step != 1 || st.BatchUnit != "sequences" || st.Padded != 1 || st.GroupsIn != 2 || len(st.Open) != 1 || st.Open[0].State != "handed" || st.Open[0].Until == nil {
		t.Errorf("stats %+v", st)
	}
}
