package envs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/env/envtest"
	"github.com/quintain-rl/quintain/envs"
)

// problems is a file of three problems in the forms of different data sets.
const problems = `{"id":"a","question":"What is 6 times 7?","answer":"42"}

{"query_id":"b","prompt":"Half of 10?","solutions":["\\boxed{5}"],"task":"math"}
{"problem":"1000 + 234","answer":1234}
`

func readProblems(t *testing.T, text string) quintain.Task {
	t.Helper()
	task, err := envs.ReadProblems(strings.NewReader(text), "sums")
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func TestScenarios(t *testing.T) {
	envtest.Run(t, envs.Scenarios, []quintain.Task{readProblems(t, problems)})
}

// find returns the named scenario over a task.
func find(t *testing.T, name string, task quintain.Task, settings string) quintain.Scenario {
	t.Helper()
	for _, spec := range envs.Scenarios {
		if spec.Name == name {
			s, err := spec.Over(task, []byte(settings))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no scenario %s", name)
	return nil
}

// open returns an episode of the first problem of s, without opening it.
func open(t *testing.T, s quintain.Scenario) quintain.Env {
	t.Helper()
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestReasoningGymSystemMessage(t *testing.T) {
	talk, err := open(t, find(t, "reasoning_gym", readProblems(t, problems), "{}")).Open(t.Context())
	if err != nil || len(talk) != 2 || talk[0].Role != quintain.RoleSystem {
		t.Fatalf("%+v, error %v", talk, err)
	}
	for _, tag := range []string{"<think>", "</think>", "<answer>", "</answer>"} {
		if !strings.Contains(talk[0].Content, tag) {
			t.Errorf("the system message does not mention %s", tag)
		}
	}
	short, err := open(t, find(t, "reasoning_gym", readProblems(t, problems), `{"short_prompts":true}`)).Open(t.Context())
	if err != nil || len(short) != 1 {
		t.Errorf("a short prompt has %d messages, error %v", len(short), err)
	}
}

func TestMathMultiTurn(t *testing.T) {
	for _, test := range []struct {
		why      string
		settings string
		replies  []quintain.Reply
		rewards  []float64
		end      quintain.End
	}{
		{"right at once", `{"turns":3, "stop_at_success":true}`, replies(`\boxed{42}`), []float64{1}, quintain.Terminated},
		{"right at the second attempt", `{"turns":3, "stop_at_success":true}`, replies("41", "it is 42."), []float64{-1, 1}, quintain.Terminated},
		{"never right", `{"turns":3, "stop_at_success":true}`, replies("1", "2", "3"), []float64{-1, -1, -1}, quintain.Terminated},
		{"plays on after success, as AReaL does", `{"turns":2, "stop_at_success":false}`, replies("42", "43"), []float64{1, -1}, quintain.Terminated},
		{"bias and scaling", `{"turns":1, "reward_bias":0.5, "reward_scaling":2}`, replies("42"), []float64{1}, quintain.Terminated},
		{"a box takes precedence over later numbers", `{"turns":1}`, replies(`\boxed{42}, not 43`), []float64{1}, quintain.Terminated},
		{"thinking does not count", `{"turns":1}`, replies("<think>42</think> none"), []float64{-1}, quintain.Terminated},
		{"tags count", `{"turns":1}`, replies("<answer>42</answer> 7"), []float64{1}, quintain.Terminated},
		{"a reply that was cut", `{"turns":3}`, []quintain.Reply{{Text: "4", Finish: quintain.Length}}, []float64{-1}, quintain.Truncated},
	} {
		e := open(t, find(t, "math_multi_turn", readProblems(t, `{"question":"6·7?","answer":42}`), test.settings))
		for i, reply := range test.replies {
			step, err := e.Step(t.Context(), reply)
			if err != nil {
				t.Fatal(err)
			}
			last := i == len(test.replies)-1
			if step.Reward != test.rewards[i] || (step.End != quintain.Going) != last || last && step.End != test.end {
				t.Errorf("%s: turn %d: %+v, want reward %v", test.why, i, step, test.rewards[i])
			}
		}
	}
}

func replies(texts ...string) []quintain.Reply {
	var all []quintain.Reply
	for _, text := range texts {
		all = append(all, quintain.Reply{Text: text, Finish: quintain.Stop})
	}
	return all
}

// A worded is a task whose answers are words.
type worded struct{ quintain.Task }

func (worded) Solve(quintain.Problem) (string, error) { return "seven", nil }

func TestMathMultiTurnPlaysOnlyWholeNumbers(t *testing.T) {
	for _, spec := range envs.Scenarios {
		_, err := spec.Over(worded{readProblems(t, problems)}, nil)
		if (err == nil) != (spec.Name == "reasoning_gym") {
			t.Errorf("%s over a task with words as answers: error %v", spec.Name, err)
		}
	}
}

func TestReadProblems(t *testing.T) {
	task := readProblems(t, problems)
	seen := map[string]bool{}
	for index := range 6 {
		p, err := task.Problem(quintain.Draw{Seed: 1, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		if index < 3 {
			seen[p.Prompt] = true
		}
		solution, err := task.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			answer string
			want   float64
		}{{solution, 1}, {" +" + solution + ".0 ", 1}, {solution + "1", 0}, {"x", 0}, {"", 0}} {
			if v, err := task.Grade(p, test.answer); err != nil || v.Score != test.want {
				t.Errorf("%s: %q gets %+v, error %v", p.Prompt, test.answer, v, err)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("the first pass through the file gives %v, want all three problems", seen)
	}
	if _, err := task.Grade(quintain.Problem{Task: "sums", Instance: quintain.RawRecord([]byte(`{}`))}, "1"); err == nil {
		t.Error("a record without an answer is graded")
	}
}

func TestReadProblemsNamesLineAndField(t *testing.T) {
	const good = `{"question":"q","answer":1}` + "\n"
	for _, test := range []struct{ text, tells string }{
		{"", "no problem"},
		{good + "{", "line 2"},
		{good + `{"answer":1}`, "line 2: question"},
		{good + `{"question":"q"}`, "line 2: answer"},
		{good + `{"question":"q","answer":"x+1"}`, "line 2: answer"},
		{good + `{"question":"q","answer":"1/2"}`, "line 2: answer"},
		{good + `{"question":5,"answer":"1"}`, "line 2: question"},
		{`{"id":"a","question":"q","answer":1}` + "\n" + `{"id":"a","question":"r","answer":2}`, `line 2: id: "a" is already used in line 1`},
	} {
		if _, err := envs.ReadProblems(strings.NewReader(test.text), "sums"); err == nil || !strings.Contains(err.Error(), test.tells) {
			t.Errorf("%q: error %v, want %q in it", test.text, err, test.tells)
		}
	}
}

func FuzzReadProblems(f *testing.F) {
	f.Add(problems)
	f.Add(`{"question":"q","answer":"\\boxed{-1,000}"}`)
	f.Fuzz(func(t *testing.T, text string) {
		task, err := envs.ReadProblems(strings.NewReader(text), "sums")
		if err != nil {
			return
		}
		p, err := task.Problem(quintain.Draw{})
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back quintain.Problem
		if err := json.Unmarshal(encoded, &back); err != nil {
			t.Fatal(err)
		}
		solution, err := task.Solve(back)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := task.Grade(back, solution); err != nil || v.Score != 1 {
			t.Errorf("its own solution %q gets %+v, error %v", solution, v, err)
		}
	})
}
