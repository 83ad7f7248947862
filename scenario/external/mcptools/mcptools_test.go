package mcptools_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/external/mcptools"
)

// A question asks for a number, and is right if the reply says 42.
type question struct {
	name  string
	tools []quintain.Tool
}

func (q question) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: q.name, Version: 1, Settings: []byte("{}"), Default: true}
}
func (q question) TaskInfo() quintain.Info { return quintain.Info{Name: "number", Version: 1} }
func (q question) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "number", Scenario: q.Info().ID(), Version: 1, Seed: d.Seed, Level: d.Level, Index: d.Index}, nil
}
func (q question) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.ID()), nil }
func (q question) Solve(quintain.Problem) (string, error)       { return "42", nil }
func (q question) Env(quintain.Problem) (quintain.Env, error)   { return &asked{q}, nil }

type asked struct{ question }

func (a *asked) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: "Which number?"}}, nil
}
func (a *asked) Tools() []quintain.Tool { return a.tools }
func (a *asked) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	right := r.Text == "42"
	return quintain.Step{Answer: r.Text, Right: right, Reward: map[bool]float64{true: 1}[right], End: quintain.Terminated}, nil
}
func (a *asked) Close() error { return nil }

func how(servers ...string) mcptools.Settings {
	s := mcptools.Default()
	if err := s.Servers.Set(strings.Join(servers, "\n")); err != nil {
		panic(err)
	}
	s.StartTime, s.CallTime = time.Minute, time.Minute
	return s
}

func open(t *testing.T, s mcptools.Settings) *mcptools.Boxes {
	t.Helper()
	b, err := mcptools.Open(t.Context(), s, []string{"QUINTAIN_TEST_KEY"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// begin opens an episode of the question.
func begin(t *testing.T, b *mcptools.Boxes, of quintain.Scenario) (quintain.Env, error) {
	t.Helper()
	s, err := b.Over(of)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Open(t.Context())
	return e, err
}

func calls(name, args string) quintain.Reply {
	return quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "c1", Name: name, Arguments: args}}, Finish: quintain.Stop}
}

// faults are what calls of tools lead to: a text, or the error of a lost episode or of a failed environment.
const (
	lost   = "LOST"
	broken = "FAILED"
)

type called struct{ why, tool, args, want string }

