package tasktest

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
)

// listForms are the notations of a list, given a task's own, as in task.List.
func listForms(notation string) []rendering {
	switch notation {
	case "":
		return nil
	case answer.AsLists:
		return []rendering{
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
	return []rendering{
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
		if items, is := answer.Texts(value); is && err == nil {
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
var boardForms = []rendering{
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

// denials: what stands beside an answer and is not empty talk makes it none. A text of several sentences
// makes no claim: what stands beside it is part of it.
func denials(t testing.TB, of quintain.Task) {
	if task.Prose(of) {
		return
	}
	told := map[string]bool{}
	for level := range of.Info().Levels {
		for i := range draws / 4 {
			p := problem(t, of, quintain.Draw{Seed: 1, Level: level, Index: i})
			right, other := solve(t, of, p), ""
			for next := i + 1; (other == "" || grade(t, of, p, other).Score > 0) && next < i+40; next++ {
				other = solve(t, of, problem(t, of, quintain.Draw{Seed: 1, Level: level, Index: next}))
			}
			for _, form := range denied {
				text := strings.NewReplacer("{}", right, "{other}", other).Replace(form)
				if v := grade(t, of, p, text); v.Score > 0 && !told[form] {
					told[form] = true
					t.Errorf("%s: %q, %.100q, gets %+v, want 0: it is no answer", p.ID(), form, text, v)
				}
			}
		}
	}
}
