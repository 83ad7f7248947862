package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/words"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const size = 2 // episodes of a group

// streams returns a stream of a task.
func streams(t testing.TB) []rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(words.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	of, err := tasks.Get("spell_backward")
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range scenarios.All {
		if spec.Name == "reasoning_gym" {
			s, err := spec.Over(of, nil)
			if err != nil {
				t.Fatal(err)
			}
			return []rollout.Stream{{Scenario: s, Seed: 1, Weight: 1}}
		}
	}
	t.Fatal("there is no scenario")
	return nil
}

// A desk is a table with room for some groups, over a real mix.
type desk struct {
	*rollout.Mix
	gate *rollout.Admission

	versions Versions

	mu     sync.Mutex
	judged map[string]rollout.Result // by the ID of the problem
	twice  int                       // problems that were judged again
	full   bool                      // the disk
	kept   int

	finished string
}

func newDesk(t testing.TB, groups int) *desk {
	mix, err := rollout.NewMix(streams(t))
	if err != nil {
		t.Fatal(err)
	}
	return &desk{Mix: mix, gate: rollout.NewAdmission(rollout.Gate{Batch: groups * size}, 0), judged: map[string]rollout.Result{}}
}

func (d *desk) Admit(ctx context.Context) error { return d.gate.Enter(ctx, size) }
func (d *desk) Leave()                          { d.gate.Leave(size) }
func (d *desk) Resume()                         { d.gate.Resume(size) }
func (d *desk) Room() int                       { return d.gate.Room() / size }
func (d *desk) Version() int                    { return 3 }
func (d *desk) Finished() string                { return d.finished }

func (d *desk) Return(job rollout.Job) {
	d.Redo(job)
	d.Leave()
}

func (d *desk) Job(p quintain.Problem) rollout.Job {
	job, _ := d.Reopen(p)
	return job
}

func (d *desk) Keep(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept++
	return nil
}

func (d *desk) Judge(_ context.Context, r rollout.Result) (rollout.Drop, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		d.Redo(r.Job)
		return "", fmt.Errorf("keeping a group: %w", queue.ErrNoSpace)
	}
	id := r.Job.Problem.ID()
	if _, before := d.judged[id]; before {
		d.twice++
	}
	d.judged[id] = r
	d.Done(r.Job, nil)
	d.Leave()
	return "", nil
}

// A site is a coordinator on a port.
type site struct {
	*Coordinator
	t    *testing.T
	desk *desk
	url  string
	stop func()
}

// newSite opens a coordinator over a desk, with the leases of a snapshot, if there is one.
func newSite(t *testing.T, d *desk, before json.RawMessage) *site {
	return newSiteWith(t, d, before, nil)
}

// newSiteWith is newSite with weights.
func newSiteWith(t *testing.T, d *desk, before json.RawMessage, weights *Weights) *site {
	c := New(Config{Settings: Defaults(), Play: Play{Program: "quintain 1", Tasks: "all"}, GroupSize: size, Labels: []string{"spell_backward"}, Weights: weights})
	c.Follow(d.versions)
	if before != nil {
		if err := c.Part().Restore(before); err != nil {
			t.Fatal(err)
		}
	}
	server, err := web.New(web.Config{Routes: c.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	addr, _ := webtest.Serve(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := lead(ctx, c, d); err != nil {
			t.Error(err)
		}
	})
	s := &site{c, t, d, "http://" + addr + "/v1/runs/default", func() { cancel(); running.Wait() }}
	t.Cleanup(s.stop)
	for s.ask("GET", "/workers", nil, nil) != http.StatusOK || c.tableNow() == nil {
	}
	return s
}

// ask sends a request, reads the reply into got, and returns its status.
func (s *site) ask(method, path string, body, got any) int {
	s.t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			s.t.Fatal(err)
		}
	}
	return s.send(method, path, text, got)
}

func (s *site) send(method, path string, body []byte, got any) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && got != nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, got)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode
}

// A name is a worker's instance.
func name(i int) string { return fmt.Sprintf("worker%016d", i) }

