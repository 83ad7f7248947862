package names_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// newBook returns a book of all tasks and scenarios.
func newBook(tb testing.TB) *names.Book {
	tb.Helper()
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		tb.Fatal(err)
	}
	return book
}

// TestProblemsComeBack draws a problem of each task and level, and reads it back by its
// JSON, by other bytes of the same JSON, and by its ID.
func TestProblemsComeBack(t *testing.T) {
	book := newBook(t)
	for _, of := range catalog.Tasks() {
		for level := range of.Info().Levels {
			draw, err := book.Draw(names.Draw{Task: of.Info().Name, Scenario: "reasoning_gym", Seed: "7", Level: level})
			if err != nil {
				t.Fatal(err)
			}
			p, err := draw(3)
			if err != nil {
				t.Fatal(err)
			}
			text, err := book.Append(nil, p)
			if err != nil {
				t.Fatal(err)
			}
			solution, err := of.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{string(text), " " + string(text), `"` + p.ID() + `"`} {
				back, err := book.Problem([]byte(form))
				if err != nil || back.ID() != p.ID() || back.Prompt != p.Prompt {
					t.Fatalf("%.60s: read as %s, error %v; want %s", form, back.ID(), err, p.ID())
				}
				if v, err := book.Grade(back, &solution); err != nil || v.Score != 1 {
					t.Errorf("%.60s: the solution is graded %+v, error %v", form, v, err)
				}
			}
		}
	}
}

// TestJudge adds the rewards of the replies until the episode ends.
func TestJudge(t *testing.T) {
	book := newBook(t)
	p, err := book.Problem([]byte(`"chain_sum.v5.s1.l0.0"`)) // What is 3 - 6?
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, scenario string
		replies       []string
		reward        float64
		end           quintain.End
	}{
		{"the usual scenario", "", []string{"<answer>-3</answer>"}, 1, quintain.Terminated},
		{"replies after the end", "", []string{"<answer>3</answer>", "<answer>-3</answer>"}, 0, quintain.Terminated},
		{"an episode that goes on", "math_multi_turn", []string{`\boxed{3}`}, 0, quintain.Going},
		{"right after a mistake", "math_multi_turn", []string{`\boxed{3}`, `\boxed{-3}`, `\boxed{-3}`}, 1, quintain.Terminated},
		{"by the ID of the scenario", "math_multi_turn.v12", []string{`\boxed{-3}`}, 1, quintain.Terminated},
		{"no replies", "", nil, 0, quintain.Going},
	} {
		step, err := book.Judge(t.Context(), p, test.scenario, said(test.replies...)...)
		if err != nil || step.Reward != test.reward || step.End != test.end {
			t.Errorf("%s: reward %v, end %q, error %v; want %v and %q", test.why, step.Reward, step.End, err, test.reward, test.end)
		}
	}
	p.Scenario = "math_multi_turn.v12"
	if step, err := book.Judge(t.Context(), p, "reasoning_gym", said(`\boxed{-3}`)...); err != nil || step.Reward != 1 {
		t.Errorf("a problem of a scenario: reward %v, error %v", step.Reward, err)
	}
	p.Scenario = "math_multi_turn.v12-012345"
	if _, err := book.Judge(t.Context(), p, ""); err == nil || !strings.Contains(err.Error(), "has other settings") {
		t.Errorf("a scenario with other settings: error %v", err)
	}
	p.Task = "nothing"
	if _, err := book.Judge(t.Context(), p, ""); err == nil || !strings.Contains(err.Error(), `no task "nothing"`) {
		t.Errorf("a problem of no task: error %v", err)
	}
}

// said returns replies.
func said(texts ...string) (replies []quintain.Reply) {
	for _, text := range texts {
		replies = append(replies, quintain.Reply{Text: text, Finish: quintain.Stop})
	}
	return replies
}

// With the scores of reasoning-gym, the book grades and plays by them, and its scenario has
// another ID.
func TestScoresOfTheBook(t *testing.T) {
	book, err := catalog.Book(reasoninggym.ReasoningGym)
	if err != nil {
		t.Fatal(err)
	}
	draw, err := book.Draw(names.Draw{Task: "chain_sum", Scenario: "reasoning_gym", Seed: "1"}) // What is 3 - 6?
	if err != nil {
		t.Fatal(err)
	}
	p, err := draw(0)
	if err != nil || !strings.HasPrefix(p.Scenario, "reasoning_gym.v2-") {
		t.Fatalf("the problem is %s, error %v", p.ID(), err)
	}
	answer := "-3 or so"
	if v, err := book.Grade(p, &answer); err != nil || v.Score != 0.25 {
		t.Errorf("the answer is graded %+v, error %v", v, err)
	}
	if step, err := book.Judge(t.Context(), p, "", said("<answer>"+answer+"</answer>")...); err != nil || step.Reward != 0.25 {
		t.Errorf("the reply earns %v, error %v", step.Reward, err)
	}
	p.Scenario = "reasoning_gym.v2"
	if _, err := book.Judge(t.Context(), p, "", said(answer)...); err == nil || !strings.Contains(err.Error(), "has other settings") {
		t.Errorf("a problem with the usual scores: error %v", err)
	}
	e, of, err := book.Entry([]byte(`"?"`), []byte(`"5"`), []byte(`{"source_dataset":"gcd","numbers":[4,6],"result":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := book.GradeEntry(e, of, "5"); err != nil || v.Score != 1 {
		t.Errorf("the stored answer, which is wrong, is graded %+v, error %v", v, err)
	}
}

// FuzzProblem reads any text as a problem, and grades an answer to the result.
func FuzzProblem(f *testing.F) {
	book := newBook(f)
	f.Add([]byte(`"reasoning_gym.v2/chain_sum.v5.s1.l0.0"`))
	f.Add([]byte(`{"task":"chain_sum","version":5,"seed":"1","instance":{"expression":"1 + 2","num_terms":2,"num_digits":1}}`))
	f.Add([]byte(`{"task":"mini_sudoku","scenario":"reasoning_gym.v2","instance":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := book.Problem(text)
		if err != nil {
			return
		}
		answer := "1"
		if v, err := book.Grade(p, &answer); err == nil && !(v.Score >= 0 && v.Score <= 1) {
			t.Errorf("%s: graded %+v", text, v)
		}
		_, _ = book.Judge(t.Context(), p, "", said(answer)...) // must not panic
	})
}
