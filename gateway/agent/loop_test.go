package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A move is what the program of TestLoops does in an episode: the parameters of a level.
type move struct {
	Calls int    `json:"calls"` // of the model, one after the other
	Then  string `json:"then"`  // answers, exits, hangs
	Says  string `json:"says"`  // its answer, with the reply in place of REPLY
}

// moves are the levels of the program.
func moves() []move {
	return []move{
		0:  {Calls: 1, Says: `"reward": 1, "right": true, "answer": "it replied: REPLY", "end": "terminated", "why": "well done", "metrics": {"length": 4}`},
		1:  {Calls: 2, Says: `"reward": 0.5, "end": "truncated"`},
		2:  {Says: `"reward": 1, "end": "terminated"`},
		3:  {Calls: 1, Says: `"error": "the grader broke"`},
		4:  {Says: `"error": "no such file"`},
		5:  {Calls: 1, Says: `"error": "no place", "again": true`},
		6:  {Calls: 1, Then: "exits"},
		7:  {Calls: 1, Then: "hangs"},
		8:  {Calls: 1, Says: `"reward": "high", "end": "terminated"`},
		9:  {Calls: 1, Then: "calls and exits"},
		10: {Calls: 1 << 20},
	}
}

// drive is the program of TestLoops; more are further fields of its hello.
func drive(more string) error {
	fmt.Println(`{"id": 1, "hello": {"protocol": 2, "name": "loops", "version": 1, "drives": true, "parallel": 8, "levels": ` + asJSON(moves()) + more + `}}`)
	var says sync.Mutex
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r external.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if r.Play != nil {
			go playMove(&r, &says)
		}
	}
	return lines.Err()
}

// playMove plays an episode.
func playMove(r *external.Request, says *sync.Mutex) {
	var m move
	_ = json.Unmarshal(r.Play.Params, &m)
	at, reply, fault := r.Models[external.PolicyRole], "", ""
	for range m.Calls {
		status, text := post(at.URL+"/chat/completions", at.Key, body)
		if reply = text; status != http.StatusOK {
			fault = text
			break
		}
	}
	if judge, has := r.Models["judge"]; has {
		status, text := post(judge.URL+"/chat/completions", judge.Key, body)
		if reply = text; status != http.StatusOK {
			fault = text
		}
	}
	switch {
	case m.Then == "exits":
		os.Exit(3)
	case m.Then == "hangs":
		<-time.After(time.Hour)
	case m.Then == "calls and exits":
		time.AfterFunc(50*time.Millisecond, func() { os.Exit(3) })
		post(at.URL+"/chat/completions", at.Key, strings.ReplaceAll(body, "Say 3", "Wait"))
	case fault != "":
		m.Says = `"error": ` + asJSON(fault)
	}
	says.Lock()
	defer says.Unlock()
	fmt.Printf("{\"id\": %d, %s}\n", r.ID, strings.ReplaceAll(m.Says, "REPLY", fmt.Sprint(strings.Contains(reply, "well"))))
}

// asJSON returns a value as JSON.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// loops opens the program as a scenario.
func loops(t *testing.T, how Settings) quintain.Scenario {
	t.Helper()
	return loopsOf(t, how, "loop")
}