// join registers a worker.
func (s *site) join(i int) {
	s.t.Helper()
	var w Welcome
	r := Registration{Instance: name(i), Name: fmt.Sprint("w", i), Slots: 8, Program: "quintain 1", Tasks: "all"}
	if status := s.ask("POST", "/workers", r, &w); status != http.StatusOK || w.Version != 3 || w.Beat*3 != w.Lease {
		s.t.Fatalf("registration: status %d, %+v", status, w)
	}
}

// take takes up to n leases for a worker.
func (s *site) take(i, n int) []Lease {
	s.t.Helper()
	var g Grant
	if status := s.ask("POST", fmt.Sprintf("/leases?instance=%s&max=%d", name(i), n), nil, &g); status != http.StatusOK {
		s.t.Fatalf("leases: status %d", status)
	}
	return g.Leases
}

// played is a group as a worker plays it.
func played(i int) Finish {
	f := Finish{Instance: name(i)}
	for range size {
		f.Episodes = append(f.Episodes, quintain.Trajectory{Outcome: quintain.InfraFailed, Error: "the server is down"})
	}
	return f
}

// finish closes a lease.
func (s *site) finish(l Lease, f Finish) int {
	s.t.Helper()
	return s.ask("POST", fmt.Sprintf("/leases/%d/finish", l.Number), f, &Verdict{})
}

// pass lets time pass in which only some workers give a sign of life.
func (s *site) pass(alive ...int) {
	later := time.Now().Add(s.config.Settings.Lease + time.Second)
	s.mu.Lock()
	for _, i := range alive {
		s.workers[name(i)].LastSeen = later
	}
	s.mu.Unlock()
	for _, h := range s.expire(later, true) {
		s.lose(s.t.Context(), h)
	}
}

func TestGroupsComeBackOnce(t *testing.T) {
	s := newSite(t, newDesk(t, 4), nil)
	s.join(1)
	all := s.take(1, 3)
	if len(all) != 3 || all[0].Problem.Prompt == "" {
		t.Fatalf("leases %+v", all)
	}
	if more := s.take(1, 8); len(more) != 1 {
		t.Errorf("%d leases more, and the gate has room for 1", len(more))
	}
	for range 2 {
		if status := s.finish(all[0], played(1)); status != http.StatusOK {
			t.Errorf("finish: status %d", status)
		}
	}
	if len(s.desk.judged) != 1 || s.desk.twice != 0 || s.desk.kept == 0 {
		t.Errorf("%d problems are judged, %d twice", len(s.desk.judged), s.desk.twice)
	}
	r := s.desk.judged[all[0].Problem.ID()]
	if len(r.Trajectories) != size || r.Trajectories[1].Problem.ID() != all[0].Problem.ID() {
		t.Errorf("the result is %+v", r)
	}
	if status := s.finish(all[1], Finish{Instance: name(1), Returned: true}); status != http.StatusOK {
		t.Errorf("return: status %d", status)
	}
	if again := s.take(1, 1); len(again) != 1 || again[0].Problem.ID() != all[1].Problem.ID() || again[0].Attempt != 1 || again[0].Number == all[1].Number {
		t.Errorf("a returned problem came back as %+v", again)
	}
}

func TestALostWorkerIsFenced(t *testing.T) {
	s := newSite(t, newDesk(t, 2), nil)
	s.join(1)
	s.join(2)
	old := s.take(1, 1)[0]
	s.pass(2)
	now := s.take(2, 1)[0]
	if now.Problem.ID() != old.Problem.ID() || now.Attempt != 2 {
		t.Fatalf("the problem of a lost worker came back as %+v", now)
	}
	if status := s.finish(old, played(1)); status != http.StatusGone {
		t.Errorf("a lost worker's group: status %d", status)
	}
	s.join(1) // it comes back
	if status := s.finish(old, played(1)); status != http.StatusGone {
		t.Errorf("its old group: status %d", status)
	}
	if status := s.finish(now, played(1)); status != http.StatusGone {
		t.Errorf("a group for another's lease: status %d", status)
	}
	if status := s.finish(now, played(2)); status != http.StatusOK {
		t.Errorf("the group: status %d", status)
	}
	if len(s.desk.judged) != 1 || s.desk.twice != 0 {
		t.Errorf("%d problems are judged, %d twice", len(s.desk.judged), s.desk.twice)
	}
}

