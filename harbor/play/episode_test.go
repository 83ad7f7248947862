package play

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// calls is a reply that runs commands.
func calls(commands ...string) quintain.Reply {
	r := quintain.Reply{Finish: quintain.Stop}
	for i, c := range commands {
		text, err := strictjson.Legible(map[string]any{"command": c})
		if err != nil {
			panic(err)
		}
		r.ToolCalls = append(r.ToolCalls, quintain.ToolCall{ID: fmt.Sprint(i), Name: "bash", Arguments: string(text)})
	}
	return r
}

// done is a reply without calls.
var done = quintain.Reply{Text: "done", Finish: quintain.Stop}

// begin opens an episode of the only task.
func begin(t *testing.T, s *Set) quintain.Env {
	t.Helper()
	p, err := s.Problem(quintain.Draw{})
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
	if talk, err := e.Open(t.Context()); err != nil || !strings.HasPrefix(talk[0].Content, "Do it.") {
		t.Fatalf("%v, error %v", talk, err)
	}
	return e
}

func TestEnds(t *testing.T) {
	t.Parallel()
	leaves := func(got box.Result, left map[string]string) func(bool) (map[string]string, box.Result) {
		return func(bool) (map[string]string, box.Result) { return left, got }
	}
	one := map[string]string{"reward.txt": "1", "test-stdout.txt": "said"}
	killed := func(h *Settings) { h.TimeoutPays = "0" }
	for _, test := range []struct {
		why   string
		tests func(bool) (map[string]string, box.Result)
		how   func(*Settings)
		want  any // the reward; or the kind of a fault; or [quintain.ErrLost]
	}{
		{"a reward", pays("1\n"), nil, 1.0},
		{"below 0", pays("-0.5"), nil, -0.5},
		{"any status", leaves(box.Result{Exit: 3}, one), nil, 1.0},
		{"no reward", leaves(box.Result{}, nil), nil, harbor.NoReward},
		{"an unreadable one", pays("1 # ok"), nil, harbor.Unreadable},
		{"one too large", pays(strings.Repeat("1", harbor.MostReward+1)), nil, harbor.Unreadable},
		{"two files", leaves(box.Result{}, map[string]string{"reward.txt": "0", "reward.json": `{"reward":1}`}), nil, harbor.Forged},
		{"a signal, and a file is there", leaves(box.Result{Signal: 9}, one), nil, harbor.TestsKilled},
		{"no memory", leaves(box.Result{MemoryKilled: true}, one), nil, harbor.TestsKilled},
		{"no storage", leaves(box.Result{StorageFull: true}, one), nil, harbor.TestsKilled},
		{"processor time is up", leaves(box.Result{OverCPU: true, Wall: 700 * time.Second, CPU: 600 * time.Second}, one), nil, harbor.TestsTimeout},
		{"wall time is up, and the tests were busy", leaves(box.Result{TimedOut: true, Wall: 1800 * time.Second, CPU: 1000 * time.Second}, one), nil, harbor.TestsTimeout},
		{"processor time that pays 0", leaves(box.Result{OverCPU: true}, one), killed, 0.0},
		{"memory that pays 0", leaves(box.Result{MemoryKilled: true}, one), killed, 0.0},
		{"wall time never pays", leaves(box.Result{TimedOut: true, Wall: time.Second, CPU: time.Second}, one), killed, harbor.TestsTimeout},
		{"a signal never pays", leaves(box.Result{Signal: 11}, one), killed, harbor.TestsKilled},
		{"no reward never pays", leaves(box.Result{}, nil), killed, harbor.NoReward},
		{"a changed system file, which is refused", pays("1"), func(h *Settings) { h.DropChanged = true }, harbor.Kind("changed_system")},
	} {
		how := Default()
		if test.how != nil {
			test.how(&how)
		}
		e := begin(t, set(t, &fake{tests: test.tests}, how, folder(t, map[string]map[string]string{"a": nil})))
		if _, err := e.Step(t.Context(), calls("true")); err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		step, err := e.Step(t.Context(), done)
		fault, _ := errors.AsType[*harbor.Fault](err)
		var r report
		if strictjson.Unmarshal(step.Record, &r) != nil || r.Task != "a" || r.Tests == nil || len(r.System) != 1 {
			t.Errorf("%s: the record is %s", test.why, step.Record)
		}
		switch want := test.want.(type) {
		case float64:
			if err != nil || step.Reward != want || step.End != quintain.Terminated || step.Right != (want == 1) {
				t.Errorf("%s: %+v, error %v", test.why, step, err)
			}
		case harbor.Kind:
			if fault == nil || fault.Kind != want || step.Reward != 0 || errors.Is(err, quintain.ErrLost) || r.Fault == "" {
				t.Errorf("%s: %+v, error %v, want %s", test.why, step, err, want)
			}
		}
	}
}

