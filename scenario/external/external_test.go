package external

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// start opens a program and closes it at the end.
func start(t *testing.T, how Settings) *Program {
	t.Helper()
	p, err := Open(t.Context(), how, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// both runs a test with a program behind pipes and one behind HTTP.
func both(t *testing.T, way string, test func(t *testing.T, how Settings)) {
	t.Run("pipes", func(t *testing.T) {
		t.Parallel()
		how := quickly()
		how.Command, how.Processes = commandLine(t, way), 2
		test(t, how)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(newProgram(way))
		t.Cleanup(s.Close)
		how := quickly()
		how.URL = s.URL
		test(t, how)
	})
}

// begin opens an episode of a problem of s.
func begin(t *testing.T, s quintain.Scenario, index int) quintain.Env {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// say steps an episode.
func say(t *testing.T, e quintain.Env, text string) (quintain.Step, error) {
	t.Helper()
	return e.Step(t.Context(), quintain.Reply{Text: text, Finish: quintain.Stop})
}

// sums returns a task with two problems from a file.
func sums(t *testing.T) quintain.Task {
	t.Helper()
	const text = `{"question":"What is 6 times 7?","answer":"42"}
{"question":"Twice 21?","answer":"42"}
`
	set, err := dataset.Open(&dataset.File{Name: "sums.jsonl", Data: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestTasksArePlayed(t *testing.T) {
	both(t, "tasks", func(t *testing.T, how Settings) {
		p := start(t, how)
		s, err := p.Over(sums(t))
		if err != nil {
			t.Fatal(err)
		}
		if p.Own() != nil || s.Info().Tags {
			t.Errorf("it has problems of its own, or tags: %v", s.Info().Tags)
		}
		scenariotest.Play(t, s)
	})
}

func TestTasksGradeForPrograms(t *testing.T) {
	both(t, "tasks", func(t *testing.T, how Settings) {
		s, err := start(t, how).Over(sums(t))
		if err != nil {
			t.Fatal(err)
		}
		e := begin(t, s, 0)
		if got, err := say(t, e, "grade on"); err != nil || got.Reward != 0 || got.Right || got.Answer != "41" || got.Why == "" || got.End != quintain.Going {
			t.Errorf("a wrong answer gets %+v, error %v", got, err)
		}
		want := quintain.Step{Reward: 1, Right: true, Answer: "42", End: quintain.Terminated}
		if got, err := say(t, e, "grade"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("a right answer gets %+v, error %v, want %+v", got, err, want)
		}
		if got, err := say(t, begin(t, s, 0), "grade twice"); err == nil || !strings.Contains(err.Error(), "there is a reward, too") {
			t.Errorf("a reward and a grade get %+v, error %v", got, err)
		}
	})
}

func TestOwnProblemsArePlayed(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		p := start(t, how)
		s := p.Own()
		scenariotest.Play(t, s)
		if _, err := p.Over(nil); err == nil {
			t.Error("it plays tasks too")
		}
		if got := s.Info().ID(); got != "obedient.v2" {
			t.Errorf("ID %s", got)
		}
		problem, err := s.Problem(quintain.Draw{Seed: 7, Level: 1, Index: 3})
		if err != nil || problem.ID() != "obedient.v2/obedient.v2.s7.l1.3" || string(problem.Params) != `{"most":5}` {
			t.Errorf("problem %+v, error %v", problem, err)
		}
		for _, d := range []quintain.Draw{{Level: -1}, {Level: 2}, {Index: -1}} {
			if _, err := s.Problem(d); err == nil {
				t.Errorf("%+v is a problem", d)
			}
		}
		if _, err := s.(quintain.Solver).Solve(problem); err != nil {
			t.Error(err)
		}
		problem.Scenario = "other.v1"
		if _, err := s.Env(problem); err == nil {
			t.Error("a problem of another scenario is played")
		}
	})
}

func TestSettingsOfAProgramAreInItsID(t *testing.T) {
	how := quickly()
	how.Command = commandLine(t, "set")
	id := start(t, how).Own().Info().ID()
	if !strings.HasPrefix(id, "obedient.v2-") {
		t.Errorf("ID %s", id)
	}
	for _, c := range []struct {
		why, settings string
		same          bool
	}{
		{"the same", `{"hard":true}`, true},
		{"white space does not matter", `{ "hard" : true }`, true},
		{"another value", `{"hard":false}`, false},
		{"none", `null`, false},
	} {
		a, err := readAnswer([]byte(`{"id":1,"hello":{"protocol":1,"name":"obedient","version":2,"settings":` + c.settings + `}}`))
		if err == nil {
			err = a.isHello()
		}
		if err != nil || (a.Hello.id() == id) != c.same {
			t.Errorf("%s: ID %s, error %v; it is %s: %v", c.why, a.Hello.id(), err, id, c.same)
		}
	}
}

// A program says itself whether others may go on with its episodes.
func TestAProgramSaysWhetherItIsReplayable(t *testing.T) {
	for more, want := range map[string]bool{``: false, `,"replayable":false`: false, `,"replayable":true`: true} {
		a, err := readAnswer([]byte(`{"id":1,"hello":{"protocol":1,"name":"a","version":2` + more + `}}`))
		if err != nil || a.Hello.info().Replayable != want || a.Hello.id() != "a.v2" {
			t.Errorf("%q: %+v, error %v, want %v", more, a.Hello.info(), err, want)
		}
	}
}

func TestRepliesAreAnswered(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		how.MaxTurns = 4
		s := start(t, how).Own()
		on := quintain.Step{Reward: 0.25, Observe: []quintain.Message{{Role: "user", Content: "go on"}}}
		for _, c := range []struct {
			why     string
			replies []string
			want    []quintain.Step
		}{
			{"right at once", []string{"<answer>1</answer>"}, []quintain.Step{{Reward: 1, Right: true, Answer: "1", End: quintain.Terminated}}},
			{"right at last", []string{"on", "on", "<answer>1</answer>"}, []quintain.Step{on, on, {Reward: 1, Right: true, Answer: "1", End: quintain.Terminated}}},
			{"cut", []string{"on", "cut"}, []quintain.Step{on, {End: quintain.Truncated, Why: "too long"}}},
			{"without end", []string{"on", "on", "on", "on"}, []quintain.Step{on, on, on, {
				Reward: 0.25, End: quintain.Truncated, Why: "the episode has reached its limit of replies, environment.max_turns",
			}}},
			{"no answer", []string{"\x00\xff"}, []quintain.Step{{Malformed: true, End: quintain.Terminated}}},
		} {
			e := begin(t, s, 1)
			for i, reply := range c.replies {
				if got, err := say(t, e, reply); err != nil || !reflect.DeepEqual(got, c.want[i]) {
					t.Errorf("%s: reply %d gets %+v, error %v, want %+v", c.why, i, got, err, c.want[i])
				}
			}
		}
	})
}

// A fault is a failure of the program while it answers a reply.
type fault struct {
	why, reply string
	want       string // part of the error, behind pipes
	survives   bool   // the program goes on
	http       string // part of the error, over HTTP; empty: want
}

var faults = []fault{
	{why: "it failed, and says so", reply: "error", want: "scenario obedient: ValueError: bad", survives: true},
	{why: "an end without a reward is no reward of 0", reply: "free", want: "ends without a reward", survives: true},
	{why: "there are two ends", reply: "endless", want: `end is "done"`, survives: true},
	{why: "there is no task to grade", reply: "grade", want: "there is no task", survives: true},
	{why: "neither an end nor a message", reply: "quiet", want: "no message for the policy", survives: true},
	{why: "it speaks for the policy", reply: "usurper", want: "the policy's own", survives: true},
	{why: "a role that no model knows", reply: "role", want: `"oracle"`, survives: true},
	{why: "it prints what is no answer", reply: "garbage", want: "is no answer: 'd' stands where it may not in JSON: debug: 1", http: "invalid: 'd' stands"},
	{why: "a line without end", reply: "long", want: "longer than 65536 bytes"},
	{why: "a line that is nested", reply: "deep", want: "is nested deeper than 100"},
	{why: "a reward that is not finite", reply: "infinite", want: "1e999"},
	{why: "a reward that would end a run", reply: "vast", want: "the reward is -1e+300, want a number from -1e+06 to 1e+06", survives: true},
	{why: "a field that stands there twice", reply: "twice", want: "reward: stands there twice"},
	{why: "a text that is not UTF-8", reply: "latin", want: "answer: is not UTF-8"},
	{why: "a field that nobody knows", reply: "typo", want: `unknown field "rewrad"`},
	{why: "an answer to another request", reply: "other", want: "answers request 999999"},
}

func TestAProgramOffersTools(t *testing.T) {
	t.Parallel()
	both(t, "tools", func(t *testing.T, how Settings) {
		e := begin(t, start(t, how).Own(), 0)
		offered, err := quintain.ToolsJSON(e.(quintain.Tooled).Tools())
		if want := `[{"type":"function","function":{"name":"add","description":"Add.","parameters":{"type":"object"}}},`; err != nil || !strings.HasPrefix(string(offered), want) {
			t.Errorf("it offers %s, %v", offered, err)
		}
		step, err := e.Step(t.Context(), quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "c1", Name: "add", Arguments: `{"a":1}`}}, CallFault: "!", Finish: quintain.Stop})
		if err != nil || len(step.Tools) != 1 || step.Tools[0].Name != "later" || len(step.Observe) != 1 || step.Observe[0].ToolCallID != "c1" || step.Observe[0].Content != `{"a":1}!` {
			t.Errorf("%+v, %v", step, err)
		}
	})
}

