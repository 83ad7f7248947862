package hub

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// openRuns makes the OpenRun of a Config, which records what it opened.
func openRuns(open func(string) (*queue.Queue, error), opened *[]*queue.Queue) func(context.Context, string) (*queue.Queue, error) {
	return func(_ context.Context, name string) (*queue.Queue, error) {
		q, err := open(name)
		if err == nil {
			*opened = append(*opened, q)
		}
		return q, err
	}
}

func TestRoles(t *testing.T) {
	f := newFixture(t, nil, Config{Keys: []web.Key{
		{Role: web.Admin, Secret: "all"}, {Role: Producer, Secret: "p"}, {Role: Producer, Secret: "p2"}, {Role: Trainer, Secret: "t"}, {Role: Reader, Secret: "r"}, {Role: web.Admin, Secret: "a"},
	}})
	for _, test := range []struct {
		method, path string
		may          string // the keys that the route accepts
	}{
		{"GET", "/", "all p p2 t r a none"},
		{"GET", "/healthz", "all p p2 t r a none"},
		{"GET", "/readyz", "all p p2 t r a none"},
		{"GET", "/openapi.json", "all p p2 t r a none"},
		{"GET", "/metrics", "all p p2 t r a"},
		{"GET", "/info", "all p p2 t r a"},
		{"POST", "/scored_data", "all p p2 a"},
		{"POST", "/scored_data_list", "all p p2 a"},
		{"POST", "/register-env", "all p p2 a"},
		{"POST", mainPath + "/groups", "all p p2 a"},
		{"GET", mainPath + "/groups", "all p p2 t r a"},
		{"POST", "/register", "all t a"},
		{"GET", "/batch", "all t a"},
		{"POST", mainPath + "/batches", "all t a"},
		{"POST", mainPath + "/batches/1/ack", "all t a"},
		{"GET", "/reset_data", "all a"},
		{"PUT", "/v1/runs/x", "all a"},
		{"DELETE", "/v1/drain", "all a"},
	} {
		for _, key := range strings.Fields("all p p2 t r a none") {
			w := f.do(test.method, test.path, "", "X-API-Key: "+key)
			allowed := w.Code != 401 && w.Code != 403
			if allowed != strings.Contains(" "+test.may+" ", " "+key+" ") {
				t.Errorf("%s %s with key %s: %d, want only %s to pass", test.method, test.path, key, w.Code, test.may)
			}
			if (w.Code == 401) != (key == "none" && !allowed) {
				t.Errorf("%s %s with key %s: %d", test.method, test.path, key, w.Code)
			}
		}
	}
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for why, c := range map[string]Config{
		"an empty key":    {Queue: q, Keys: []web.Key{{Role: web.Admin}}},
		"too many groups": {Queue: q, Settings: Settings{MaxGroups: 1001}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: taken", why)
		}
	}
}

func TestLimits(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{MaxGroups: 2, MaxSequences: 3, MaxTokens: 4}})
	long := `{"tokens":[[1],[1,2,3,4,5]],"masks":[[1],[1,2,3,4,5]],"scores":[1,1]}`
	for _, test := range []struct {
		why, path, body string
		status          int
		reply           string
	}{
		{"as much as may be", "/scored_data_list", "[" + group(1, 3, -1) + "," + group(2, 1, -1) + "]", 200, `"groups_processed":2`},
		{"too many groups", "/scored_data_list", "[" + group(1, 1, -1) + "," + group(2, 1, -1) + "," + group(3, 1, -1) + "]", 422, `List should have at most 2 elements`},
		{"too many sequences", "/scored_data", group(1, 4, -1), 422, `"loc":["body","tokens"],"msg":"List should have at most 3 elements"`},
		{"a sequence without tokens", "/scored_data", `{"tokens":[[1],[]],"masks":[[1],[]],"scores":[1,0]}`, 422, `"loc":["body","tokens",1],"msg":"has no token, want one or more"`},
		{"a token below 0", "/scored_data", `{"tokens":[[1,-2],[1]],"masks":[[1,-2],[1]],"scores":[1,0]}`, 422, `"loc":["body","tokens",0],"msg":"has the token -2, want none below 0"`},
		{"too many tokens", "/scored_data_list", "[" + group(1, 1, -1) + "," + long + "]", 422, `"loc":["body",1,"tokens",1],"msg":"has 5 tokens, want at most 4"`},
	} {
		w := f.do("POST", test.path, test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), strings.Trim(test.reply, `"`)) {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.reply)
		}
	}
	f.want("GET", "/status", "", `{"current_step":0,"queue_size":2}`) // refused posts changed nothing
}

func TestFull(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{MaxWaiting: 2}})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1))
	for _, path := range []string{"/scored_data", "/scored_data_list", mainPath + "/groups"} {
		w := f.do("POST", path, group(3, 1, -1))
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "2 groups wait") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	f.batch()
	f.put(group(3, 1, -1))
	if st := f.run.Stats(); st.Full != 3 {
		t.Errorf("%d posts were refused for lack of room, want 3", st.Full)
	}
}