func TestAFaultTellsTheEndOfTheTests(t *testing.T) {
	t.Parallel()
	on := &fake{tests: func(bool) (map[string]string, box.Result) {
		return map[string]string{"test-stdout.txt": strings.Repeat("x", 100_000) + "\nthe reason\n"}, box.Result{}
	}}
	step, err := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil}))).Step(t.Context(), done)
	var r report
	if err == nil || !strings.HasSuffix(err.Error(), "the reason\n") || strictjson.Unmarshal(step.Record, &r) != nil || len(r.Tests.Output) != mostOutput {
		t.Errorf("error %v, record of %d bytes", err, len(step.Record))
	}
}

func TestWhatTheMachineLosesIsPlayedAgain(t *testing.T) {
	t.Parallel()
	on := &fake{tests: pays("1"), lost: 1}
	e := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil})))
	if _, err := e.Step(t.Context(), calls("true")); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("a trial that cannot begin: error %v", err)
	}
	on.agent = func(box.Command) (box.Result, error) { return box.Result{}, errors.New("the init is gone") }
	if _, err := e.Step(t.Context(), calls("true")); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("a session that is lost: error %v", err)
	}
}

func TestACallGoesOnWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	on := &fake{tests: pays("1"), agent: func(c box.Command) (box.Result, error) {
		got := box.Result{Output: []byte("x\n"), Wall: time.Second}
		if strings.Contains(c.Args[4], "cd") {
			got.Dir, got.Env = "/deep", []string{"B=2"}
		}
		return got, nil
	}}
	e := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil})))
	if _, err := e.Step(t.Context(), calls("cd deep", "broken", "ls")); err != nil {
		t.Fatal(err)
	}
	c := on.last().commands
	if c[0].Dir != "/app" || c[0].Env != nil || c[1].Dir != "/deep" || c[2].Dir != "/deep" || !slices.Equal(c[2].Env, []string{"B=2"}) || !c[0].State {
		t.Errorf("%+v", c)
	}
	p := on.last().phases[0]
	if !slices.Contains(p.Env, "A=image") || !slices.Contains(p.Env, "TERM=dumb") || !slices.Contains(p.Env, "HOME=/root") || p.Dir != "/app" || !p.Trace {
		t.Errorf("%+v", p)
	}
}