func TestFaultsAreNoRewards(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		how.Processes = 1
		s := start(t, how).Own()
		for _, f := range append(slices.Clone(faults), fault{why: "it ends", reply: "exit", want: "exit status 3: KeyError: 'x'"}) {
			overHTTP := how.URL != ""
			if overHTTP && f.reply == "exit" {
				continue // it would end the test
			}
			want, survives := f.want, f.survives
			if overHTTP {
				want, survives = cmp.Or(f.http, f.want), true
			}
			e, beside := begin(t, s, 0), begin(t, s, 1)
			if step, err := say(t, e, f.reply); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, quintain.ErrLost) {
				t.Errorf("%s: step %+v, error %v, want %q, and not a lost episode", f.why, step, err, want)
			}
			_, err := say(t, beside, "on")
			if survives && err != nil || !survives && !errors.Is(err, quintain.ErrLost) {
				t.Errorf("%s: the episode beside it: error %v; it survives: %v", f.why, err, survives)
			}
			if _, err := say(t, begin(t, s, 2), "on"); err != nil {
				t.Errorf("%s: the next episode: %v", f.why, err)
			}
		}
	})
}

// A program that ends an episode twice has ended it once. What else it had is lost, and the next episode plays.
func TestAnEpisodeEndsOnce(t *testing.T) {
	how := quickly()
	how.Command, how.Processes = commandLine(t, "own"), 1
	s := start(t, how).Own()
	e, beside := begin(t, s, 0), begin(t, s, 1)
	if got, err := say(t, e, "double"); err != nil || got.Reward != 1 || got.End != quintain.Terminated {
		t.Errorf("the first end gives %+v, error %v", got, err)
	}
	if _, err := say(t, beside, "on"); err == nil {
		t.Error("the second end is no fault")
	}
	if _, err := say(t, begin(t, s, 2), "on"); err != nil {
		t.Errorf("the next episode: %v", err)
	}
}