// tries calls tools, each in an episode of its own.
func tries(t *testing.T, b *mcptools.Boxes, table []called) {
	for _, test := range table {
		e, err := begin(t, b, question{name: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for tool := range strings.SplitSeq(test.tool, ",") {
			step, err := e.Step(t.Context(), calls(tool, test.args))
			switch {
			case errors.Is(err, quintain.ErrLost):
				got = lost + " " + err.Error()
			case err != nil:
				got = broken + " " + err.Error()
			case step.End != quintain.Going || len(step.Observe) != 1 || step.Observe[0].Role != quintain.RoleTool || step.Observe[0].ToolCallID != "c1":
				got = "no message of a tool"
			default:
				got = step.Observe[0].Content
			}
		}
		if begins, has, _ := strings.Cut(test.want, "…"); !strings.HasPrefix(got, begins) || !strings.Contains(got, has) {
			t.Errorf("%s: %.300q, want %q", test.why, got, test.want)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCallsOfACommand(t *testing.T) {
	t.Parallel()
	line, _ := command(t)
	s := how(line)
	s.Output = 100
	tries(t, open(t, s), []called{
		{"a call", "add", `{"a":1,"b":2}`, `{"sum":3}`},
		{"wrong arguments are told", "add", `{"c":1}`, `Error: arguments: …"c"`},
		{"arguments that are no object", "add", `[1]`, `Error: the arguments are no JSON object`},
		{"deep arguments", "add", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", `Error: the arguments cannot be read`},
		{"a tool that fails is told", "fail", ``, `Error: no luck`},
		{"an unknown tool is told", "ad", ``, `Error: there is no tool "ad"; did you mean "add"?`},
		{"bad parameters are told", "params", ``, `Error: so it is`},
		{"a long result is cut in its middle", "write", ``, `"ééé…902 characters are left out`},
		{"a picture is named, data without a text are told", "picture", ``, "{\"x\":1}\n[image]"},
		{"a request of the server is refused", "sample", ``, "refused with -32601"},
		{"an answer to nobody is left out", "other", ``, "mine"},
		{"a new tool can be called", "grow,extra", ``, `"new"`},
		{"the server dies by the call", "die", ``, broken + "…exit status 3: out of luck"},
		{"it died between two calls", "later,add", ``, lost},
		{"it says that the connection is closed", "closed", ``, broken + "…-32000"},
		{"it fails inside", "internal", ``, broken + "…-32603"},
		{"it prints what is no message", "noise", ``, broken + "…is no message: \"Hello!\""},
		{"it prints too much", "long", ``, broken + "…too long"},
		{"new tools refer to another document", "remote", ``, broken + "…another document"},
	})
}

func TestACallThatHangs(t *testing.T) {
	t.Parallel()
	line, _ := command(t)
	s := how(line)
	s.CallTime = 300 * time.Millisecond
	tries(t, open(t, s), []called{
		{"no answer", "silent", ``, broken + "…no answer in time"},
		{"half an answer", "half", ``, broken + "…no answer in time"},
		{"it does not read any more", "hang", ``, broken + "…no answer in time"},
	})
}

func TestAnEpisodeHasItsOwnServer(t *testing.T) {
	t.Parallel()
	line, starts := command(t)
	b := open(t, how(line))
	for range 3 {
		e, err := begin(t, b, question{name: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1", "2"} {
			if step, err := e.Step(t.Context(), calls("count", "")); err != nil || step.Observe[0].Content != want {
				t.Fatalf("%+v, %v, want %s", step, err, want)
			}
		}
		if step, err := e.Step(t.Context(), quintain.Reply{Text: "42"}); err != nil || step.Reward != 1 || step.End != quintain.Terminated {
			t.Fatalf("%+v, %v", step, err)
		}
		e.Close()
	}
	b.Close()
	text, err := os.ReadFile(starts)
	if n := strings.Count(string(text), "\n"); err != nil || n < 3 || n > 5 {
		t.Errorf("%d servers for three episodes one after the other, want one for each and one ahead: %v", n, err)
	}
}

func TestChangedToolsAreOffered(t *testing.T) {
	t.Parallel()
	line, _ := command(t)
	e, err := begin(t, open(t, how(line)), question{name: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	offered := len(e.(quintain.Tooled).Tools())
	for _, test := range []struct {
		tool string
		want int // tools of the step
	}{{"count", 0}, {"grow", offered + 1}, {"extra", 0}} {
		if step, err := e.Step(t.Context(), calls(test.tool, "")); err != nil || len(step.Tools) != test.want {
			t.Errorf("%s: %d tools, want %d: %v", test.tool, len(step.Tools), test.want, err)
		}
	}
}

func TestASharedSession(t *testing.T) {
	t.Parallel()
	line, starts := command(t)
	s := how(line)
	s.Share = 2
	b := open(t, s)
	var all []quintain.Env
	for _, want := range []string{"1", "2", "1"} { // the third has another server
		e, err := begin(t, b, question{name: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		if step, err := e.Step(t.Context(), calls("count", "")); err != nil || step.Observe[0].Content != want {
			t.Errorf("%+v, %v, want %s", step, err, want)
		}
		all = append(all, e)
	}
	for _, e := range all {
		e.Close()
	}
	text, err := os.ReadFile(starts)
	if n := strings.Count(string(text), "\n"); err != nil || n != 2 {
		t.Errorf("%d servers, want 2: %v", n, err)
	}
}

func TestNoCallIsLeft(t *testing.T) {
	t.Parallel()
	line, _ := command(t)
	s := how(line)
	s.Calls = 1
	e, err := begin(t, open(t, s), question{name: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, want := range []string{"1", "Error: no call is left, of 1. Give your answer."} {
		if step, err := e.Step(t.Context(), calls("count", "")); err != nil || step.Observe[0].Content != want {
			t.Errorf("%+v, %v, want %s", step, err, want)
		}
	}
	if step, err := e.Step(t.Context(), calls("count", "")); err != nil || step.End != quintain.Terminated || !strings.HasPrefix(step.Why, "it calls a tool in place of an answer") {
		t.Errorf("%+v, %v, want the end", step, err)
	}
}

func TestTwoServers(t *testing.T) {
	one, _ := command(t)
	two, _ := command(t)
	t.Setenv("QUINTAIN_TEST_KEY", "passed")
	t.Setenv("QUINTAIN_TEST_SECRET", "kept")
	e, err := begin(t, open(t, how(one, two)), question{name: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	tools := e.(quintain.Tooled).Tools()
	if tools[0].Name != "quintain__add" || tools[len(tools)/2].Name != "quintain2__add" {
		t.Errorf("the tools are called %+v", tools)
	}
	step, err := e.Step(t.Context(), calls("quintain2__environ", ""))
	if err != nil || !strings.Contains(step.Observe[0].Content, "QUINTAIN_TEST_KEY=passed") || strings.Contains(step.Observe[0].Content, "QUINTAIN_TEST_SECRET") {
		t.Errorf("the variables are %+v, %v", step, err)
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	line, _ := command(t)
	b := open(t, how(line))
	plain := question{name: "ask"}
	s, err := b.Over(plain)
	if err != nil {
		t.Fatal(err)
	}
	info := s.Info()
	if info.Name != mcptools.Name || !strings.Contains(string(info.Settings), `"scenario":"ask.v1"`) || !strings.Contains(string(info.Settings), `"version":"1"`) {
		t.Errorf("%+v", info)
	}
	if solver, can := s.(quintain.Solver); !can {
		t.Error("it does not solve")
	} else if text, err := solver.Solve(quintain.Problem{}); text != "42" || err != nil {
		t.Errorf("it solves by %q, %v", text, err)
	}
	if _, can := s.(quintain.Adviser); can {
		t.Error("it advises")
	}
	e, err := begin(t, b, question{name: "other", tools: scenario.Kit{{Name: "x"}}.Offer()})
	if !errors.Is(err, quintain.ErrStop) || !strings.Contains(err.Error(), "tools of its own") {
		t.Errorf("a scenario with tools: %v", err)
	}
	e.Close()
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, server, want string }{
		{"there is no such program", "mcp:no-such-program-here", "no-such-program-here"},
		{"it ends at once", "mcp:false", "exit status 1"},
		{"it prints what is no message", "mcp:echo hello", `is no message: "hello"`},
		{"nobody listens", "mcp:http://127.0.0.1:1/mcp", "127.0.0.1:1"},
	} {
		_, err := mcptools.Open(t.Context(), how(test.server), nil, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "tools.servers: "+test.server) {
			t.Errorf("%s: %v, want %s", test.why, err, test.want)
		}
	}
}
