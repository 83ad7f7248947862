package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// A form writes a right answer in another notation. It returns nothing if the solution has none such.
type form struct {
	name string
	of   func(solution string) string
}

// TestListsAndBoardsInAnyNotation: the right answer to every task that asks for a list or a board is right
// in each notation of them, or the task refuses that notation.
func TestListsAndBoardsInAnyNotation(t *testing.T) {
	met := map[string]bool{}
	eachProblem(t, func(of quintain.Task, p quintain.Problem, right, _ string) {
		for _, f := range slices.Concat(boardForms, listForms(task.List(of))) {
			text := f.of(right)
			if text == "" || task.Prose(of) || of.Info().Refuses[f.name] != "" {
				continue
			}
			met[of.Info().Name] = true
			if v := graded(t, of, p, text); v.Score < 1 {
				t.Errorf("%s: %s, %.100q, gets %+v, want 1", p.ID(), f.name, text, v)
			}
		}
	})
	if len(met) < 55 {
		t.Errorf("%d tasks ask for a list or a board, want 55 or more", len(met))
	}
}

// listForms are the notations of a list, given a task's own, as in task.List.
func listForms(notation string) []form {
	switch notation {
	case "":
		return nil
	case answer.AsLists:
		return []form{
			{"as lists without quotes", func(s string) string { return structure(s, strings.ReplaceAll(s, `"`, "")) }},
			{"as lists on lines", func(s string) string {
				return structure(s, strings.NewReplacer(`"`, "", "[[", "", "]]", "", "], [", "\n").Replace(s))
			}},
		}
	}
	list := func(open, mark, by, shut string) func(string) string {
		return func(s string) string {
			items := itemsOf(s, notation)
			text := strings.Join(items, "")
			if len(items) == 0 || mark == "" && strings.Contains(text, strings.TrimSpace(by)) || strings.ContainsAny(text, `"'`) {
				return ""
			}
			if mark == "" && strings.Contains(text, " ") && by == " " {
				return ""
			}
			return open + mark + strings.Join(items, mark+by+mark) + mark + shut
		}
	}
	return []form{
		{"as a list in brackets", list("[", "", ", ", "]")},
		{"as a list in round brackets", list("(", "", ", ", ")")},
		{"as a list of texts", list("[", `"`, ", ", "]")},
		{"as a list in single quotes", list("[", "'", ", ", "]")},
		{"as a list without spaces", list("[", `"`, ",", "]")},
		{"as a list with a last comma", list("[", `"`, ", ", ",]")},
		{"as a list in a sentence", list("The answer is [", "", ", ", "].")},
		{"as a set of LaTeX", list(`$\{`, "", ", ", `\}$`)},
		{"with commas", list("", "", ", ", "")},
		{"with semicolons", list("", "", "; ", "")},
		{"on lines", list("", "", "\n", "")},
		{"as bullets", several(list("- ", "", "\n- ", ""))},
		{"with and", withAnd(list("", "", ", ", ""))},
	}
}

// itemsOf returns the elements of a solution.
func itemsOf(s, notation string) (items []string) {
	if notation == answer.AsJSON {
		s = strings.ReplaceAll(s, "'", `"`)
		value, err := answer.ReadJSON(s)
		if items, ok := answer.Texts(value); ok && err == nil {
			return items
		}
		return nil
	}
	return strings.Split(s, notation)
}

// several keeps the texts of several lines.
func several(list func(string) string) func(string) string {
	return func(s string) string {
		if text := list(s); strings.Contains(text, "\n") {
			return text
		}
		return ""
	}
}

// withAnd writes the word and before the last element of a list with commas.
func withAnd(list func(string) string) func(string) string {
	return func(s string) string {
		text := list(s)
		if i := strings.LastIndex(text, ", "); i >= 0 {
			return text[:i] + " and " + text[i+2:]
		}
		return ""
	}
}

// boardForms are the notations of a board.
var boardForms = []form{
	{"as a board with commas", cells("", ", ", "\n", "")},
	{"as a matrix of LaTeX", cells(`\begin{pmatrix} `, " & ", ` \\ `, ` \end{pmatrix}`)},
	{"as an array of LaTeX", cells("$$\\left[\\begin{array}{cc}\n", " & ", " \\\\\n", "\n\\end{array}\\right]$$")},
	{"as a list of texts in rows", cells(`[["`, `", "`, `"], ["`, `"]]`)},
	{"as rows in brackets", cells("[", ", ", "]\n[", "]")},
	{"as numpy prints it", cells("[[", " ", "]\n [", "]]")},
	{"as a table", cells("| ", " | ", " |\n| ", " |")},
	{"as a board with a full stop", cells("", " ", "\n", ".")},
	{"as a board in a sentence", cells("The answer is:\n", " ", "\n", "")},
}