func TestSilenceEnds(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		how.Processes = 1
		p := start(t, how)
		e := begin(t, p.Own(), 0)
		limit(p, 100*time.Millisecond) // the program may start as slowly as it likes
		if _, err := say(t, e, "silent"); err == nil || errors.Is(err, quintain.ErrLost) {
			t.Errorf("error %v, want one that is no lost episode", err)
		}
		limit(p, time.Minute)
		if _, err := say(t, begin(t, p.Own(), 1), "on"); err != nil {
			t.Errorf("the next episode: %v", err)
		}
	})
}

// limit limits the answers of p's only process or server.
func limit(p *Program, d time.Duration) {
	switch l := p.slots[0].link.(type) {
	case *process:
		l.how.AnswerTime = d
	case *server:
		l.how.AnswerTime = d
	}
}

func TestAContextEndsAStep(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		e := begin(t, start(t, how).Own(), 0)
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := e.Step(ctx, quintain.Reply{Text: "silent"}); !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want the cause", err)
			}
		})
		cancel(cause)
		waiting.Wait()
	})
}

// A program that does not read has no room for a long reply; that must not hold up the end.
func TestAContextEndsAWrite(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "deaf")
	p := start(t, how)
	e := begin(t, p.Own(), 0)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := e.Step(ctx, quintain.Reply{Text: strings.Repeat("x", 1<<20)}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
	asked(p)
	cancel()
	waiting.Wait()
}

// A solution has no context of its own: the wait lasts until the end of the run.
func TestTheEndOfTheWorkEndsASolution(t *testing.T) {
	both(t, "pensive", func(t *testing.T, how Settings) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p, err := Open(ctx, how, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		enough := errors.New("enough")
		cancel(enough)
		if _, err := p.Own().(quintain.Solver).Solve(quintain.Problem{}); !errors.Is(err, enough) && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the cause", err)
		}
	})
}

// asked waits until the only process of p has a request.
func asked(p *Program) {
	for process := p.slots[0].link.(*process); len(process.free) == 0; {
		runtime.Gosched()
	}
}