func TestTheTestsSeeNothingOfTheAgent(t *testing.T) {
	t.Parallel()
	config := "[verifier]\nenv = {T = \"1\"}\n[environment]\nworkdir = \"/work\"\nenv = {E = \"2\"}\nmemory_mb = 100\nstorage_mb = 50\ncpus = 2\n"
	on := &fake{tests: pays("1"), agent: func(box.Command) (box.Result, error) {
		return box.Result{Dir: "/evil", Env: []string{"PATH=/evil"}}, nil
	}}
	how := Default()
	how.System = pristine
	e := begin(t, set(t, on, how, folder(t, map[string]map[string]string{"a": {"task.toml": config}})))
	for _, r := range []quintain.Reply{calls("true"), done} {
		if _, err := e.Step(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	trial := on.last()
	p, c := trial.phases[1], trial.commands[1]
	if want := []string{"PATH=/bin", "A=image", "E=2", "HOME=/root", "T=1"}; !slices.Equal(p.Env, want) || p.Dir != "/work" || c.Env != nil || c.Dir != "" || p.Trace || !slices.Contains(p.Pristine, "/usr") {
		t.Errorf("%+v, %+v", p, c)
	}
	if c.CPU != 600*time.Second || c.Time != 1800*time.Second {
		t.Errorf("the limits are %v of processor, %v of wall", c.CPU, c.Time)
	}
	at := map[string]box.Mount{}
	for _, m := range p.Mounts {
		at[m.At] = m
	}
	if at["/tests"].Host == "" || at["/tests"].Writable || at["/logs/verifier"].Host != "" || !at["/logs/verifier"].Writable || at["/solution"].At != "" {
		t.Errorf("%+v", p.Mounts)
	}
	if l := trial.options.Limits; l.Memory != 100<<20 || l.Storage != 50<<20 || l.CPUs != 2 {
		t.Errorf("%+v", l)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	takes := func(got box.Result) func(box.Command) (box.Result, error) {
		return func(box.Command) (box.Result, error) { return got, nil }
	}
	for _, test := range []struct {
		why   string
		agent func(box.Command) (box.Result, error)
		how   func(*Settings)
		says  string // of the last step, after up to three calls
	}{
		{"all calls", nil, func(h *Settings) { h.Calls = 2 }, "all of 2 calls are made"},
		{"the agent's time", takes(box.Result{Wall: 60 * time.Second}), nil, "the time is up"},
		{"the agent's time, longer", takes(box.Result{Wall: 60 * time.Second}), func(h *Settings) { h.TimeFactor = 10 }, ""},
		{"the agent's time, off", takes(box.Result{Wall: time.Hour}), func(h *Settings) { h.Clock = clockOff }, ""},
		{"memory", takes(box.Result{MemoryKilled: true}), nil, "the memory was full twice"},
		{"a phase that has ended", func(box.Command) (box.Result, error) { return box.Result{}, box.ErrOver }, nil, "the trial went beyond its memory or its disk"},
	} {
		how := Default()
		if test.how != nil {
			test.how(&how)
		}
		on := &fake{tests: pays("1"), agent: test.agent}
		e := begin(t, set(t, on, how, folder(t, map[string]map[string]string{"a": nil})))
		var step quintain.Step
		for range 3 {
			var err error
			if step, err = e.Step(t.Context(), calls("true")); err != nil {
				t.Fatalf("%s: %v", test.why, err)
			}
			if step.End != quintain.Going {
				break
			}
		}
		if (test.says == "") != (step.End == quintain.Going) || !strings.Contains(step.Why, test.says) {
			t.Errorf("%s: %+v", test.why, step)
		}
		var r report
		if test.says != "" && (step.End != quintain.Truncated || step.Reward != 1 || strictjson.Unmarshal(step.Record, &r) != nil || len(r.Last) != 1) {
			t.Errorf("%s: %+v", test.why, step)
		}
	}
}

func TestCallsThatAreNotRun(t *testing.T) {
	t.Parallel()
	on := &fake{tests: pays("1"), agent: func(c box.Command) (box.Result, error) {
		if c.Time == 3*time.Second {
			return box.Result{}, box.ErrTooLong
		}
		return box.Result{Dir: "/app"}, nil
	}}
	e := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil})))
	for args, says := range map[string]string{
		`{"command": "a", "timeout": 0}`:   "Error: timeout: is 0, want more than 0 and at most 600",
		`{"command": "a", "timeout": 601}`: "Error: timeout: is 601",
		`{"command": "a", "timeout": 3}`:   "Error: command: it and its variables are too long",
		`{}`:                               "Error: ",
		`{"command": "` + strings.Repeat("x", mostCommand+1) + `"}`: "Error: command: has 100001 bytes",
		`{"command": "a", "timeout": 5}`:                            "[no output]\n[exit 0, 0.0 s, in /app]",
	} {
		step, err := e.Step(t.Context(), quintain.Reply{ToolCalls: []quintain.ToolCall{{Name: "bash", Arguments: args}}})
		if err != nil || len(step.Observe) != 1 || !strings.HasPrefix(step.Observe[0].Content, says) {
			t.Errorf("%.50s: %+v, error %v, want %s", args, step, err, says)
		}
	}
	step, err := e.Step(t.Context(), quintain.Reply{CallFault: "no JSON"})
	if err != nil || step.End != quintain.Going || !strings.Contains(step.Observe[0].Content, "your call cannot be read") {
		t.Errorf("%+v, error %v", step, err)
	}
}

func TestAReplyThatWasCutIsTheEnd(t *testing.T) {
	t.Parallel()
	r := calls("true")
	r.Finish = quintain.Length
	step, err := begin(t, set(t, &fake{tests: pays("0.5")}, Default(), folder(t, map[string]map[string]string{"a": nil}))).Step(t.Context(), r)
	if err != nil || step.End != quintain.Truncated || step.Reward != 0.5 || step.Right {
		t.Errorf("%+v, error %v", step, err)
	}
}

