package gateway

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/run/rollout"
)

// play plays a session to its end: a call, the end, and a reward unless it is NaN as text.
func (b *bench) play(s MadeSession, reward string) {
	b.t.Helper()
	b.post(s, 200, ask)
	if reward != "" {
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": `+reward+`}`)
	}
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", map[bool]string{true: `{"failed": "agent"}`}[reward == ""])
}

// rewardsOf is the rewards of a result, and its outcomes where there is none.
func rewardsOf(r rollout.Result) string {
	var all []string
	for i := range r.Trajectories {
		t := &r.Trajectories[i]
		if t.Outcome.Rewarded() {
			all = append(all, fmt.Sprint(t.Reward()))
		} else {
			all = append(all, string(t.Outcome))
		}
	}
	return strings.Join(all, " ")
}

func TestGroups(t *testing.T) {
	for _, test := range []struct {
		why, spec string
		rewards   []string // of the sessions of the first request; empty: the agent fails
		then      func(b *bench, made Made)
		want      string // rewards and outcomes of the result
		drop      rollout.Drop
	}{
		{"all", `{"name": "x", "of": 3}`, []string{"0", "1", "0.5"}, nil, "0 1 0.5", ""},
		{"one failed", `{"name": "x", "of": 3}`, []string{"0", "1", ""}, nil, "0 1 env_failed", rollout.DropEnvFailed},
		{"one failed, and was replaced", `{"name": "x", "of": 2, "replace": 1}`, []string{"0", ""}, func(b *bench, m Made) {
			b.want(409, "POST", "/v1/sessions", `{"group": "`+m.Group+`", "count": 2}`)
			b.play(b.more(m), "1")
		}, "0 1", ""},
		{"the one in its place failed too", `{"name": "x", "of": 2, "replace": 1}`, []string{"0", ""}, func(b *bench, m Made) {
			b.play(b.more(m), "")
		}, "0 env_failed env_failed", rollout.DropEnvFailed},
		{"at least two", `{"name": "x", "of": 3, "at_least": 2}`, []string{"0", "", "1"}, nil, "0 1", ""},
		{"at least two, but one", `{"name": "x", "of": 3, "at_least": 2}`, []string{"0", "", ""}, nil, "0 env_failed env_failed", rollout.DropEnvFailed},
		{"closed with two of four", `{"name": "x", "of": 4, "at_least": 2, "count": 2}`, []string{"0", "1"}, func(b *bench, m Made) {
			b.want(200, "POST", "/v1/groups/"+m.Group+"/close", "")
			b.want(409, "POST", "/v1/groups/"+m.Group+"/sessions", "")
		}, "0 1", ""},
	} {
		b := open(t, nil)
		made := b.make(test.spec)
		for i, r := range test.rewards {
			b.play(made.Sessions[i], r)
		}
		if test.then != nil {
			for _, s := range made.Sessions {
				b.want(200, "GET", "/v1/sessions/"+s.ID+"?wait=10&state=sealed", "")
			}
			test.then(b, made)
		}
		r := b.result()
		if got := rewardsOf(r); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
		if j, err := (rollout.Rules{Estimator: rollout.None, KeepEqual: true}).Judge(r); j.Drop != test.drop || err != nil {
			t.Errorf("%s: drop %q, want %q; error %v", test.why, j.Drop, test.drop, err)
		}
	}
}

