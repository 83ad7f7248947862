package hub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a hub under test, over a store that survives it.
type fixture struct {
	t      *testing.T
	store  queue.Store
	config Config
	server *Server
	run    *Run   // the default run
	stop   func() // ends server and queue
}

// newFixture returns a hub over store; nil: a new one in memory.
func newFixture(t *testing.T, store queue.Store, c Config) *fixture {
	t.Helper()
	if store == nil {
		store = queue.NewMemory()
	}
	f := &fixture{t: t, store: store, config: c}
	f.start()
	t.Cleanup(func() { f.stop() })
	return f
}

// start makes another server, as after a restart, with a new queue over the store.
func (f *fixture) start() {
	f.t.Helper()
	q, err := queue.Open(f.t.Context(), f.store, queue.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.config.Queue = q
	if f.server, err = New(f.config); err != nil {
		f.t.Fatal(err)
	}
	f.run = f.server.Default()
	f.stop = func() {
		if err := q.Close(); err != nil {
			f.t.Error(err)
		}
	}
}

// restart ends the server and starts another.
func (f *fixture) restart() {
	f.t.Helper()
	f.stop()
	f.start()
}

// serve runs the server on a socket and returns its address. The server ends before the
// fixture.
func (f *fixture) serve() (addr string, end func()) {
	f.t.Helper()
	addr, end = webtest.Serve(f.t, f.server)
	close := f.stop
	f.stop = func() { end(); close() }
	return addr, end
}

// do makes a request without a socket. The body is sent as JSON; headers are
// "Name: value".
func (f *fixture) do(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.server.Handler().ServeHTTP(w, r)
	return w
}

// want makes a request and checks its reply.
func (f *fixture) want(method, path, body, reply string) {
	f.t.Helper()
	if w := f.do(method, path, body); w.Code != http.StatusOK || w.Body.String() != reply {
		f.t.Fatalf("%s %s %.200s: %d %.600s\nwant %s", method, path, body, w.Code, w.Body, reply)
	}
}

const registerBody = `{"wandb_group":"g","wandb_project":"p","batch_size":%d,"max_token_len":64,` +
	`"checkpoint_dir":"c","save_checkpoint_interval":5,"starting_step":%d,"num_steps":10}`

// register registers a trainer.
func (f *fixture) register(batch, step int) {
	f.t.Helper()
	w := f.do("POST", "/register", fmt.Sprintf(registerBody, batch, step))
	var reply struct{ UUID json.Number }
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || len(reply.UUID) < 30 || strings.ContainsAny(string(reply.UUID), ".e-") {
		f.t.Fatalf("register: %d %s", w.Code, w.Body)
	}
}

// begin registers a trainer that asks for a batch, so that environments may register.
func (f *fixture) begin(batch int) {
	f.t.Helper()
	f.register(batch, 0)
	f.want("GET", "/batch", "", `{"batch":null}`)
}

// env registers an environment.
func (f *fixture) env(groupSize int, minimum string) {
	f.t.Helper()
	if w := f.do("POST", "/register-env", fmt.Sprintf(`{"max_token_length":64,"desired_name":"e","weight":1,"group_size":%d,"min_batch_allocation":%s}`,
		groupSize, minimum)); !strings.HasPrefix(w.Body.String(), `{"status":"success"`) {
		f.t.Fatalf("register-env: %s", w.Body)
	}
}

// group is a group of n sequences, each with the token id; env -1 is none.
func group(id, n, env int) string {
	list := func(s string) string { return "[" + strings.TrimSuffix(strings.Repeat(s+",", n), ",") + "]" }
	from := ""
	if env >= 0 {
		from = fmt.Sprintf(`,"env_id":%d`, env)
	}
	token := list(fmt.Sprintf("[%d]", id))
	return fmt.Sprintf(`{"tokens":%s,"masks":%s,"scores":%s%s}`, token, token, list("1"), from)
}

// put posts groups one by one.
func (f *fixture) put(groups ...string) {
	f.t.Helper()
	for _, g := range groups {
		f.want("POST", "/scored_data", g, `{"status":"received"}`)
	}
}

// batch asks for a batch, and returns the ids of its groups; "null" for none.
func (f *fixture) batch() string {
	f.t.Helper()
	w := f.do("GET", "/batch", "")
	if w.Code != http.StatusOK {
		f.t.Fatalf("batch: %d %s", w.Code, w.Body)
	}
	return batchIDs(f.t, w.Body)
}

// batchIDs reads the ids of a batch's groups.
func batchIDs(t *testing.T, r io.Reader) string {
	t.Helper()
	var reply struct {
		Batch []struct {
			Tokens    [][]int
			Overrides []any
		}
	}
	if err := json.NewDecoder(r).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if reply.Batch == nil {
		return "null"
	}
	var ids []string
	for _, g := range reply.Batch {
		if g.Overrides == nil { // else padding
			ids = append(ids, fmt.Sprint(g.Tokens[0][0]))
		}
	}
	return strings.Join(ids, " ")
}

func TestRoutes(t *testing.T) {
	f := newFixture(t, nil, Config{})
	for _, test := range []struct {
		why, method, path, body string
		headers                 []string
		status                  int
		reply                   string
	}{
		{"its name", "GET", "/", "", nil, 200, `{"message":"AtroposLib API"}`},
		{"nothing registered", "GET", "/info", "", nil, 200, `{"batch_size":-1,"max_token_len":-1}`},
		{"no run", "GET", "/wandb_info", "", nil, 200, `{"group":null,"project":null}`},
		{"nothing done", "GET", "/status", "", nil, 200, `{"current_step":0,"queue_size":0}`},
		{"no trainer", "GET", "/batch", "", nil, 200, `{"status":"error","message":"Trainer not registered. Call /register first.","batch":[]}`},
		{"nothing came yet", "GET", "/latest_example", "", nil, 200,
			`{"tokens":[],"masks":[],"scores":[],"advantages":[],"ref_logprobs":[],"generation_params":[],"inference_logprobs":[],"messages":[],"images":[]}`},
		{"environments wait", "POST", "/register-env", `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4}`, nil, 200,
			`{"status":"wait for trainer to start"}`},
		{"no environment to disconnect", "POST", "/disconnect-env", `{"env_id":0}`, nil, 200, `{"status":"failure","error":"no environment has this env_id"}`},
		{"not counted from the end", "POST", "/disconnect-env", `{"env_id":-1}`, nil, 200, `{"status":"failure","error":"no environment has this env_id"}`},
		{"no such environment", "GET", "/status-env", `{"env_id":0}`, nil, 422,
			`{"detail":[{"type":"value_error","loc":["body","env_id"],"msg":"no environment has this env_id","input":null}]}`},
		{"the argument is in the body", "GET", "/status-env?env_id=0", "", nil, 422,
			`{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`},
		{"an empty list", "POST", "/scored_data_list", "[]", nil, 200, `{"status":"received","groups_processed":0}`},
		{"not a list", "POST", "/scored_data_list", "{}", nil, 422,
			`{"detail":[{"type":"list_type","loc":["body"],"msg":"Input should be a valid list","input":{}}]}`},
		{"a reset is plain text", "GET", "/reset_data", "", nil, 200, "Reset successful"},
		{"unknown path", "GET", "/nope", "", nil, 404, `{"detail":"Not Found"}`},
		{"no run id", "GET", "/run-id", "", nil, 404, `{"detail":"Not Found"}`},
		{"wrong method", "POST", "/info", "", nil, 405, `{"detail":"Method Not Allowed"}`},
		{"HEAD is one", "HEAD", "/batch", "", nil, 405, `{"detail":"Method Not Allowed"}`},
		{"a slash too many", "GET", "/info/?a=b", "", nil, 307, ""},
		{"a slash after an unknown path", "GET", "/nope/", "", nil, 404, `{"detail":"Not Found"}`},
		{"no content type", "POST", "/scored_data", group(1, 1, -1), []string{"Content-Type: text/plain"}, 422,
			`{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be JSON, and Content-Type should say so","input":null}]}`},
		{"a kind of JSON", "POST", "/scored_data", group(1, 1, -1), []string{"Content-Type: Application/x+JSON; charset=utf-8"}, 200, `{"status":"received"}`},
		{"bad UTF-8", "POST", "/register", "\"\xff\"", nil, 400, `{"detail":"There was an error parsing the body"}`},
		{"not JSON", "POST", "/register", "{", nil, 422,
			`{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"want a key in double quotes"}}]}`},
		{"an unknown encoding", "POST", "/register", "{}", []string{"Content-Encoding: br"}, 415, `{"detail":"Content-Encoding is neither gzip nor identity"}`},
		{"an odd name", "POST", "/scored_data", group(1, 1, -1), []string{"Idempotency-Key: " + strings.Repeat("x", 300)}, 422,
			`{"detail":[{"type":"value_error","loc":["body","Idempotency-Key"],"msg":"should have at most 256 bytes, none of them a control character","input":null}]}`},
	} {
		w := f.do(test.method, test.path, test.body, test.headers...)
		if w.Code != test.status || w.Body.String() != test.reply {
			t.Errorf("%s: %s %s: %d %s\nwant %d %s", test.why, test.method, test.path, w.Code, w.Body, test.status, test.reply)
		}
		kind := w.Header().Get("Content-Type")
		if want := "application/json"; test.status != 307 && test.path != "/reset_data" && kind != want {
			t.Errorf("%s: content type %q, want %q", test.why, kind, want)
		}
		if test.status == 405 && w.Header().Get("Allow") == "" {
			t.Errorf("%s: does not say what is allowed", test.why)
		}
		if test.status == 307 && w.Header().Get("Location") != "/info?a=b" {
			t.Errorf("%s: goes to %q", test.why, w.Header().Get("Location"))
		}
	}
}

func TestRun(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.register(8, 3)
	f.want("GET", "/info", "", `{"batch_size":8,"max_token_len":64}`)
	f.want("GET", "/wandb_info", "", `{"group":"g","project":"p"}`)
	f.want("GET", "/status", "", `{"current_step":3,"queue_size":0}`)
	env := `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4`
	f.want("POST", "/register-env", env+"}", `{"status":"wait for trainer to start"}`)
	f.want("GET", "/batch", "", `{"batch":null}`)
	f.want("POST", "/register-env", env+"}",
		`{"status":"success","env_id":0,"wandb_name":"e_0","checkpoint_dir":"c","starting_step":3,"checkpoint_interval":5,"num_steps":10}`)
	f.want("POST", "/register-env", env+`,"min_batch_allocation":"0.25"}`,
		`{"status":"success","env_id":1,"wandb_name":"e_1","checkpoint_dir":"c","starting_step":3,"checkpoint_interval":5,"num_steps":10}`)
	f.want("GET", "/status-env", `{"env_id":0}`,
		`{"current_step":3,"queue_size":0,"unallocated_fraction":0.75,"self_queue_size":0,"max_group_size":1,"env_weight":0.5}`)

	whole := `{"tokens":[[10],[10],[10],[10]],"masks":[[10],[10],[10],[10]],"scores":[1.0,1.0,1.0,1.0],"advantages":null,"ref_logprobs":null,` +
		`"messages":null,"generation_params":null,"inference_logprobs":null,"overrides":null,"group_overrides":null,"images":null,` +
		`"env_id":0,"distill_token_ids":null,"distill_logprobs":null}`
	f.put(group(10, 4, 0), group(20, 4, 0))
	f.want("GET", "/batch", "", `{"batch":null}`) // environment 1 has a minimum
	f.put(group(30, 4, 1))
	f.want("GET", "/latest_example", "", strings.NewReplacer(`"env_id":0`, `"env_id":1`, "[10]", "[30]").Replace(whole))
	f.want("GET", "/status", "", `{"current_step":3,"queue_size":3}`)
	f.want("GET", "/batch", "", `{"batch":[`+whole+`,`+strings.NewReplacer(`"env_id":0`, `"env_id":1`, "[10]", "[30]").Replace(whole)+`]}`)
	f.want("GET", "/status", "", `{"current_step":4,"queue_size":1}`)
	f.want("GET", "/batch", "", `{"batch":null}`)
	f.want("POST", "/disconnect-env", `{"env_id":1}`, `{"status":"success"}`)
	f.put(group(40, 4, 0))
	if got := f.batch(); got != "20 40" {
		t.Errorf("batch %s, want 20 40", got)
	}

	f.want("GET", "/reset_data", "", "Reset successful")
	f.want("GET", "/status", "", `{"current_step":0,"queue_size":0}`)
	f.want("GET", "/info", "", `{"batch_size":-1,"max_token_len":-1}`)
	f.want("POST", "/register-env", env+"}", `{"status":"wait for trainer to start"}`)
	f.begin(4)
	f.env(4, "null")
	f.put(group(50, 4, 0))
	if got := f.batch(); got != "50" {
		t.Errorf("after a reset: batch %s, want 50", got)
	}
}

func TestBatchesAreOldestFirst(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1))
	for i, want := range []string{"1", "2", "3", "null"} {
		if got := f.batch(); got != want {
			t.Errorf("batch %d has %s, want %s", i, got, want)
		}
		if want := min(i+1, 3); f.run.Step() != want {
			t.Errorf("after batch %d the step is %d, want %d: it counts what was handed out", i, f.run.Step(), want)
		}
	}
}

