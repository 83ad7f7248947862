//go:build heavy

package catalog_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// A record is the fields that the forms of questions need, of all tasks in twinForms.
type record struct {
	Pegs          int             `json:"num_pegs"`
	Start         []int           `json:"start"`
	Goal          []int           `json:"goal"`
	Premise1      string          `json:"premise1"`
	Premise2      string          `json:"premise2"`
	Conclusion    string          `json:"conclusion"`
	More          []record        `json:"more"`
	Puzzle        json.RawMessage `json:"puzzle"`
	State         json.RawMessage `json:"initial_state"`
	Rotations     []string        `json:"rotations"`
	Target        string          `json:"target_side"`
	Person1       string          `json:"person1"`
	Person2       string          `json:"person2"`
	Members       []relative      `json:"members"`
	Courses       []int           `json:"courses"`
	Prerequisites [][2]int        `json:"prerequisites"`
	Rows          int             `json:"row_num"`
	Columns       int             `json:"column_num"`
	Premises      []string        `json:"premises"`
	Integrand     string          `json:"integrand"`
	Variable      string          `json:"variable"`
	TaskID        string          `json:"task_id"`

	raw      string // the record itself
	solution string // of the problem
}

// A relative is a person of a family; the others have numbers from 1.
type relative struct {
	Name   string `json:"name"`
	Female bool   `json:"female"`
	Spouse int    `json:"spouse"`
	Father int    `json:"father"`
	Mother int    `json:"mother"`
}

// twinForms give, for some tasks, one text to all questions that differ only in names, order or side.
// They know nothing of the tasks' keys.
var twinForms = map[string]func(r record) string{
	"arc_agi":              func(r record) string { return r.TaskID },
	"basic_arithmetic":     chainForm,
	"chain_sum":            chainForm,
	"coin_flip":            coinForm,
	"complex_arithmetic":   complexForm,
	"decimal_chain_sum":    chainForm,
	"dice":                 diceForm,
	"gcd":                  listForm,
	"lcm":                  listForm,
	"number_filtering":     filterForm,
	"number_sorting":       sortingForm,
	"polynomial_equations": equationForm,
	"products":             productForm,
	"regular_expressions":  languageForm,
	"boxnet":               boxnetForm,
	"color_cube_rotation":  cubeForm,
	"course_schedule":      coursesForm,
	"family_relationships": familyForm,
	"n_queens":             queensForm,
	"propositional_logic":  logicForm,
	"simple_integration":   integralForm,
	"syllogism":            syllogismForm,
	"tower_of_hanoi":       hanoiForm,
}

// No held-out problem has a twin among those of the training: one that differs in names, order, side, sign,
// a power of ten, as a complement or as a mirror image alone.
func TestHeldOutProblemsHaveNoTwinsInTraining(t *testing.T) {
	t.Parallel()
	for _, task := range catalog.Tasks() {
		form, has := twinForms[task.Info().Name]
		if !has {
			continue
		}
		t.Run(task.Info().Name, func(t *testing.T) {
			t.Parallel()
			for level := range task.Info().Levels {
				twinsOf(t, task, level, form)
			}
		})
	}
}