func TestAPoisonProblemIsGivenUp(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	var id string
	for i := range s.config.Settings.Attempts {
		s.join(i)
		l := s.take(i, 1)
		if len(l) != 1 || i > 0 && l[0].Problem.ID() != id {
			t.Fatalf("attempt %d has leases %+v", i, l)
		}
		id = l[0].Problem.ID()
		s.pass()
	}
	r, judged := s.desk.judged[id]
	if !judged || len(r.Trajectories) != size || r.Trajectories[0].Outcome != quintain.EnvFailed || !strings.Contains(r.Trajectories[0].Error, "3 workers") {
		t.Errorf("a problem that lost all its workers became %+v", r)
	}
	s.join(9)
	if l := s.take(9, 1); len(l) != 1 || l[0].Problem.ID() == id {
		t.Errorf("after it come %+v", l)
	}
}

func TestALiarGetsNothingMore(t *testing.T) {
	for why, lie := range map[string]func(*Finish){
		"too few episodes":        func(f *Finish) { f.Episodes = f.Episodes[1:] },
		"no outcome":              func(f *Finish) { f.Episodes[0].Outcome = "won" },
		"a reward without a turn": func(f *Finish) { f.Episodes[0].Outcome = quintain.Scored },
		"another problem":         func(f *Finish) { f.Episodes[1].Problem = quintain.Problem{Task: "sum"} },
		"a parent after the turn": func(f *Finish) { f.Episodes[0].Turns = []quintain.Turn{{Call: &quintain.Call{Parent: 4}}} },
		"more tokens than their log-ps": func(f *Finish) {
			f.Episodes[0].Turns = []quintain.Turn{{Wrote: []quintain.Token{1}, LogProbs: []float32{0, 0}}}
		},
	} {
		t.Run(why, func(t *testing.T) {
			s := newSite(t, newDesk(t, 2), nil)
			s.join(1)
			all := s.take(1, 2)
			f := played(1)
			lie(&f)
			if status := s.finish(all[0], f); status != http.StatusUnprocessableEntity {
				t.Errorf("status %d", status)
			}
			if status := s.ask("POST", "/leases?instance="+name(1), nil, nil); status != http.StatusForbidden {
				t.Errorf("more leases: status %d", status)
			}
			if status := s.finish(all[1], played(1)); status != http.StatusForbidden {
				t.Errorf("its other lease: status %d", status)
			}
			s.join(2)
			if back := s.take(2, 2); len(back) != 2 || back[0].Attempt != 1 || len(s.desk.judged) != 0 {
				t.Errorf("others get %+v", back)
			}
		})
	}
}

func TestALostAnswerCostsNoProblem(t *testing.T) {
	s := newSite(t, newDesk(t, 2), nil)
	s.join(1)
	all := s.take(1, 2)
	s.mu.Lock()
	s.held[all[1].Number].granted = time.Now().Add(-time.Hour)
	s.mu.Unlock()
	var a Answer
	if status := s.ask("POST", "/workers/"+name(1)+"/beat", Beat{Leases: []uint64{all[0].Number, 77}}, &a); status != http.StatusOK || len(a.Gone) != 1 || a.Gone[0] != 77 {
		t.Errorf("beat: status %d, %+v", status, a)
	}
	if again := s.take(1, 2); len(again) != 1 || again[0].Problem.ID() != all[1].Problem.ID() {
		t.Errorf("a lease that the worker does not know came back as %+v", again)
	}
}

func TestAFullDiskKeepsTheLease(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.join(1)
	l := s.take(1, 1)[0]
	s.desk.full = true
	if status := s.finish(l, played(1)); status != http.StatusInsufficientStorage {
		t.Errorf("status %d", status)
	}
	if more := s.take(1, 1); len(more) != 0 {
		t.Errorf("meanwhile the gate lets in %+v", more)
	}
	s.desk.full = false
	if status := s.finish(l, played(1)); status != http.StatusOK || len(s.desk.judged) != 1 {
		t.Errorf("then status %d, %d groups", status, len(s.desk.judged))
	}
}