func TestDataBeforeRegistering(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.put(group(1, 4, 0), group(2, 4, -1))
	f.want("GET", "/status", "", `{"current_step":0,"queue_size":2}`)
	f.register(8, 0)
	if got := f.batch(); got != "1 2" {
		t.Errorf("batch %s, want 1 2", got)
	}
}

func TestRegisteringAgain(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1), group(4, 1, -1))
	f.batch() // 1, which the next one acknowledges
	for _, test := range []struct {
		why         string
		batch, step int
		want        string
		after       int
	}{
		{"an acknowledged batch is done", 0, 0, "2", 2},
		{"an unacknowledged one is handed out again, and counted once", 1, 0, "2", 2},
		{"again, whatever step the trainer names", 1, 1, "2", 2},
		{"a trainer may be ahead", 1, 40, "2", 40},
		{"another batch size makes other batches", 2, 0, "2 3", 41},
	} {
		if test.batch > 0 {
			f.register(test.batch, test.step)
		}
		if got := f.batch(); got != test.want || f.run.Step() != test.after {
			t.Errorf("%s: batch %s at step %d, want %s at %d", test.why, got, f.run.Step(), test.want, test.after)
		}
	}
	if st := f.run.Stats(); st.Again != 3 || st.Open != 1 {
		t.Errorf("stats %+v, want 3 again, 1 open", st)
	}
}

