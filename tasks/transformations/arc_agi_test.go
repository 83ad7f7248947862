package transformations

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestArcScore(t *testing.T) {
	tasktest.Nears(t, arcItem{Output: board{{1, 0}, {4, 5}}}.Score, []tasktest.Near{
		{"1 0\n4 5", 1, ""}, {"[[1, 0], [4, 5]]", 1, "as a list"}, {"10\n45", 1, "without spaces"},
		{"1 0\n4 6", 0, "reasoning-gym pays 0.05"}, {"1 4\n0 5", 0, "columns as rows"}, {"1 0", 0, "a row too few"}, {"", 0, "nothing; reasoning-gym pays 0.05"},
	})
	const pair = `"input":[[1,2]],"output":[[2,1]]`
	tasktest.RefusedRecords(t, arcAGI.Task(), []string{
		`{}`, `{"input":[[1]],"output":[[1,2],[1]]}`, `{"input":[[1]],"output":[[10]]}`, `{"input":[[1]],"output":[[` + strings.Repeat("0,", 60) + `0]]}`,
		`{` + pair + `,"phrasing":7}`, `{` + pair + `,"examples":[{"input":[[1]],"output":[]}]}`, `{` + pair + `,"examples":[` + strings.Repeat(`{`+pair+`},`, 20) + `{` + pair + `}]}`,
	})
}

func TestArcParams(t *testing.T) {
	tasktest.Refused(t, arcAGI.Task(), map[string]string{
		`{"use_train":false,"use_eval":false}`: "use_train", `{"max_cells":99}`: "max_cells", `{"rotations":[90,45,180]}`: "rotations", `{"mirrors":["skew"]}`: "mirrors",
		`{"rotations":[90]}`: "rotations_weights", `{"mirrors_weights":[1,1,0,0,0]}`: "mirrors_weights",
	})
	plain := `{"use_eval":false,"rotations":[],"rotations_weights":[1],"mirrors":[],"mirrors_weights":[1],"use_color_permutation":false,"shuffle_example_order":false}`
	item := tasktest.Made[arcItem](t, tasktest.With(t, arcAGI.Task(), plain), 0, 0)
	i := slices.IndexFunc(arcTraining(), func(t arcTask) bool { return t.ID == item.TaskID })
	if i < 0 || fmt.Sprint(item.Examples) != fmt.Sprint(arcTraining()[i].Train()) {
		t.Errorf("an identity view changed the task: %+v", item)
	}
}

// The easiest tasks of either set fit the least max_cells.
func TestSmallestArcTasks(t *testing.T) {
	for _, p := range []arcParams{arcLevel(true, false, leastCells), arcLevel(false, true, leastCells)} {
		if sets := p.smallTasks(); len(sets[0])+len(sets[1]) == 0 {
			t.Errorf("no task has up to %d cells", leastCells)
		}
	}
	if all := arcAGI.Default.smallTasks(); len(all[0]) != 400 || len(all[1]) != 400 {
		t.Errorf("%d and %d tasks are small enough for the defaults, want all 400", len(all[0]), len(all[1]))
	}
}

// seen returns a grid in one of eight views: transposed, upside down, right to left, or
// several of them.
func seen(g [][]int, side int) (out [][]int) {
	h, w := len(g), len(g[0])
	if side&4 != 0 {
		h, w = w, h
	}
	for i := range h {
		out = append(out, make([]int, w))
		for j := range w {
			from := [2]int{i, j}
			if side&1 != 0 {
				from[0] = h - 1 - i
			}
			if side&2 != 0 {
				from[1] = w - 1 - j
			}
			if side&4 != 0 {
				from[0], from[1] = from[1], from[0]
			}
			out[i][j] = g[from[0]][from[1]]
		}
	}
	return out
}

// A dye maps each color to the color in the view; -1: not known yet.
type dye [10]int

// extended returns the dye that also maps got to want.
func (d dye) extended(want, got [][]int) (dye, error) {
	if len(want) != len(got) || len(want[0]) != len(got[0]) {
		return d, errors.New("another size")
	}
	for i := range want {
		for j, c := range want[i] {
			if d[c] == -1 && !slices.Contains(d[:], got[i][j]) {
				d[c] = got[i][j]
			}
			if d[c] != got[i][j] {
				return d, fmt.Errorf("%d for %d in row %d", got[i][j], c, i)
			}
		}
	}
	return d, nil
}

// explained reports whether the visible pairs are those of a task in one view, in any
// order, in colors that extend d.
func explained(shown []gridPair, pairs []arcPair, side int, d dye) bool {
	if len(shown) == 0 {
		return len(pairs) == 0
	}
	for i, pair := range pairs {
		next, err := d.extended(seen(pair.Input, side), shown[0].Input)
		if err == nil {
			next, err = next.extended(seen(pair.Output, side), shown[0].Output)
		}
		if err == nil && explained(shown[1:], slices.Delete(slices.Clone(pairs), i, i+1), side, next) {
			return true
		}
	}
	return false
}

// gridsIn reads the grids in a prompt.
func gridsIn(prompt string) (grids []board) {
	row, open := regexp.MustCompile(`^\d( \d)*$`), false
	for line := range strings.Lines(prompt) {
		line = strings.TrimSuffix(line, "\n")
		if !row.MatchString(line) {
			open = false
			continue
		}
		if !open {
			grids, open = append(grids, nil), true
		}
		grids[len(grids)-1] = append(grids[len(grids)-1], tasktest.Matrix(line)[0])
	}
	return grids
}

// The second solver reads the grids in the prompt, and finds the view and the colors that
// make them, and the answer, those of the ARC task.
func TestArcSecond(t *testing.T) {
	byID := map[string]arcTask{}
	for _, task := range slices.Concat(arcTraining(), arcEvaluation()) {
		byID[task.ID] = task
	}
	unknown := dye{0, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	tasktest.Second(t, arcAGI.Task(), 1200, func(item arcItem, prompt, got string) error {
		grids := gridsIn(prompt)
		if len(grids)%2 != 1 || len(grids) < 5 {
			return fmt.Errorf("the prompt has %d grids", len(grids))
		}
		var shown []gridPair
		for i := 0; i+1 < len(grids); i += 2 {
			shown = append(shown, gridPair{grids[i], grids[i+1]})
		}
		shown = append(shown, gridPair{grids[len(grids)-1], tasktest.Matrix(got)})
		task := byID[item.TaskID]
		for side := range 8 {
			for _, asked := range task.Test() {
				if explained(shown, append(task.Train(), asked), side, unknown) {
					return nil
				}
			}
		}
		return fmt.Errorf("the grids are not those of task %s\n%s", item.TaskID, got)
	})
}

func TestArcKeys(t *testing.T) {
	tasktest.Same(t, arcAGI.Task(), "the order of the examples", func(a *arcItem) { slices.Reverse(a.Examples) })
	tasktest.Variant(t, arcAGI.Task(), "from another side and in other colors", func(a *arcItem, r *rng.Rand) func(string) string {
		v := arcAGI.Default.view(r)
		for i, e := range a.Examples {
			a.Examples[i] = gridPair{v.of(e.Input), v.of(e.Output)}
		}
		a.Input, a.Output = v.of(a.Input), v.of(a.Output)
		return func(string) string { return grid.Ints(a.Output) }
	})
	tasktest.Other(t, arcAGI.Task(), "another task of ARC", func(a *arcItem) { a.TaskID = "00000000" })
}
