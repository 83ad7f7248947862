package scenarios_test

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// readProblems reads a file of problems.
func readProblems(t *testing.T, text string) quintain.Task {
	t.Helper()
	set, err := dataset.Open(&dataset.File{Name: "sums.jsonl", Data: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// problems is a file of three problems.
const problems = `{"question":"What is 6 times 7?","answer":"42"}
{"question":"Half of 10?","answer":"5"}
{"question":"1000 + 234","answer":1234}
`

func TestScenarios(t *testing.T) {
	scenariotest.Run(t, scenarios.All, []quintain.Task{readProblems(t, problems)})
}

// find returns the named scenario over a task.
func find(t *testing.T, name string, task quintain.Task, settings string) quintain.Scenario {
	t.Helper()
	for _, spec := range scenarios.All {
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
	shown, err := open(t, find(t, "reasoning_gym", readProblems(t, problems), `{"short_prompts":true,"examples":1}`)).Open(t.Context())
	if err != nil || shown[0].Role != quintain.RoleSystem || strings.Contains(shown[0].Content, "think") {
		t.Errorf("short prompts with an example begin with %+v, error %v", shown, err)
	}
}

func TestMathMultiTurn(t *testing.T) {
	cut := quintain.Reply{Text: "4", Finish: quintain.Length}
	for _, test := range []struct {
		why      string
		settings string
		replies  []quintain.Reply
		rewards  []float64
		end      quintain.End
	}{
		{"right at once", `{"num_turns":3}`, replies(`\boxed{42}`), []float64{1}, quintain.Terminated},
		{"right at the second attempt", `{"num_turns":3}`, replies("41", "it is 42."), []float64{0, 1}, quintain.Terminated},
		{"never right", `{"num_turns":3}`, replies("1", "2", "3"), []float64{0, 0, 0}, quintain.Terminated},
		{"legacy plays on after success", `{"num_turns":3, "mode":"legacy"}`, replies("42", "43", "42"), []float64{1, -1, 1}, quintain.Terminated},
		{"bias and scaling, legacy", `{"num_turns":2, "mode":"legacy", "reward_bias":0.5, "reward_scaling":2}`, replies("42", "1"), []float64{1, -3}, quintain.Terminated},
		{"bias and scaling, modern", `{"num_turns":2, "reward_bias":0.5, "reward_scaling":2}`, replies("1", "42"), []float64{-1, 1}, quintain.Terminated},
		{"a box takes precedence over later numbers", `{"num_turns":1}`, replies(`\boxed{42}, not 43`), []float64{1}, quintain.Terminated},
		{"an answer within other text in the box", `{"num_turns":1}`, replies(`\boxed{42 or 43}`), []float64{0}, quintain.Terminated},
		{"thinking does not count", `{"num_turns":1}`, replies("<think>42</think> none"), []float64{0}, quintain.Terminated},
		{"nor a box in it", `{"num_turns":1}`, replies(`<think>\boxed{42}</think> I do not know.`), []float64{0}, quintain.Terminated},
		{"nor one without an opening tag", `{"num_turns":1}`, replies(`\boxed{42}</think> I do not know.`), []float64{0}, quintain.Terminated},
		{"nor one in thinking without an end", `{"num_turns":1}`, replies(`<think>\boxed{42}`), []float64{0}, quintain.Terminated},
		{"a box behind it counts", `{"num_turns":1}`, replies(`<think>\boxed{41}</think> \boxed{42}`), []float64{1}, quintain.Terminated},
		{"tags count", `{"num_turns":1}`, replies("<answer>42</answer> 7"), []float64{1}, quintain.Terminated},
		{"a reply that was cut is an attempt", `{"num_turns":2}`, append([]quintain.Reply{cut}, replies("42")...), []float64{0, 1}, quintain.Terminated},
		{"the last one is cut", `{"num_turns":1}`, []quintain.Reply{cut}, []float64{0}, quintain.Truncated},
		{"no room for a reply", `{"num_turns":9}`, []quintain.Reply{{Finish: quintain.Length}}, []float64{0}, quintain.Truncated},
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

// A choice is a task with a few answers to choose from.
type choice struct {
	quintain.Task
	answers int
}

func (c choice) Choices(quintain.Problem) (int, error) { return c.answers, nil }

// A policy that tries one answer after the other is right in a quarter of the problems at most,
// or as often as a single guess.
func TestFewAnswersGetFewAttempts(t *testing.T) {
	for _, test := range []struct {
		answers  int
		settings string
		attempts int
	}{
		{0, `{}`, 5}, {2, `{}`, 1}, {3, `{}`, 1}, {4, `{}`, 1}, {7, `{}`, 1}, {8, `{}`, 2}, {19, `{}`, 4}, {20, `{}`, 5}, {1 << 30, `{}`, 5},
		{12, `{"num_turns":2}`, 2}, {2, `{"mode":"legacy"}`, 1}, {2, `{"all_attempts":true}`, 5}, {2, `{"all_attempts":true,"num_turns":3}`, 3},
	} {
		task := choice{readProblems(t, `{"question":"6·7?","answer":42}`), test.answers}
		e, attempts, end := open(t, find(t, "math_multi_turn", task, test.settings)), 0, quintain.Going
		for end == quintain.Going {
			step, err := e.Step(t.Context(), quintain.Reply{Text: "41", Finish: quintain.Stop})
			if err != nil {
				t.Fatal(err)
			}
			attempts, end = attempts+1, step.End
		}
		if attempts != test.attempts {
			t.Errorf("%d answers, settings %s: %d attempts, want %d", test.answers, test.settings, attempts, test.attempts)
		}
	}
}

func TestSystemPrompt(t *testing.T) {
	question := quintain.Message{Role: quintain.RoleUser, Content: "6·7?"}
	for _, test := range []struct {
		why, settings string
		want          []quintain.Message
	}{
		{"none by default", `{}`, []quintain.Message{question}},
		{"as given", `{"system_prompt":"Be brief."}`, []quintain.Message{{Role: quintain.RoleSystem, Content: "Be brief."}, question}},
		{"with an example in a box", `{"examples":1}`, []quintain.Message{{Role: quintain.RoleUser, Content: "5·8?"}, {Role: quintain.RoleAssistant, Content: `\boxed{40}`}, question}},
		{"before a short question too", `{"system_prompt":"Be brief.","short_prompts":true}`, []quintain.Message{{Role: quintain.RoleSystem, Content: "Be brief."}, question}},
	} {
		talk, err := open(t, find(t, "math_multi_turn", readProblems(t, `{"question":"6·7?","answer":42}`+"\n"+`{"question":"5·8?","answer":40}`), test.settings)).Open(t.Context())
		if err != nil || !reflect.DeepEqual(talk, test.want) {
			t.Errorf("%s: %+v, error %v", test.why, talk, err)
		}
	}
}

func TestFeedback(t *testing.T) {
	const settings = `{"mode":"legacy", "num_turns":9, "feedback_right":"yes", "feedback_wrong":"no", "feedback_none":"what?"}`
	e := open(t, find(t, "math_multi_turn", readProblems(t, `{"question":"6·7?","answer":42}`), settings))
	for _, test := range []struct {
		reply, says string
		malformed   bool
	}{{"42", "yes", false}, {"41", "no", false}, {"Hm.", "what?", true}, {`\boxed{x}`, "no", false}, {`\boxed{x+}`, "what?", true}, {`\boxed{}`, "what?", true}} {
		step, err := e.Step(t.Context(), quintain.Reply{Text: test.reply})
		if err != nil || len(step.Observe) != 1 || step.Observe[0].Content != test.says || step.Malformed != test.malformed {
			t.Errorf("after %q: %+v, error %v; want %q", test.reply, step, err, test.says)
		}
	}
}

// A failing verifier gives no reward.
func TestUnreadableGoldIsAnError(t *testing.T) {
	s := find(t, "math_multi_turn", readProblems(t, problems), "{}")
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	p.Instance = quintain.RawRecord([]byte("{"))
	if _, err := s.Env(p); err == nil {
		t.Error("a record that cannot be read is played")
	}
	p.Instance = quintain.RawRecord([]byte(`{"answers":["x+"]}`))
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, reply := range []string{"42", "", "x+"} {
		if step, err := e.Step(t.Context(), quintain.Reply{Text: reply}); err == nil {
			t.Errorf("%q earns %+v", reply, step)
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

// A board is a task whose answers are not mathematics.
type board struct{ quintain.Task }

func (board) Solve(quintain.Problem) (string, error) { return "_ X _\n# _ O", nil }

func TestMathMultiTurnPlaysOnlyMathematics(t *testing.T) {
	for _, spec := range scenarios.All {
		_, err := spec.Over(board{readProblems(t, problems)}, nil)
		if (err == nil) != (spec.Name != "math_multi_turn") {
			t.Errorf("%s over a task with boards as answers: error %v", spec.Name, err)
		}
	}
}

func TestMathematicalAnswers(t *testing.T) {
	for _, test := range []struct{ why, gold, reply, step string }{
		{"a fraction as a decimal", `\frac{1}{8}`, `So it is $\boxed{0.125}$.`, "right"},
		{"a fraction upside down", `\frac{1}{8}`, `\boxed{8}`, `wrong: want \frac{1}{8}`},
		{"an interval", `[0, \infty)`, `The answer is $[0,\infty)$.`, "right"},
		{"an interval as an inequality", `[0, \infty)`, `\boxed{x > 0}`, `wrong: want [0, \infty)`},
		{"a matrix", `\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}`, `\[\boxed{\begin{bmatrix} 1 & 0 \\ 0 & \frac{2}{2} \end{bmatrix}}\]`, "right"},
		{"words", `\text{Friday}`, "The day is Friday.", "right"},
		{"other words are no answer", `\text{Friday}`, "I do not know.", "no answer"},
		{"a letter", "C", "I think that (C) is right, and not (B) or (A): (C)", "right"},
		{"prose in a box is not searched", "42", `\boxed{neither 41 nor 42}`, "wrong: want 42"},
		{"an undecidable answer is wrong", `\sum_{k=1}^{\infty} \frac{1}{k^3}`, `\boxed{\zeta(3)}`, `wrong: unknown: it could not be told whether the answer is right; want \sum_{k=1}^{\infty} \frac{1}{k^3}`},
	} {
		line, err := json.Marshal(map[string]string{"question": "q", "answer": test.gold})
		if err != nil {
			t.Fatal(err)
		}
		e := open(t, find(t, "math_multi_turn", readProblems(t, string(line)), `{"mode":"legacy"}`))
		step, err := e.Step(t.Context(), quintain.Reply{Text: test.reply})
		if err != nil || step.Why != test.step {
			t.Errorf("%s: %q for %s: %+v, error %v, want %q", test.why, test.reply, test.gold, step, err, test.step)
		}
	}
}