// cells writes the rows of a board that has equally many cells in each, at least two.
func cells(open, between, row, shut string) func(string) string {
	return func(s string) string {
		var rows [][]string
		if strings.HasPrefix(s, "[[") && !strings.Contains(s, `"`) {
			s = strings.NewReplacer("[[", "", "]]", "", "],[", "\n", ",", " ").Replace(s)
		}
		for line := range strings.Lines(s) {
			cells := strings.Fields(line)
			if len(cells) == 1 {
				cells = strings.Split(cells[0], "")
			}
			rows = append(rows, cells)
			if len(cells) != len(rows[0]) || slices.ContainsFunc(cells, func(cell string) bool { return len(cell) > 5 }) {
				return ""
			}
		}
		if len(rows) < 2 || len(rows[0]) < 2 {
			return ""
		}
		lines := make([]string, len(rows))
		for i, cells := range rows {
			lines[i] = strings.Join(cells, between)
		}
		return open + strings.Join(lines, row) + shut
	}
}

// denied are texts that deny a right answer, hedge, or add a second one: {} is the right answer, {other}
// that of another problem.
var denied = []string{
	"It is false that {}", "It is false that {}.", "The answer is not {}.", "not {}", "Not {}.", "No {}", "{} is wrong.", "{} is not the answer.", "Anything but {}.", "I doubt that it is {}.",
	"Suppose {}. That fails. I do not know.", "Suppose {} That fails.", "{}? Maybe.", "Maybe {}", "{}, but I am not sure.", "{} (perhaps)", "If {} then I do not know.", "{}?",
	"{} or {other}", "{other} or {}", "Either {} or {other}.", "Neither {} nor {other}.", "{}. No, {other}", "{other}. No, {}", "{}\n\nNo: {other}", "{} / {other}", "{} ({other})", "{}, or not", "{} and not {other}", "{}; or {other}", "{} # {other}", "{} // or {other}",
	"**{}** or **{other}**", "\\boxed{{}} or \\boxed{{other}}", "not \\boxed{{}}", "\"{}\" is false", "≠ {}", "!{}", "~{}", "¬{}", "<s>{}</s>", "~~{}~~",
}

// operators are forms that a task reads as signs of its own language: with one, ¬¬P ∨ K or (a*)?, the answer is
// another one, which is right or not by itself.
var operators = map[string]string{"propositional_logic": " ¬{} ~{} !{} ", "regular_expressions": " {}? "}

// TestDeniedAndSecondAnswersEarnNothing: what stands beside an answer and is not empty talk makes it none. A
// text of several sentences makes no claim: what stands beside it is part of it.
func TestDeniedAndSecondAnswersEarnNothing(t *testing.T) {
	eachProblem(t, func(of quintain.Task, p quintain.Problem, right, other string) {
		for _, form := range denied {
			if strings.Contains(operators[of.Info().Name], " "+form+" ") {
				continue
			}
			text := strings.NewReplacer("{}", right, "{other}", other).Replace(form)
			if v := graded(t, of, p, text); v.Score > 0 && !task.Prose(of) {
				t.Errorf("%s: %q, %.100q, gets %+v, want 0: it is no answer", p.ID(), form, text, v)
			}
		}
	})
}

// eachProblem calls f with problems of every level of every task, their solutions, and answers to others that
// earn nothing here.
func eachProblem(t *testing.T, f func(of quintain.Task, p quintain.Problem, right, other string)) {
	t.Helper()
	for _, of := range catalog.Tasks() {
		solve := func(draw quintain.Draw) (quintain.Problem, string) {
			p, err := of.Problem(draw)
			if err != nil {
				t.Fatal(err)
			}
			solution, err := of.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			return p, solution
		}
		last := len(of.Info().Levels) - 1
		for level := range last + 1 {
			if many := splitDraws >= 50; !many && level > 0 && level < last {
				continue // the quick tier looks at the first level and the last
			}
			for index := range max(1, splitDraws/50) {
				p, right := solve(quintain.Draw{Seed: 1, Level: level, Index: index})
				other := ""
				for next := index + 1; (other == "" || graded(t, of, p, other).Score > 0) && next < index+40; next++ {
					_, other = solve(quintain.Draw{Seed: 1, Level: level, Index: next})
				}
				f(of, p, right, other)
			}
		}
	}
}

func graded(t *testing.T, of quintain.Task, p quintain.Problem, text string) quintain.Verdict {
	t.Helper()
	v, err := of.Grade(p, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// structure returns text if s is a JSON list.
func structure(s, text string) string {
	if !strings.HasPrefix(s, "[") || !json.Valid([]byte(s)) {
		return ""
	}
	return text
}