// An answer after the end of its context is dropped, and disturbs no other episode.
func TestALateAnswerIsDropped(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "own")
	p := start(t, how)
	e, beside := begin(t, p.Own(), 0), begin(t, p.Own(), 1)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := e.Step(ctx, quintain.Reply{Text: "later"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
	asked(p)
	cancel()
	waiting.Wait()
	for range 2 {
		if _, err := say(t, beside, "on"); err != nil {
			t.Error(err)
		}
	}
}

// The program hears of an abandoned episode, and of one that failed over HTTP.
func TestEpisodesAreClosed(t *testing.T) {
	both(t, "own", func(t *testing.T, how Settings) {
		how.Processes = 1
		p := start(t, how)
		s := p.Own()
		for range 3 {
			problem, err := s.Problem(quintain.Draw{})
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Env(problem)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
		p.closing.Wait()
		if step, err := say(t, begin(t, s, 0), "open"); err != nil || step.Reward != 1 {
			t.Errorf("%v episodes are open, error %v, want 1", step.Reward, err)
		}
	})
}

func TestAProgramThatCannotBeUsedIsRefused(t *testing.T) {
	for _, c := range []struct{ why, way, want string }{
		{"it crashes", "crash", "exit status 1: ImportError: no module named torch"},
		{"it prints something else first", "garbage", "Loading model"},
		{"it says why", "unwilling", "there is no GPU"},
		{"it speaks another version", "old", "protocol is 0, want 1"},
		{"its name cannot be in an ID", "nameless", "snake_case"},
		{"it has no version", "unversioned", "version is 0"},
		{"a level is no object", "flat", "are 1, want an object"},
		{"there is no level", "empty", "0 levels"},
		{"it wants everything at once", "wide", "parallel is"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			how := quickly()
			how.Command = commandLine(t, c.way)
			if p, err := Open(t.Context(), how, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("program %v, error %v, want %q", p, err, c.want)
			}
		})
	}
	t.Run("there is none", func(t *testing.T) {
		how := quickly()
		how.Command = os.DevNull + "/none"
		if _, err := Open(t.Context(), how, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "cannot be started") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("it does not answer", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		how := quickly()
		how.Command = commandLine(t, "mute")
		if _, err := Open(ctx, how, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func TestOneThatAlwaysFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "exit-open")
	s := start(t, how).Own()
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	for try := range how.Restarts + 2 {
		e, err := s.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Open(t.Context())
		if last := try > how.Restarts; last != errors.Is(err, quintain.ErrStop) || last == errors.Is(err, quintain.ErrLost) || err == nil {
			t.Errorf("try %d: error %v", try, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnErrorOfOpeningIsOfTheEnvironment(t *testing.T) {
	both(t, "error-open", func(t *testing.T, how Settings) {
		s := start(t, how).Own()
		p, err := s.Problem(quintain.Draw{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		overHTTP := how.URL != "" // status 500: nobody knows whether the problem is the cause
		if _, err := e.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "no such table") || errors.Is(err, quintain.ErrLost) != overHTTP {
			t.Errorf("error %v", err)
		}
	})
}

func TestTooManyEpisodesEndTheRun(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command, how.Processes, how.Episodes = commandLine(t, "own"), 2, 3
	s := start(t, how).Own()
	for i := range 6 {
		begin(t, s, i)
	}
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context()); !errors.Is(err, quintain.ErrStop) || !strings.Contains(err.Error(), "environment.processes") {
		t.Errorf("error %v, want one that ends the run and names the setting", err)
	}
}

func TestAProgramThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "stubborn")
	p, err := Open(t.Context(), how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	process := p.slots[0].link.(*process)
	p.Close()
	if state := process.child.(*plainChild).command.ProcessState; state == nil || state.Success() {
		t.Errorf("state %v, want killed", state)
	}
}

func TestAServerThatIsStartedAgain(t *testing.T) {
	for _, c := range []struct {
		why, way string
		stops    bool
	}{
		{"the same", "own", false},
		{"another version of itself", "set", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(newProgram("own"))
			how := quickly()
			how.URL = server.URL
			p := start(t, how)
			s := p.Own()
			e := begin(t, s, 0)
			address := server.Listener.Addr().String()
			server.Close()
			p.slots[0].link.close() // an open connection may fail with the reply in flight
			if _, err := say(t, e, "on"); !errors.Is(err, quintain.ErrLost) {
				t.Errorf("error %v, want a lost episode", err)
			}
			again, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			server = httptest.NewUnstartedServer(newProgram(c.way))
			server.Listener.Close()
			server.Listener = again
			server.Start()
			defer server.Close()
			problem, err := s.Problem(quintain.Draw{})
			if err != nil {
				t.Fatal(err)
			}
			if e, err = s.Env(problem); err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if _, err := e.Open(t.Context()); errors.Is(err, quintain.ErrStop) != c.stops || err != nil && !c.stops {
				t.Errorf("error %v, want the end of the run: %v", err, c.stops)
			}
		})
	}
}