func TestANewCoordinatorTakesTheLeasesOver(t *testing.T) {
	first := newSite(t, newDesk(t, 3), nil)
	first.join(1)
	all := first.take(1, 3)
	first.finish(all[0], played(1))
	book, err := first.Part().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	mix, err := first.desk.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	first.stop()
	d := newDesk(t, 3)
	if err := d.UnmarshalJSON(mix); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, d, book)
	if status := s.finish(all[0], played(1)); status != http.StatusOK {
		t.Errorf("a finish that the first answered: status %d", status)
	}
	if status := s.finish(all[1], played(1)); status != http.StatusOK {
		t.Errorf("a lease of the first: status %d", status)
	}
	if w := s.Roster().Workers; len(w) != 1 || w[0].Slots != 0 {
		t.Errorf("the workers are %+v", w)
	}
	s.ask("POST", "/workers/"+name(1)+"/beat", Beat{Name: "w1", Slots: 8, Leases: []uint64{all[2].Number}}, nil)
	if w := s.Roster().Workers; len(w) != 1 || w[0].Name != "w1" || w[0].Slots != 8 {
		t.Errorf("after a beat the workers are %+v", w)
	}
	s.join(2)
	if other := s.take(2, 3); len(other) != 2 || other[0].Problem.Index != 3 {
		t.Errorf("others get %+v, and one problem of the gate's three is still the first worker's", other)
	}
	s.pass(2)
	if back := s.take(2, 3); len(back) != 1 || back[0].Problem.ID() != all[2].Problem.ID() {
		t.Errorf("when that worker is lost, others get %+v", back)
	}
	if len(d.judged) != 1 || d.twice != 0 {
		t.Errorf("%d problems are judged, %d twice", len(d.judged), d.twice)
	}
}

func TestAWorkerIsToldWhichImagesItLacks(t *testing.T) {
	want := &Play{Program: "quintain 1", Tasks: "all", Runs: "1234 and image sha256:a and image sha256:b"}
	err := check(want, &Registration{Instance: name(1), Name: "w", Slots: 1, Program: "quintain 1", Tasks: "all", Runs: "5678 and image sha256:a"})
	if err == nil || !strings.Contains(err.Error(), `runs programs by "1234 and image sha256:b", and the worker by "5678"`) {
		t.Errorf("%v", err)
	}
}

func TestStrangersAreRefused(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	good := Registration{Instance: name(1), Name: "w", Slots: 1, Program: "quintain 1", Tasks: "all"}
	for _, test := range []struct {
		why    string
		change func(*Registration)
		want   int
	}{
		{"another program", func(r *Registration) { r.Program = "quintain 2" }, http.StatusConflict},
		{"other tasks", func(r *Registration) { r.Tasks = "some" }, http.StatusConflict},
		{"another interpreter", func(r *Registration) { r.Runs = "native; python cpython 3.11.4" }, http.StatusConflict},
		{"a short instance", func(r *Registration) { r.Instance = "a" }, http.StatusUnprocessableEntity},
		{"an instance that is a path", func(r *Registration) { r.Instance = "../../../../../../x" }, http.StatusUnprocessableEntity},
		{"no slots", func(r *Registration) { r.Slots = 0 }, http.StatusUnprocessableEntity},
		{"a long name", func(r *Registration) { r.Name = strings.Repeat("n", 300) }, http.StatusUnprocessableEntity},
	} {
		r := good
		test.change(&r)
		if status := s.ask("POST", "/workers", r, nil); status != test.want {
			t.Errorf("%s: status %d, want %d", test.why, status, test.want)
		}
	}
	for _, test := range []struct {
		why, method, path, body string
		want                    int
	}{
		{"leases for nobody", "POST", "/leases?instance=" + name(5), "", http.StatusGone},
		{"a beat of nobody", "POST", "/workers/" + name(5) + "/beat", "{}", http.StatusGone},
		{"no number", "POST", "/leases/x/finish", "{}", http.StatusNotFound},
		{"no JSON", "POST", "/workers", "{", http.StatusBadRequest},
		{"a wait for ever", "POST", "/leases?wait=Inf&instance=" + name(1), "", http.StatusUnprocessableEntity},
		{"no leases", "POST", "/leases?max=0&instance=" + name(1), "", http.StatusUnprocessableEntity},
	} {
		if status := s.send(test.method, test.path, []byte(test.body), nil); status != test.want {
			t.Errorf("%s: status %d, want %d", test.why, status, test.want)
		}
	}
	s.url = strings.Replace(s.url, "default", "other", 1)
	if status := s.ask("GET", "/workers", nil, nil); status != http.StatusNotFound {
		t.Errorf("another run: status %d", status)
	}
}