func TestRestart(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(4)
	f.env(4, "null")
	f.put(group(1, 4, 0), group(2, 4, 0), group(3, 4, 0))
	f.batch()
	if got := f.batch(); got != "2" {
		t.Fatalf("batch %s, want 2", got)
	}
	f.want("POST", "/scored_data", group(4, 2, 0), `{"status":"buffered","buffer_size":2}`)
	f.restart()
	f.want("GET", "/status", "", `{"current_step":2,"queue_size":1}`)
	f.want("GET", "/info", "", `{"batch_size":4,"max_token_len":64}`)
	f.want("GET", "/status-env", `{"env_id":0}`,
		`{"current_step":2,"queue_size":1,"unallocated_fraction":1.0,"self_queue_size":1,"max_group_size":4,"env_weight":1.0}`)
	if w := f.do("GET", "/latest_example", ""); !strings.Contains(w.Body.String(), `"tokens":[[3],[3],[3],[3]]`) {
		t.Errorf("latest example %s", w.Body)
	}
	for _, want := range []string{"2", "3", "null"} {
		if got := f.batch(); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
	}
	f.want("POST", "/scored_data", group(5, 2, 0), `{"status":"buffered","buffer_size":0}`)
	f.restart() // without open batches or held groups
	if got := f.batch(); got != "4 5" {
		t.Errorf("batch %s, want 4 5", got)
	}
	f.batch()
	f.restart()
	f.want("GET", "/status", "", `{"current_step":4,"queue_size":0}`)
}