func TestDropOldest(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{MaxWaiting: 2, WhenFull: DropOldest}})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1))
	f.batch()
	f.put(group(3, 1, -1), group(4, 1, -1), group(5, 1, -1)) // drops 2, then 3; 1 is the trainer's
	for _, want := range []string{"4", "5", "null"} {
		if got := f.batch(); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
	}
	if st := f.run.Stats(); st.Dropped != 2 {
		t.Errorf("%d groups were dropped, want 2", st.Dropped)
	}
}

func TestDraining(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1))
	f.want("GET", "/readyz", "", `{"status":"ready"}`)
	f.want("GET", "/healthz", "", `{"status":"ok"}`)
	f.want("POST", "/v1/drain", "", `{"status":"draining"}`)
	for path, body := range map[string]string{"/scored_data": group(2, 1, -1), "/readyz": ""} {
		method := map[bool]string{true: "GET", false: "POST"}[body == ""]
		if w := f.do(method, path, body); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	f.want("GET", "/healthz", "", `{"status":"ok"}`)
	if got := f.batch(); got != "1" {
		t.Errorf("batch %s, want 1: what waits is handed out", got)
	}
	f.want("DELETE", "/v1/drain", "", `{"status":"ready"}`)
	f.put(group(2, 1, -1))
}

func TestMetrics(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(2)
	f.put(group(1, 2, -1), group(2, 2, -1), group(3, 7, -1))
	f.batch()
	f.do("POST", "/scored_data", "{")
	f.do("GET", "/nope", "")
	text := f.do("GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`quintain_hub_groups_in_total{run="default"} 3`, `quintain_hub_tokens_in_total{run="default"} 11`,
		`quintain_hub_groups_out_total{run="default"} 1`, `quintain_hub_tokens_out_total{run="default"} 2`,
		`quintain_hub_queue_groups{run="default",state="waiting"} 2`, `quintain_hub_queue_groups{run="default",state="leased"} 1`,
		`quintain_hub_sequences_padded_total{run="default"} 0`, `quintain_hub_batches_back_total{reason="lease_expired",run="default"} 0`,
		`quintain_hub_refused_total{reason="invalid",run="default"} 1`, `quintain_hub_queue_oldest_seconds{run="default"}`,
		`quintain_hub_http_requests_total{method="POST",route="/scored_data",status="200"} 3`,
		`quintain_hub_http_requests_total{method="GET",route="none",status="404"} 1`,
		`quintain_hub_http_request_seconds_bucket{method="GET",route="/batch",le="+Inf"} 2`,
		`quintain_hub_http_request_bytes_total{route="/register"}`, `quintain_hub_http_response_bytes_total{route="/batch"}`,
		"quintain_hub_draining 0", "go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}

// TestOddGroupsAreLetGo frees odd groups that complete nothing.
func TestOddGroupsAreLetGo(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(6)
	f.env(4, "null")
	for i := range maxHeld {
		want := fmt.Sprintf(`{"status":"buffered","buffer_size":%d}`, (i+1)*3%(maxHeld*3))
		f.want("POST", "/scored_data", group(i+1, 3, 0), want)
	}
	if got := f.batch(); got != "1 2" {
		t.Errorf("batch %s, want 1 2", got)
	}
	if st := f.run.Stats(); st.LetGo != maxHeld || st.Held != 0 {
		t.Errorf("%d were let go and %d are held, want %d and none", st.LetGo, st.Held, maxHeld)
	}
}

// TestLateReplies sends a request long after the last reply on its connection, and one that
// waits longer than a body may stall.
func TestLateReplies(t *testing.T) {
	f := newFixture(t, nil, Config{Web: web.Settings{Stall: 100 * time.Millisecond}})
	f.begin(1)
	f.put(group(1, 1, -1))
	addr, _ := f.serve()
	c := dial(t, addr)
	defer c.Close()
	for i, want := range []int{200, 204, 204} {
		fmt.Fprintf(c, "POST %s/batches?wait=0.3 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", mainPath)
		if status, err := readStatus(c); err != nil || status != want {
			t.Fatalf("request %d: %d %v, want %d", i, status, err, want)
		}
	}
}

// TestFullReadsTheBody refuses a large post while full, then answers the next on the same
// connection.
func TestFullReadsTheBody(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{MaxWaiting: 1}})
	f.begin(1)
	f.put(group(1, 1, -1))
	addr, _ := f.serve()
	c := dial(t, addr)
	defer c.Close()
	body := wide(1, 500_000)
	for range 2 {
		if _, err := fmt.Fprintf(c, "POST /scored_data HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
		if status, err := readStatus(c); err != nil || status != http.StatusTooManyRequests {
			t.Fatal(status, err)
		}
	}
}

// TestHastyTrainer takes each batch on its own connection, and closes that after the last
// byte. No batch comes twice.
func TestHastyTrainer(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	addr, _ := f.serve()
	const batches = 300
	var list []string
	for id := range batches {
		list = append(list, group(id, 1, -1))
	}
	f.want("POST", "/scored_data_list", "["+strings.Join(list, ",")+"]", fmt.Sprintf(`{"status":"received","groups_processed":%d}`, batches))
	for id := range batches {
		c := dial(t, addr)
		got := fetch(t, c)
		c.Close()
		if got != fmt.Sprint(id) {
			t.Fatalf("batch %s, want %d", got, id)
		}
	}
}
