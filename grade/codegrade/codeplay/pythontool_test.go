package codeplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fakeBox opens sessions that add numbers: a cell "+3" adds to what the session has, and prints
// it. The cell "die" ends the session. It fails as faults says.
type fakeBox struct {
	faults map[int]error // by the number of the cell, from 1, over all sessions
	opens  []error       // of the next openings
	drifts bool          // a session begins with another number than the one before it

	opened, closed, cells int
}

func (b *fakeBox) Open(context.Context, sandbox.Spec) (sandbox.Session, error) {
	if len(b.opens) > 0 {
		err := b.opens[0]
		if b.opens = b.opens[1:]; err != nil {
			return nil, err
		}
	}
	b.opened++
	s := &fakeSession{box: b}
	if b.drifts {
		s.sum = b.opened
	}
	return s, nil
}

type fakeSession struct {
	box *fakeBox
	sum int
}

func (s *fakeSession) Close() error {
	s.box.closed++
	return nil
}

func (s *fakeSession) Run(ctx context.Context, text string, _ sandbox.Limits) (sandbox.Result, error) {
	if ctx.Err() != nil {
		return sandbox.Result{}, context.Cause(ctx)
	}
	s.box.cells++
	if err := s.box.faults[s.box.cells]; err != nil {
		return sandbox.Result{}, err
	}
	n := 0
	switch _, _ = fmt.Sscanf(text, "+%d", &n); text {
	case "die":
		return sandbox.Result{End: sandbox.Exited, Code: 3, Over: true}, nil
	case "eat":
		return sandbox.Result{End: sandbox.MemoryLimit, Over: true, Stdout: []byte("yum\n")}, nil
	case "loop":
		return sandbox.Result{End: sandbox.CPULimit, Stderr: []byte("Traceback\nKeyboardInterrupt\n")}, nil
	case "fail":
		return sandbox.Result{End: sandbox.Exited, Code: 1, Stdout: []byte("before\n"), Stderr: []byte(strings.Repeat("line\n", 30) + "ValueError: no\n")}, nil
	case "print":
		return sandbox.Result{End: sandbox.Exited, Stdout: []byte(strings.Repeat("é", 1500) + "\xff" + strings.Repeat("x", 1500))}, nil
	case "":
		return sandbox.Result{End: sandbox.Exited}, nil
	}
	s.sum += n
	return sandbox.Result{End: sandbox.Exited, Stdout: fmt.Appendln(nil, s.sum)}, nil
}

// A question is a task whose answer is 42.
type question struct{}

func (question) Info() quintain.Info {
	return quintain.Info{Name: "question", Levels: []json.RawMessage{[]byte("{}")}}
}

func (question) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "question", Index: d.Index, Prompt: fmt.Sprintf("What is it, the %dth time?", d.Index)}, nil
}

func (q question) With(json.RawMessage) (quintain.Task, error) { return q, nil }

func (question) Grade(_ quintain.Problem, text string) (quintain.Verdict, error) {
	if text == "42" {
		return quintain.Right(), nil
	}
	return quintain.Wrong("no"), nil
}

func (question) Solve(quintain.Problem) (string, error) { return "42", nil }

// play returns an episode with a fake sandbox.
func play(t *testing.T, box *fakeBox, change func(*PythonTool)) quintain.Env {
	t.Helper()
	s := PythonToolSpec.New().(*PythonTool)
	s.Use(box)
	if change != nil {
		change(s)
	}
	of, err := PythonToolSpec.With(question{}, s)
	if err != nil {
		t.Fatal(err)
	}
	p, err := of.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil || box.opened != box.closed {
			t.Errorf("closing: %v; %d of %d sessions are closed", err, box.closed, box.opened)
		}
	})
	return e
}

// python is a reply that calls python with code, once for each.
func python(t *testing.T, code ...string) (r quintain.Reply) {
	t.Helper()
	r.Finish = quintain.Stop
	for i, one := range code {
		args, err := json.Marshal(map[string]string{"code": one})
		if err != nil {
			t.Fatal(err)
		}
		r.ToolCalls = append(r.ToolCalls, quintain.ToolCall{ID: fmt.Sprint(i), Name: "python", Arguments: string(args)})
	}
	return r
}