func TestHolding(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	f.env(4, "null")
	f.want("POST", "/scored_data", group(1, 2, 0), `{"status":"buffered","buffer_size":2}`)
	f.want("POST", "/scored_data_list", "["+group(2, 3, 0)+","+group(3, 2, 0)+","+group(4, 4, 0)+"]",
		`{"status":"received","groups_processed":3,"buffered":2,"last_buffer_size":3}`)
	f.want("GET", "/status", "", `{"current_step":0,"queue_size":3}`)
	f.put(group(5, 16, 0)) // larger than registered, so never held
	if got := f.batch(); got != "1 3 4" {
		t.Errorf("batch %s, want 1 3 4", got)
	}
	f.put(group(6, 2, 9), group(7, 2, -1), group(8, 1, -1)) // from an unregistered environment
	if got := f.batch(); got != "5" {
		t.Errorf("batch %s, want 5, which is larger than a batch, alone", got)
	}
	if got := f.batch(); got != "null" {
		t.Errorf("batch %s of five, want none", got)
	}
	f.want("POST", "/disconnect-env", `{"env_id":0}`, `{"status":"success"}`)
	if got := f.batch(); got != "2 6 7 8" {
		t.Errorf("batch %s, want 2 6 7 8: nothing will make up what was held of an environment that has gone", got)
	}
	if st := f.run.Stats(); st.Held != 0 {
		t.Errorf("stats %+v, want none held", st)
	}
}