// A group that is not trained on says why: the route, its sessions and the events.
func TestDroppedGroupsSaySo(t *testing.T) {
	for _, want := range []rollout.Drop{rollout.DropEqual, ""} {
		b := open(t, nil)
		b.desk.drop = want
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/v1/sessions/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		made := b.make(`{"name": "x", "of": 2}`)
		for _, s := range made.Sessions {
			b.play(s, "1")
		}
		type view struct {
			Done    bool
			Dropped rollout.Drop
		}
		of := parse[view](t, b.want(200, "GET", "/v1/groups/"+made.Group+"?wait=30", ""))
		one := parse[view](t, b.want(200, "GET", "/v1/sessions/"+made.Sessions[1].ID, ""))
		if !of.Done || of.Dropped != want || one.Dropped != want {
			t.Errorf("%+v, %+v, want %q", of, one, want)
		}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"rewarded"`) {
				if got := parse[view](t, data).Dropped; got != want {
					t.Errorf("the event says %q, want %q", got, want)
				}
				break
			}
		}
	}
}

// A call longer than the journal takes is refused before it is sampled, for good.
func TestCallsTooLongToBeKept(t *testing.T) {
	b := open(t, in(filepath.Join(t.TempDir(), "s")))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.post(s, 413, `{"messages": [{"role": "user", "content": "`+strings.Repeat("x", journal.MaxData/2+1)+`"}]}`)
	b.policy.mu.Lock()
	defer b.policy.mu.Unlock()
	if len(b.policy.asked) > 0 {
		t.Error("it was sampled")
	}
}

// more asks for one more session of a group.
func (b *bench) more(m Made) MadeSession {
	b.t.Helper()
	return parse[Made](b.t, b.want(201, "POST", "/v1/groups/"+m.Group+"/sessions", "")).Sessions[0]
}

// A group whose sessions cannot be made gives up its place at the gate.
func TestRefusedSessionsLeaveTheGate(t *testing.T) {
	for _, test := range []struct {
		why, spec string
		status    int
	}{
		{"too many sessions", `{"name": "y", "of": 4}`, 429},
		{"more than the group has", `{"name": "y", "of": 1, "count": 2}`, 422},
		{"more at least than the group has", `{"name": "y", "of": 2, "at_least": 3}`, 422},
		{"a time that is none", `{"name": "y", "of": 1, "reward_within": -1}`, 422},
		{"a time without end", `{"name": "y", "of": 1, "reward_within": 1e30}`, 422},
		{"a limit below 0", `{"name": "y", "of": 1, "limits": {"idle": -1}}`, 422},
	} {
		b := open(t, func(c *Config) { c.Settings.MaxSessions = 3 })
		b.want(test.status, "POST", "/v1/sessions", test.spec)
		if b.desk.entered != 0 || len(b.gateway.all()) != 0 {
			t.Errorf("%s: %d groups entered, %d are there", test.why, b.desk.entered, len(b.gateway.all()))
		}
	}
}

// The limit of sessions counts those under way.
func TestFinishedSessionsMakeRoom(t *testing.T) {
	b := open(t, func(c *Config) { c.Settings.MaxSessions = 1 })
	for range 3 {
		b.play(b.make(`{"name": "x", "of": 1}`).Sessions[0], "1")
		b.result()
		b.until(func() bool {
			b.gateway.mu.Lock()
			defer b.gateway.mu.Unlock()
			return b.gateway.live == 0
		})
	}
	if room := NewDoor(b.gateway).Room(); room != 1 {
		t.Errorf("there is room for %d sessions", room)
	}
}

// A group without all its sessions ends when its time is over, and none of them is given a
// reward for that.
func TestLateGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _, _ := inBubble(t)
		made, err := g.Make(t.Context(), Spec{Name: "x", Group: "g", Of: 3, Count: 2}, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range g.sessions {
			s.limits.Seconds, s.limits.Idle = 0, 0
		}
		if err := g.End(t.Context(), made.Sessions[0].ID, End{Failed: failedAgent}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*g.config.Settings.GroupWithin + time.Minute)
		for range 2 {
			r := <-g.host.(*desk).results
			for _, one := range r.Trajectories {
				if one.Outcome != quintain.TimedOut && one.Outcome != quintain.EnvFailed {
					t.Errorf("%s: outcome %q", one.Problem.Prompt, one.Outcome)
				}
			}
		}
	})
}

// A closed group is closed after a restart; its name is taken while it can be looked at.
func TestGroupsAfterRestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	m := b.make(`{"name": "x", "of": 2, "count": 1, "group": "g"}`)
	b.post(m.Sessions[0], 200, ask)
	b.want(200, "POST", "/v1/groups/g/close", "")
	b = b.again(folder)
	b.want(409, "POST", "/v1/sessions", `{"name": "x", "group": "g"}`)
	b.want(200, "POST", "/v1/sessions/"+m.Sessions[0].ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+m.Sessions[0].ID+"/end", "")
	if got := rewardsOf(b.result()); got != "1" {
		t.Error(got)
	}
	b.want(409, "POST", "/v1/sessions", `{"name": "x", "group": "g"}`)
}

// A full disk refuses sessions, and leaves nothing of them.
func TestSessionsThatCannotBeKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	b.disk.fails(journal.ErrFull)
	b.want(507, "POST", "/v1/sessions", `{"name": "x", "of": 1}`)
	b.disk.fails(syscall.EIO)
	b.want(503, "POST", "/v1/sessions", `{"name": "x", "of": 1}`)
	b.disk.fails(nil)
	long := strings.Repeat("<", journal.MaxData/6) // as JSON, it has more bytes
	b.want(413, "POST", "/v1/sessions", `{"name": "x", "of": 1, "prompt": "`+long+`"}`)
	if b.desk.entered != 0 || len(b.gateway.all()) != 0 {
		t.Errorf("%d groups entered, %d are there", b.desk.entered, len(b.gateway.all()))
	}
	b.make(`{"name": "x", "of": 1}`)
}

// A request for sessions is made once, however often it is sent.
func TestOrders(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	const spec = `{"name": "x", "of": 1}`
	b.desk.mu.Lock()
	b.desk.shut = true
	b.desk.mu.Unlock()
	waits := make(chan int)
	go func() {
		status, _ := b.do("POST", "/v1/sessions?wait=60", spec, "Idempotency-Key", "k")
		waits <- status
	}()
	b.until(func() bool {
		b.gateway.mu.Lock()
		defer b.gateway.mu.Unlock()
		_, known := b.gateway.orders["k"]
		return known
	})
	if why := b.want(429, "POST", "/v1/sessions", spec, "Idempotency-Key", "k"); !strings.Contains(why, "a request with this key is under way") {
		t.Error(why)
	}
	b.desk.open()
	if status := <-waits; status != 201 {
		t.Errorf("status %d", status)
	}
	first := b.want(201, "POST", "/v1/sessions", spec, "Idempotency-Key", "k")
	b.want(201, "POST", "/v1/sessions", spec, "Idempotency-Key", "n")
	b = b.again(folder)
	if again := b.want(201, "POST", "/v1/sessions", spec, "Idempotency-Key", "k"); again != first {
		t.Errorf("%s\n%s", first, again)
	}
	if other := b.want(201, "POST", "/v1/sessions", spec, "Idempotency-Key", "l"); other == first {
		t.Error("another key got the same sessions")
	}
	if why := b.want(409, "POST", "/v1/sessions", `{"name": "x", "of": 2}`, "Idempotency-Key", "k"); !strings.Contains(why, "another request had this key") {
		t.Error(why)
	}
	b.want(422, "POST", "/v1/sessions", `{"of": -1}`, "Idempotency-Key", "m")
	b.want(201, "POST", "/v1/sessions", spec, "Idempotency-Key", "m")
	if one, two := b.want(201, "POST", "/v1/sessions", spec), b.want(201, "POST", "/v1/sessions", spec); one == two {
		t.Error("requests without a key got the same sessions")
	}
}

// A slow host has graders that wait at the answer "slow".
type slowHost struct {
	*desk
	until chan struct{}
}

func (h slowHost) Next() (rollout.Job, error) {
	job, err := h.desk.Next()
	job.Scenario = slowJudge{until: h.until}
	return job, err
}

type slowJudge struct {
	judge
	judgement
	until chan struct{}
}

func (j slowJudge) Env(quintain.Problem) (quintain.Env, error) { return j, nil }
func (j slowJudge) Step(ctx context.Context, r quintain.Reply) (quintain.Step, error) {
	if r.Text == "slow" {
		<-j.until
	}
	return j.judgement.Step(ctx, r)
}

// A grader that takes its time holds up no other session, nor those who look at its own.
func TestASlowGraderHoldsNobodyUp(t *testing.T) {
	h := slowHost{&desk{results: make(chan rollout.Result, 9), opens: make(chan struct{})}, make(chan struct{})}
	p := &parrot{says: []string{"slow", "right"}}
	b := start(t, Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}, Player{Policy: p}, h)
	b.desk = h.desk
	open := sync.OnceFunc(func() { close(h.until) })
	t.Cleanup(open) // before the gateway ends
	first := b.make(`{}`).Sessions[0]
	b.post(first, 200, ask)
	b.want(200, "POST", "/v1/sessions/"+first.ID+"/end", "")
	second := b.make(`{}`).Sessions[0]
	b.post(second, 200, ask)
	b.want(200, "POST", "/v1/sessions/"+second.ID+"/end", "")
	if r := b.result(); r.Trajectories[0].Turns[0].Reply != "right" || r.Trajectories[0].Reward() != 1 {
		t.Errorf("%+v", r)
	}
	if v := b.want(200, "GET", "/v1/sessions/"+first.ID, ""); !strings.Contains(v, `"awaiting"`) {
		t.Error(v)
	}
	open()
	if r := b.result(); r.Trajectories[0].Turns[0].Reply != "slow" || r.Trajectories[0].Outcome != quintain.Scored {
		t.Errorf("%+v", r)
	}
}

// A reward of the grader that the disk does not take is no fault of the agent: it comes later.
func TestGradersOnAFullDisk(t *testing.T) {
	b := open(t, func(c *Config) { c.GroupSize, c.Folder = 1, filepath.Join(t.TempDir(), "s") })
	h := slowJudge{until: make(chan struct{})}
	s := b.make(`{}`).Sessions[0]
	b.gateway.sessions[s.ID].group.job.Scenario = h
	b.policy.says = []string{"slow"}
	b.post(s, 200, ask)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	b.disk.fails(journal.ErrFull)
	close(h.until)
	b.until(func() bool { return b.disk.refusals() > 0 })
	b.disk.fails(nil)
	if r := b.result().Trajectories[0]; r.Outcome != quintain.Scored {
		t.Errorf("%s: %s", r.Outcome, r.Error)
	}
}

// An echo is a scenario that says what it read.
type echo struct {
	quintain.Scenario
	tags bool
}

func (e echo) Info() quintain.ScenarioInfo { return quintain.ScenarioInfo{Name: "echo", Tags: e.tags} }
func (echo) Env(quintain.Problem) (quintain.Env, error) {
	return echoing{}, nil
}

type echoing struct{ judgement }

func (echoing) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	return quintain.Step{Reward: 1, Why: "read " + r.Text}, nil
}

// The scenario says whether it reads an agent's answer between tags, whatever its name is.
func TestAnswersAsTheScenarioReadsThem(t *testing.T) {
	for tags, want := range map[bool]string{true: "read <answer>3</answer>", false: "read 3"} {
		b := open(t, nil)
		s := b.make(`{"of": 1}`).Sessions[0]
		b.gateway.sessions[s.ID].group.job.Scenario = echo{tags: tags}
		b.post(s, 200, ask)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", `{"answer": "3"}`)
		if turn := b.result().Trajectories[0].Turns[0]; turn.Why != want {
			t.Errorf("tags: %v: the scenario %s, want %s", tags, turn.Why, want)
		}
	}
}