// TestPoliciesAreOfOneKind: who would make other tokens than the settings say, or than the workers
// before, is refused with both.
func TestPoliciesAreOfOneKind(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.policy = player.Identity{Kind: player.Server, Shapes: map[string]string{"policy.template_vars": "null"}}
	served := ""
	s.served = func() string { return served }
	shapes := func(tokenizer string) map[string]string {
		return map[string]string{"policy.template_vars": "null", "policy.tokenizer": tokenizer}
	}
	for i, test := range []struct {
		why    string
		plays  player.Identity
		served string
		says   string // empty: it is taken
	}{
		{"the script", player.Identity{Kind: player.Script}, "", `its policy.kind is "script", and that of the run "server"`},
		{"nothing", player.Identity{}, "", `its policy.kind is "", and that of the run "server"`},
		{"other variables", player.Identity{Kind: player.Server, Model: "a", Shapes: map[string]string{"policy.template_vars": "{}"}}, "", `its policy.template_vars is "{}", and that of the run "null"`},
		{"the first model", player.Identity{Kind: player.Server, Model: "a", Shapes: shapes("1")}, "", ""},
		{"another model", player.Identity{Kind: player.Server, Model: "b", Shapes: shapes("1")}, "", `its policy.model is "b", and that of the run "a"`},
		{"no model", player.Identity{Kind: player.Server, Shapes: shapes("1")}, "", `its policy.model is "", and that of the run "a"`},
		{"another tokenizer", player.Identity{Kind: player.Server, Model: "a", Shapes: shapes("2")}, "", `its policy.tokenizer is "2", and that of the run "1"`},
		{"the same", player.Identity{Kind: player.Server, Model: "a", Shapes: shapes("1")}, "", ""},
		{"another than the run's own server has", player.Identity{Kind: player.Server, Model: "a", Shapes: shapes("1")}, "c", `its policy.model is "a", and that of the run "c"`},
	} {
		if served = test.served; served != "" {
			s.policy.Model = ""
		}
		s.mu.Lock()
		err := s.suits(test.plays)
		s.mu.Unlock()
		status := s.ask("POST", "/workers", Registration{Instance: name(i), Name: "w", Slots: 1, Program: "quintain 1", Tasks: "all", Policy: test.plays}, nil)
		if test.says == "" && (err != nil || status != http.StatusOK) || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says) || status != http.StatusConflict) {
			t.Errorf("%s: status %d, %v", test.why, status, err)
		}
	}
	if w := s.Roster().Workers; len(w) != 2 || w[0].Model != "a" {
		t.Errorf("the workers are %+v", w)
	}
}

func TestLeavingGivesAllBack(t *testing.T) {
	s := newSite(t, newDesk(t, 2), nil)
	s.join(1)
	s.take(1, 2)
	if status := s.ask("DELETE", "/workers/"+name(1), nil, nil); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	s.join(2)
	if all := s.take(2, 2); len(all) != 2 || all[1].Attempt != 1 {
		t.Errorf("then others get %+v", all)
	}
}

func TestAWaitEndsWithTheRun(t *testing.T) {
	s := newSite(t, newDesk(t, 0), nil)
	s.join(1)
	done := make(chan int)
	go func() { done <- s.ask("POST", "/leases?wait=300&instance="+name(1), nil, nil) }()
	for len(s.gate) == 0 { // it does not wait yet
	}
	s.stop()
	if status := <-done; status != http.StatusOK && status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
}