// TestHoldingFails fails a post of an odd group at each of its steps, then repeats it.
func TestHoldingFails(t *testing.T) {
	for fail := range 4 {
		store := &badStore{Memory: queue.NewMemory()}
		f := newFixture(t, store, Config{})
		f.begin(4)
		f.env(4, "null")
		f.do("POST", "/scored_data", group(1, 2, 0), "Idempotency-Key: one")
		store.writes = fail + 1
		first := f.do("POST", "/scored_data", group(2, 2, 0), "Idempotency-Key: two").Code
		store.writes = 0
		f.restart()
		f.do("POST", "/scored_data", group(2, 2, 0), "Idempotency-Key: two")
		if got := f.batch(); got != "1 2" {
			t.Errorf("write %d fails (%d): batch %s, want 1 2", fail, first, got)
		}
		if got := f.batch(); got != "null" {
			t.Errorf("write %d fails: then %s", fail, got)
		}
	}
}

// named is a group of one sequence with a name.
func named(id int, name string) string {
	return strings.Replace(group(id, 1, -1), "{", `{"id":"`+name+`",`, 1)
}

// framed is named in binary form.
func framed(t *testing.T, id int, name string) string {
	t.Helper()
	g, err := new(atropos.Reader).Group([]byte(named(id, name)))
	if err != nil {
		t.Fatal(err)
	}
	body, err := groupform.NewCodec(0).Encode(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(groupform.AppendFrame(nil, 0, body))
}

func TestPutOnce(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	const received, conflict = `{"status":"received"`, `{"detail":"the id \"`
	two := "[" + group(6, 1, -1) + "," + group(7, 1, -1) + "]"
	for _, test := range []struct {
		why, path, body, key, reply string
	}{
		{"an id", "/scored_data", named(1, "a"), "", received},
		{"the same again", "/scored_data", named(1, "a"), "", received},
		{"a key is an id", "/scored_data", group(1, 1, -1), "a", received},
		{"with other content", "/scored_data", named(2, "a"), "", conflict},
		{"a key with other content", "/scored_data", group(3, 1, -1), "a", conflict},
		{"in a list", "/scored_data_list", "[" + named(1, "a") + "]", "", received},
		{"in a list with other content, of which nothing is kept", "/scored_data_list", "[" + group(4, 1, -1) + "," + named(5, "a") + "]", "", conflict},
		{"in the binary form", mainPath + "/groups", framed(t, 1, "a"), "", `{"groups":[{"id":"a","fresh":false}]`},
		{"in the binary form with other content", mainPath + "/groups", framed(t, 2, "a"), "", conflict},
		{"an id goes before the key", "/scored_data", named(1, "a"), "b", received},
		{"a key for a list", "/scored_data_list", two, "c", received},
		{"the list again", "/scored_data_list", two, "c", received},
		{"the first of the list in a list of one", "/scored_data_list", "[" + group(6, 1, -1) + "]", "c", received},
		{"and alone", "/scored_data", group(6, 1, -1), "c", received},
		{"another list", "/scored_data_list", "[" + group(8, 1, -1) + "," + group(9, 1, -1) + "]", "c", conflict},
		{"no id, no identity", "/scored_data", group(10, 1, -1), "", received},
		{"as often as it comes", "/scored_data", group(10, 1, -1), "", received},
	} {
		var headers []string
		if test.key != "" {
			headers = []string{"Idempotency-Key: " + test.key}
		}
		if test.body[0] != '{' && test.body[0] != '[' {
			headers = append(headers, "Content-Type: "+groupform.Frames)
		}
		want := map[bool]int{false: http.StatusOK, true: http.StatusConflict}[test.reply == conflict]
		if w := f.do("POST", test.path, test.body, headers...); w.Code != want || !strings.HasPrefix(w.Body.String(), test.reply) {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, want, test.reply)
		}
	}
	var got []string
	for id := ""; id != "null"; got = append(got, id) {
		id = f.batch()
	}
	if all := strings.Join(got, " "); all != "1 6 7 10 10 null" {
		t.Errorf("handed out %s, want 1 6 7 10 10", all)
	}
	f.do("POST", "/scored_data", named(1, "a"))
	if got := f.batch(); got != "null" {
		t.Errorf("put again after it was acknowledged: %s", got)
	}
}