func TestTheScenarioKeepsItsPromises(t *testing.T) {
	t.Parallel()
	s := PythonToolSpec.New().(*PythonTool)
	s.Use(&fakeBox{})
	of, err := PythonToolSpec.With(question{}, s)
	if err != nil {
		t.Fatal(err)
	}
	scenariotest.Play(t, of)
	p, _ := of.Problem(quintain.Draw{})
	plan, err := of.(quintain.Planner).Plan(p)
	if err != nil || len(plan) != 1 || plan[0].Arguments != `{"code":"print(\"42\")"}` {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

// Calls are answered one by one, with the state of those before them. They earn nothing; the answer does.
func TestCallsAndAnAnswer(t *testing.T) {
	t.Parallel()
	box := &fakeBox{}
	e := play(t, box, nil)
	if offered := e.(quintain.Tooled).Tools(); len(offered) != 1 || offered[0].Name != "python" || !strings.Contains(string(offered[0].Params), `"code"`) {
		t.Errorf("tools %+v", offered)
	}
	for _, test := range []struct {
		code []string
		told []string
	}{
		{[]string{"+40"}, []string{"40"}},
		{[]string{"+1", "+1"}, []string{"41", "42"}},
		{[]string{""}, []string{"There is no output."}},
		{[]string{"loop"}, []string{"Traceback\nKeyboardInterrupt\nError: the code took longer than it may, 5 seconds."}},
		{[]string{"fail"}, []string{"before\n" + strings.Repeat("line\n", lastLines-1) + "ValueError: no"}},
		{[]string{"die"}, []string{"Error: The session ended: its variables are gone, and the next call begins a new one."}},
		{[]string{"+7"}, []string{"7"}},
		{[]string{"+7"}, []string{"Error: no call is left, of 8. Give your answer."}},
	} {
		step, err := e.Step(t.Context(), python(t, test.code...))
		if err != nil || step.End != quintain.Going || step.Reward != 0 || len(step.Observe) != len(test.told) {
			t.Fatalf("%q: %+v, %v", test.code, step, err)
		}
		for i, m := range step.Observe {
			if m.Role != quintain.RoleTool || m.ToolCallID != fmt.Sprint(i) || m.Content != test.told[i] {
				t.Errorf("%q: %+v, want %q", test.code, m, test.told[i])
			}
		}
	}
	if step, err := e.Step(t.Context(), quintain.Reply{Text: "<answer>42</answer>", Finish: quintain.Stop}); err != nil || !step.Right || step.Reward != 1 || step.End != quintain.Terminated {
		t.Errorf("%+v, %v", step, err)
	}
}

func TestRepliesThatAreNoCalls(t *testing.T) {
	t.Parallel()
	one := func(c *PythonTool) { c.Calls = 1 }
	call := python(t, "+1")
	cut := python(t, "+1")
	cut.Finish = quintain.Length
	for _, test := range []struct {
		why    string
		before []quintain.Reply
		reply  quintain.Reply
		end    quintain.End
		told   string
	}{
		{"a call that cannot be read", nil, quintain.Reply{Text: "<tool_call>{", CallFault: "call 1: the JSON ends early", Finish: quintain.Stop}, quintain.Going, "Error: your call cannot be read: call 1: the JSON ends early"},
		{"an unknown tool", nil, quintain.Reply{ToolCalls: []quintain.ToolCall{{Name: "pyton"}}, Finish: quintain.Stop}, quintain.Going, `Error: there is no tool "pyton"`},
		{"no code", nil, quintain.Reply{ToolCalls: []quintain.ToolCall{{Name: "python", Arguments: "{}"}}, Finish: quintain.Stop}, quintain.Going, "Error: argument code: is missing"},
		{"much code", nil, python(t, strings.Repeat("x", 1_000_000)), quintain.Going, "Error: argument code: has 1000000 bytes"},
		{"a reply that was cut", nil, cut, quintain.Truncated, ""},
		{"a call after the last, twice", []quintain.Reply{call, call}, call, quintain.Terminated, ""},
	} {
		e := play(t, &fakeBox{}, one)
		for _, r := range test.before {
			if step, err := e.Step(t.Context(), r); err != nil || step.End != quintain.Going {
				t.Fatalf("%s: %+v, %v", test.why, step, err)
			}
		}
		step, err := e.Step(t.Context(), test.reply)
		if err != nil || step.End != test.end || step.Reward != 0 || step.Right || test.end == quintain.Going && !strings.HasPrefix(step.Observe[0].Content, test.told) {
			t.Errorf("%s: %+v, %v", test.why, step, err)
		}
	}
}

// A fault of the sandbox is told to nobody: the cell is run again, after those before it. Where this
// is not possible, the episode is lost, without a reward.
func TestFaultsOfTheSandboxAreNeverTold(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of processes")
	for _, test := range []struct {
		why  string
		box  *fakeBox
		lost bool
	}{
		{"none", &fakeBox{}, false},
		{"a session that does not begin", &fakeBox{opens: []error{broken, broken}}, false},
		{"a session that is lost with the first cell", &fakeBox{faults: map[int]error{1: broken}}, false},
		{"one that is lost later", &fakeBox{faults: map[int]error{2: sandbox.ErrOver}}, false},
		{"one that is lost when the cells are run again", &fakeBox{faults: map[int]error{2: broken, 3: broken}}, false},
		{"a sandbox that is gone", &fakeBox{opens: []error{broken, broken, broken}}, true},
		{"a state that cannot be made again", &fakeBox{faults: map[int]error{2: broken}, drifts: true}, true},
	} {
		e := play(t, test.box, nil)
		one, err := e.Step(t.Context(), python(t, "+40"))
		var two quintain.Step
		if err == nil {
			two, err = e.Step(t.Context(), python(t, "+2"))
		}
		if lost := errors.Is(err, quintain.ErrLost); lost != test.lost || (err != nil) != test.lost {
			t.Errorf("%s: %v", test.why, err)
		}
		if err == nil && (one.Observe[0].Content != "40" || two.Observe[0].Content != "42") {
			t.Errorf("%s: told %q and %q", test.why, one.Observe[0].Content, two.Observe[0].Content)
		}
		if two.Reward != 0 || err != nil && two.Observe != nil {
			t.Errorf("%s: %+v with %v", test.why, two, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if step, err := play(t, &fakeBox{}, nil).Step(ended, python(t, "+1")); !errors.Is(err, context.Canceled) || errors.Is(err, quintain.ErrLost) {
		t.Errorf("an ended context: %+v, %v", step, err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	box := &fakeBox{}
	e := play(t, box, func(s *PythonTool) { s.Stateless, s.Output = true, 100 })
	for _, test := range []struct{ code, want string }{
		{"+1", "1"}, {"+1", "1"}, {"eat", "yum\nError: the code took more memory than it may, 512 MiB."},
		{"print", strings.Repeat("é", 50) + "\n… 2901 characters are left out …\n" + strings.Repeat("x", 50)},
	} {
		if step, err := e.Step(t.Context(), python(t, test.code)); err != nil || step.Observe[0].Content != test.want {
			t.Errorf("%s: %+v, %v, want %q", test.code, step, err, test.want)
		}
	}
	if box.opened != 4 {
		t.Errorf("%d sessions", box.opened)
	}
}

func TestCodeInTheText(t *testing.T) {
	t.Parallel()
	e := play(t, &fakeBox{}, func(s *PythonTool) { s.Form = CodeForm })
	if e.(quintain.Tooled).Tools() != nil {
		t.Error("it offers tools")
	}
	for _, test := range []struct{ text, want string }{
		{"I add.\n<code>\n```python\n+40\n```\n</code>", "<interpreter>\n40\n</interpreter>"},
		{"<think><code>+7</code></think><code>+1</code> and <code>+1", "<interpreter>\n41\n</interpreter>\n<interpreter>\n42\n</interpreter>"},
	} {
		step, err := e.Step(t.Context(), quintain.Reply{Text: test.text, Finish: quintain.Stop})
		if err != nil || len(step.Observe) != 1 || step.Observe[0].Role != quintain.RoleUser || step.Observe[0].Content != test.want {
			t.Errorf("%q: %+v, %v, want %q", test.text, step, err, test.want)
		}
	}
	if step, err := e.Step(t.Context(), quintain.Reply{Text: "<think><code>+7</code></think><answer>42</answer>", Finish: quintain.Stop}); err != nil || !step.Right {
		t.Errorf("%+v, %v", step, err)
	}
}

// The sandbox of this machine runs the cells, unless it is below the floor: then the scenario refuses to begin.
func TestPythonInTheSandbox(t *testing.T) {
	t.Parallel()
	s := PythonToolSpec.New().(*PythonTool)
	s.Seconds = 1
	if err := s.Start(); err != nil {
		if !errors.Is(err, sandbox.ErrWeak) {
			t.Error(err)
		}
		return
	}
	defer s.Close()
	of, err := PythonToolSpec.With(question{}, s)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := of.Problem(quintain.Draw{})
	e, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ code, want string }{
		{"import math\nx = math.factorial(5)\nx", "120"},
		{"print(x + 1)", "121"},
		{"1 / 0", "ZeroDivisionError: division by zero"},
		{"while True: pass", "the code took longer than it may, 1 seconds."},
		{"x", "120"},
		{"import os; os._exit(3)", "The session ended"},
		{"x", "NameError"},
	} {
		step, err := e.Step(t.Context(), python(t, test.code))
		if err != nil || len(step.Observe) != 1 || !strings.Contains(step.Observe[0].Content, test.want) {
			t.Errorf("%q: %+v, %v, want %q", test.code, step, err, test.want)
		}
	}
}