func TestAConversationWithoutRoomIsTested(t *testing.T) {
	t.Parallel()
	e := begin(t, set(t, &fake{tests: pays("0.5")}, Default(), folder(t, map[string]map[string]string{"a": nil})))
	if _, err := e.Step(t.Context(), calls("true")); err != nil {
		t.Fatal(err)
	}
	step, err := e.(quintain.Cuttable).Cut(t.Context())
	if err != nil || step.End != quintain.Truncated || step.Reward != 0.5 || step.Metrics["changed_files"] != 2 {
		t.Errorf("%+v, error %v", step, err)
	}
}

func TestHarborCountsTheFirstReward(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{`{"reward": 1, "style": 0.5}`: 1, `{"style": 0.5, "reward": 1, "x": 7}`: 0.5, `{"reward": 0.25}`: 0.25} {
		on := &fake{tests: func(bool) (map[string]string, box.Result) {
			return map[string]string{"reward.json": text}, box.Result{}
		}}
		step, err := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil}))).Step(t.Context(), done)
		if err != nil || step.Metrics["harbor_reward"] != want {
			t.Errorf("%s: %v, error %v", text, step.Metrics, err)
		}
	}
}

func TestTrialsAreKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ keep, tests, want string }{
		{keepOff, "0", ""},
		{keepFailed, "1", ""},
		{keepFailed, "0", "agent artifacts files verifier"},
		{keepFailed, "", "agent artifacts files verifier"},
		{keepAll, "1", "agent artifacts files verifier"},
	} {
		how := Default()
		how.Keep, how.KeepIn = test.keep, t.TempDir()
		e := begin(t, set(t, &fake{tests: pays(test.tests)}, how, folder(t, map[string]map[string]string{"a": nil})))
		if _, err := e.Step(t.Context(), calls("true")); err != nil {
			t.Fatal(err)
		}
		step, err := e.Step(t.Context(), done)
		var r report
		if (err != nil) != (test.tests == "") || strictjson.Unmarshal(step.Record, &r) != nil || (r.Kept != "") != (test.want != "") {
			t.Errorf("%+v: record %s, error %v", test, step.Record, err)
		}
		kept, _ := filepath.Glob(filepath.Join(how.KeepIn, "a-*", "*"))
		var got []string
		for _, name := range kept {
			got = append(got, filepath.Base(name))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestAnEpisodeThatIsLeftKeepsNothing(t *testing.T) {
	t.Parallel()
	how := Default()
	how.Keep, how.KeepIn = keepAll, t.TempDir()
	e := begin(t, set(t, &fake{tests: pays("1")}, how, folder(t, map[string]map[string]string{"a": nil})))
	_, err := e.Step(t.Context(), calls("true"))
	if err = errors.Join(err, e.Close()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(how.KeepIn); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

func TestThePlanWritesTheSolution(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30_000)
	s := set(t, &fake{tests: pays("1")}, Default(), folder(t, map[string]map[string]string{"a": {"solution/data/it's": long, "task.toml": "[solution]\nenv = {X = \"a b\"}\n"}, "b": {"solution/solve.sh": ""}}))
	for index := range 2 {
		p, err := s.Problem(quintain.Draw{Index: index})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := s.Plan(p)
		_, unsolved := s.Solve(p)
		if strings.Contains(string(p.Params), `"b"`) {
			if err != nil || plan != nil || unsolved == nil {
				t.Errorf("without a solution: %v, errors %v, %v", plan, err, unsolved)
			}
			continue
		}
		if err != nil || len(plan) < 5 || unsolved != nil || !strings.Contains(plan[len(plan)-1].Arguments, `env 'X=a b' /solution/solve.sh`) {
			t.Fatalf("%d calls, errors %v, %v", len(plan), err, unsolved)
		}
		for _, c := range plan {
			var in order
			if err := strictjson.Unmarshal([]byte(c.Arguments), &in); err != nil || len(in.Command) > mostCommand || *in.Timeout != 600 {
				t.Errorf("a call of %d bytes, error %v", len(in.Command), err)
			}
		}
	}
}