func loopsOf(t *testing.T, how Settings, way string) quintain.Scenario {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	of := external.Default()
	of.Command = fmt.Sprintf("'%s' %s %s", self, playMode, way)
	program, err := external.Open(t.Context(), of, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(program.Close)
	s, err := Drive(program, how)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// playLoop plays a problem of a level.
func playLoop(t *testing.T, s quintain.Scenario, p quintain.Policy, level int) quintain.Trajectory {
	t.Helper()
	problem, err := s.Problem(quintain.Draw{Level: level})
	if err != nil {
		t.Fatal(err)
	}
	played, err := rollout.Play(t.Context(), p, quintain.Sampling{}, rollout.Job{Scenario: s, Problem: problem})
	if err != nil {
		t.Fatal(err)
	}
	return played
}

// TestLoops is the table of what a program that drives its own loop may do, and what comes of it.
func TestLoops(t *testing.T) {
	t.Parallel()
	well := says("well")
	cut := script.Say(func(quintain.Request, int) (string, quintain.Finish) { return "well", quintain.Length })
	for _, c := range []struct {
		why     string
		level   int
		set     func(*Settings)
		policy  quintain.Policy
		outcome quintain.Outcome
		end     quintain.End
		reward  float64
		turns   int
		tells   string // in the error, or in the reason of the reward
	}{
		{why: "it rewards", level: 0, outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1, tells: "well done"},
		{why: "it cuts the episode", level: 1, outcome: quintain.Scored, end: quintain.Truncated, reward: 0.5, turns: 2},
		{why: "the reply is cut", level: 0, policy: cut, outcome: quintain.ModelFailed, end: quintain.Truncated, reward: 1, turns: 1},
		{why: "no call", level: 2, outcome: quintain.EnvFailed, tells: "no call of its model"},
		{why: "a fault with a reply", level: 3, outcome: quintain.EnvFailed, turns: 1, tells: "the grader broke"},
		{why: "a fault before a reply", level: 4, outcome: quintain.InfraFailed, tells: "no such file"},
		{why: "not the reply's fault", level: 5, outcome: quintain.InfraFailed, turns: 1, tells: "no place"},
		{why: "it ends with a reply", level: 6, outcome: quintain.EnvFailed, turns: 1, tells: "exit status 3"},
		{why: "it ends while it waits", level: 9, policy: &waits{Policy: well}, outcome: quintain.InfraFailed, turns: 1, tells: "exit status 3"},
		{why: "it hangs", level: 7, set: func(s *Settings) { s.Limits.Seconds = 0.3 }, outcome: quintain.TimedOut, turns: 1, tells: "more than 0.3 seconds"},
		{why: "a reward in words", level: 8, outcome: quintain.EnvFailed, turns: 1, tells: "is no answer"},
		{why: "too many calls", level: 10, set: func(s *Settings) { s.Limits.Calls = 3 }, outcome: quintain.EnvFailed, turns: 3, tells: "it made 3 calls"},
		{why: "the policy fails", level: 1, policy: &fails{well, 1, errors.New("no server"), 0}, outcome: quintain.InfraFailed, turns: 1, tells: "no server"},
		{why: "the policy stops the run", level: 0, policy: &fails{well, 0, quintain.ErrCancelled, 0}, outcome: quintain.Cancelled, tells: quintain.ErrCancelled.Error()},
		{why: "the prompt is too long", level: 0, policy: &fails{well, 0, quintain.ErrNoRoom, 0}, outcome: quintain.PromptTooLong, tells: quintain.ErrNoRoom.Error()},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			how := Default()
			how.Leave = 10 * time.Millisecond
			if c.set != nil {
				c.set(&how)
			}
			if c.policy == nil {
				c.policy = well
			}
			got := playLoop(t, loops(t, how), c.policy, c.level)
			if c.level == 0 && got.Outcome.Rewarded() && got.Turns[got.Last()].Metrics["length"] != 4 {
				t.Errorf("its metrics are %v", got.Turns[got.Last()].Metrics)
			}
			told := got.Error
			if got.Outcome.Rewarded() {
				told = got.Turns[got.Last()].Why
			}
			if got.Outcome != c.outcome || got.End != c.end || got.Reward() != c.reward || len(got.Turns) != c.turns || !strings.Contains(told, c.tells) {
				t.Errorf("%s, end %q, reward %v, %d turns, %q; want %s, %q, %v, %d, %q", got.Outcome, got.End, got.Reward(), len(got.Turns), told, c.outcome, c.end, c.reward, c.turns, c.tells)
			}
		})
	}
}

// A waits policy answers, but for a call that says Wait: that is never answered.
type waits struct{ quintain.Policy }

func (w *waits) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if slices.ContainsFunc(r.Messages, func(m quintain.Message) bool { return strings.Contains(m.Content, "Wait") }) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return w.Policy.Sample(ctx, r)
}

// One process plays many episodes, each in a session of its own.
func TestManyLoopsAtOnce(t *testing.T) {
	t.Parallel()
	s, policy := loops(t, Default()), says("well")
	var all sync.WaitGroup
	for i := range 24 { // more than it plays at once
		all.Go(func() {
			if got := playLoop(t, s, policy, i%2); got.Outcome != quintain.Scored || got.Reward() != 1/float64(1+i%2) || len(got.Turns) != 1+i%2 {
				t.Errorf("%s %s, reward %v, %d turns", got.Outcome, got.Error, got.Reward(), len(got.Turns))
			}
		})
	}
	all.Wait()
}

// A model of another role is asked in a session of its own, whose calls are no turns of the episode.
func TestLoopsCallOtherModels(t *testing.T) {
	t.Parallel()
	s := loopsOf(t, Default(), "helped")
	if of, is := s.(quintain.Helped); !is || !slices.Equal(of.Helpers(), []string{"judge"}) {
		t.Fatalf("it is %T, and calls others: %v", s, is)
	}
	problem, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why    string
		judges map[string]quintain.Seat
		tells  string // the answer, or the error
		cause  error
	}{
		{why: "it answers", judges: map[string]quintain.Seat{"judge": {Policy: says("well judged"), Key: "judge", Exam: true}}, tells: "it replied: true"},
		{why: "it fails", judges: map[string]quintain.Seat{"judge": {Policy: &fails{says("well"), 0, errors.New("no judge"), 0}, Key: "judge"}}, tells: "no judge", cause: quintain.ErrLost},
		{why: "there is none", tells: "policy.seats has no judge", cause: quintain.ErrStop},
	} {
		env, err := s.Env(problem)
		if err != nil {
			t.Fatal(err)
		}
		got, err := env.(quintain.Agent).Play(t.Context(), quintain.Seat{Policy: says("bad"), Key: "episode", Helpers: c.judges})
		told := fmt.Sprint(err)
		if err == nil {
			told = got.Turns[got.Last()].Answer
		}
		if !strings.Contains(told, c.tells) || !errors.Is(err, c.cause) || c.cause != quintain.ErrStop && len(got.Turns) != 1 {
			t.Errorf("%s: %d turns, %q; want one, %q and %v", c.why, len(got.Turns), told, c.tells, c.cause)
		}
		if err := env.Close(); err != nil {
			t.Error(err)
		}
		if c.cause != nil {
			continue
		}
		if said := got.Helpers[0]; len(got.Helpers) != 1 || said.Player != "server:judge" || said.Replies != 1 || said.Tokens == 0 || said.Messages[len(said.Messages)-1].Content != "well judged" {
			t.Errorf("%s: the other models are kept as %+v", c.why, got.Helpers)
		}
	}
}