// twinsOf measures the share of held-out draws of a level with a trained twin.
func twinsOf(t *testing.T, task quintain.Task, level int, form func(record) string) {
	t.Helper()
	const draws = 2000
	trained, heldOut, example := map[string][]twin{}, map[string][]twin{}, ""
	for index := range draws {
		p, err := task.Problem(quintain.Draw{Seed: 4, Level: level, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		key, err := quintain.KeyOf(task, p)
		if err != nil {
			t.Fatal(err)
		}
		r := record{raw: p.Instance.String()}
		if err := json.Unmarshal([]byte(r.raw), &r); err != nil {
			t.Fatal(err)
		}
		if r.solution, err = task.Solve(p); err != nil {
			t.Fatal(err)
		}
		if text := form(r); key.HeldOut() {
			heldOut[text] = append(heldOut[text], twin{p, r})
		} else {
			trained[text] = append(trained[text], twin{p, r})
		}
	}
	all, twins := 0, 0
	for text, list := range heldOut {
		for _, one := range list {
			all++
			if i := slices.IndexFunc(trained[text], func(other twin) bool { return one.is(t, task, other) }); i >= 0 {
				other := trained[text][i]
				twins++
				example = fmt.Sprintf("%s and %s:\n%s\n\n%s", one.ID(), other.ID(), one.Prompt, other.Prompt)
			}
		}
	}
	if twins > 0 || all == 0 {
		t.Errorf("level %d: %d of %d held-out draws have a trained twin, as %s", level, twins, all, example)
	}
}

// A twin is a problem with its record.
type twin struct {
	quintain.Problem
	record
}

// is reports whether two problems with one form are twins. The form of a language knows short strings alone, so
// the solution of one, in other letters and read from either end, has to solve the other.
func (w twin) is(t *testing.T, task quintain.Task, other twin) bool {
	if w.Task != "regular_expressions" {
		return true
	}
	var from, to struct{ Letters string }
	read(w.record, &from)
	read(other.record, &to)
	for _, order := range orders(len(from.Letters)) {
		for _, solution := range []string{w.solution, fromTheEnd(w.solution)} {
			renamed := strings.Map(func(c rune) rune {
				if i := strings.IndexRune(from.Letters, c); i >= 0 {
					return rune(to.Letters[order[i]])
				}
				return c
			}, solution)
			v, err := task.Grade(other.Problem, renamed)
			if err != nil {
				t.Fatal(err)
			}
			if v.Score == 1 {
				return true
			}
		}
	}
	return false
}

// renamed writes things with numbers in the order in which they first occur.
func renamed[T comparable](things []T) string {
	numbers, text := map[T]int{}, ""
	for _, thing := range things {
		if _, met := numbers[thing]; !met {
			numbers[thing] = len(numbers)
		}
		text += fmt.Sprint(" ", numbers[thing])
	}
	return text
}

func hanoiForm(r record) string {
	there, back := renamed(slices.Concat(r.Start, r.Goal)), renamed(slices.Concat(r.Goal, r.Start))
	return fmt.Sprint(r.Pegs, min(there, back))
}

// statementRE matches a statement of a syllogism.
var statementRE = regexp.MustCompile(`^(No|All|Some) (\w+) are (not )?(\w+)$`)

// syllogismForm tries the statements with No and Some both ways round.
func syllogismForm(r record) string {
	var all []string
	for _, one := range append([]record{r}, r.More...) {
		var forms []string
		for way := range 16 {
			premises := []string{one.Premise1, one.Premise2}
			if way&8 != 0 {
				slices.Reverse(premises)
			}
			var groups, kinds []string
			for i, statement := range append(premises, one.Conclusion) {
				part := statementRE.FindStringSubmatch(statement)
				if way>>i&1 != 0 && part[1] != "All" && part[3] == "" {
					part[2], part[4] = part[4], part[2]
				}
				groups, kinds = append(groups, part[2], part[4]), append(kinds, part[1]+part[3])
			}
			forms = append(forms, fmt.Sprint(kinds, renamed(groups)))
		}
		all = append(all, slices.Min(forms))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// turned returns the place of a cell in a grid that is turned by quarters, after a mirror for the last
// four of eight ways.
func turned(way, row, col, rows, cols int) (newRow, newCol int) {
	if way >= 4 {
		col = cols - 1 - col
	}
	for range way % 4 {
		row, col, rows, cols = col, rows-1-row, cols, rows
	}
	return row, col
}

func queensForm(r record) string {
	var forms []string
	var puzzle [][]string
	if err := json.Unmarshal(r.Puzzle, &puzzle); err != nil {
		return err.Error()
	}
	for way := range 8 {
		var queens []string
		for i, row := range puzzle {
			for j, cell := range row {
				if a, b := turned(way, i, j, len(puzzle), len(row)); cell == "Q" {
					queens = append(queens, fmt.Sprint(a, ",", b))
				}
			}
		}
		slices.Sort(queens)
		forms = append(forms, fmt.Sprint(len(puzzle), queens))
	}
	return slices.Min(forms)
}

// boxnetForm describes a color by where its boxes and targets are.
func boxnetForm(r record) string {
	var state map[string][]string
	if err := json.Unmarshal(r.State, &state); err != nil {
		return err.Error()
	}
	var forms []string
	for way := range 8 {
		places := map[string][]string{} // by color
		for square, things := range state {
			var row, col float64
			if n, _ := fmt.Sscanf(strings.Replace(square, "_", " ", 1), "%g %g", &row, &col); n != 2 {
				return "square " + square
			}
			a, b := turned(way, int(row), int(col), r.Rows, r.Columns)
			for _, thing := range things {
				kind, color, _ := strings.Cut(thing, "_")
				places[color] = append(places[color], fmt.Sprint(kind, a, ",", b))
			}
		}
		var colors []string
		for _, of := range places {
			slices.Sort(of)
			colors = append(colors, fmt.Sprint(of))
		}
		slices.Sort(colors)
		size := [2]int{r.Rows, r.Columns}
		if way%2 == 1 {
			size = [2]int{r.Columns, r.Rows}
		}
		forms = append(forms, fmt.Sprint(size, colors))
	}
	return slices.Min(forms)
}

// cubeForm looks at a cube from its four sides, and in a mirror. A half turn has an axis from left to
// right, so that only two of the sides are alike.
func cubeForm(r record) string {
	var color map[string]string
	if err := json.Unmarshal(r.State, &color); err != nil {
		return err.Error()
	}
	around := []string{"front", "right", "back", "left"}
	var forms []string
	for way := range 8 {
		if way%2 == 1 && slices.Contains(r.Rotations, "bottom") {
			continue
		}
		as := map[string]string{"top": "top", "bottom": "bottom"}
		for i, side := range around {
			as[side] = around[(i+way)%4]
			if way >= 4 {
				as[side] = around[(8-i+way)%4]
			}
		}
		colors := make([]string, 6)
		for side, to := range as {
			colors[slices.Index([]string{"top", "bottom", "front", "right", "back", "left"}, to)] = color[side]
		}
		text := as[r.Target] + renamed(colors)
		for _, side := range r.Rotations {
			text += " " + as[side]
		}
		forms = append(forms, text)
	}
	return slices.Min(forms)
}
