package boards

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGameOfLifeScore(t *testing.T) {
	item := gameOfLifeItem{Board: strings.Fields("0000 0100 0110 0000"), SimulationSteps: 1} // three cells become a block
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"[[0,0,0,0],[0,1,1,0],[0,1,1,0],[0,0,0,0]]", 1, ""},
		{" [[0, 0, 0, 0],\n[0, 1, 1, 0],\n[0, 1, 1, 0],\n[0, 0, 0, 0]]\n", 1, ""},
		{"[[0,0,0,0],[0,true,1.0,0],[0,1e0,1,0],[false,0,-0,0]]", 1, "the same values"},
		{"[[0,0,0,0],[0,1,0,0],[0,1,1,0],[0,0,0,0]]", 0, "the start; reasoning-gym pays 15/16"},
		{"[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]", 0, "no cells; it pays 12/16"},
		{"[[0,0,0,0],[0,1,1,0],[0,1,1,0]]", 0, "a row is missing"},
		{"[[0,0,0,0],[0,1,1,0],[0,1,1,0],[0,0,0,0],[0,0,0,0]]", 0, "a row too many; reasoning-gym accepts it"},
		{"[[0,0,0,0],[0,1,1,0],[0,1,1,0],[0,0,0]]", 0, "a cell is missing"},
		{"[[0,0,0,0],[0,1,1,0],[0,1,2,0],[0,0,0,0]]", 0, "2 is not a cell"},
		{`[["0","0","0","0"],["0","1","1","0"],["0","1","1","0"],["0","0","0","0"]]`, 1, "texts"},
		{"[0,0,0,0]", 0, ""},
		{"0 0 0 0\n0 1 1 0\n0 1 1 0\n0 0 0 0", 1, "lines"},
	})
	end := "[[0,0,0,0,0],[0,1,1,1,0],[0,1,1,1,0],[0,0,0,0,0]]"
	theirs := gameOfLifeItem{Answer: &end}
	tasktest.Nears(t, theirs.Score, []tasktest.Near{
		{end, 1, ""},
		{"[[0,0,0,0,0],[0,1,1,1,0],[0,1,1,0,0],[0,0,0,0,0]]", 5. / 6, "one wrong, of six that are alive"},
		{"[[0,1,0,0,0],[0,1,1,1,0],[0,1,1,0,0],[0,0,0,0,0]]", 4. / 6, "two wrong"},
		{"[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]]", 0, ""},
		{"[[1,1,1,1,1],[1,1,1,1,1],[1,1,1,1,1],[1,1,1,1,1]]", 0, ""},
	})
	tasktest.RefusedRecords(t, gameOfLife.Task(), []string{
		`{}`,
		`{"answer":"[2]"}`,
		`{"board":["00","00"],"simulation_steps":1}`,
		`{"board":["000","000","000"],"simulation_steps":-1}`,
		`{"board":["000","000","000"],"simulation_steps":100000000}`,
		`{"board":["000","000","000"],"simulation_steps":1,"answer":"[[0,0,0],[0,0,0],[0,0,1]]"}`,
		`{"board":["000","000","000"],"simulation_steps":1,"phrasing":99}`,
		`{"answer":"[[0]]","phrasing":99}`,
	})
}

func TestGameOfLifeParams(t *testing.T) {
	tasktest.Refused(t, gameOfLife.Task(), map[string]string{
		`{"grid_size_x":2}`:            "grid_size_x",
		`{"grid_size_x":1000}`:         "grid_size_x",
		`{"grid_size_y":2}`:            "grid_size_y",
		`{"grid_size_y":1000}`:         "grid_size_y",
		`{"filled_cells":101}`:         "filled_cells",
		`{"filled_cells":-1}`:          "filled_cells",
		`{"filled_cells_weights":0}`:   "filled_cells_weights",
		`{"filled_cells_weights":1}`:   "filled_cells_weights",
		`{"simulation_steps":0}`:       "simulation_steps",
		`{"simulation_steps":1000000}`: "simulation_steps",
	})
}

func TestReadCells(t *testing.T) {
	for text, want := range map[string]string{
		"[[0,1],[1,1]]":           "01 11",
		" [ [0 , 1 ] ,\n[1]\t]\r": "01 1",
		"[[true, False]]":         "10",
		"0 1\n1 1":                "01 11",
		"[[0,1],[1,1]]\x00":       "",
		"[[0,1],[1,1]] is wrong":  "",
		"[[2]]":                   "",
		"[[]]":                    "",
		"[":                       "",
		"":                        "",
	} {
		rows, err := readCells(text)
		if got := strings.Join(rows, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("readCells(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

var stepsRE = regexp.MustCompile(`(\d+|one) steps?\?`)

// stepsAsked reads the number of steps from a prompt.
func stepsAsked(prompt string) int {
	text := stepsRE.FindStringSubmatch(prompt)[1]
	if text == "one" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// The second solver reads the prompt and goes from cell to cell.
func TestGameOfLifeSecond(t *testing.T) {
	live, n := 0, 0
	check := func(item gameOfLifeItem, prompt, got string) error {
		plain := strings.NewReplacer("[", "", ",", "", "]", "").Replace(strings.Split(prompt, "\n\n")[1])
		start := strings.Fields(plain)
		rows := start
		for range stepsAsked(prompt) {
			rows = slowStep(rows)
		}
		want := strings.Join(rows, "")
		if end := strings.NewReplacer("[", "", ",", "", "]", "").Replace(got); end != want {
			return fmt.Errorf("solution %s, want %s", end, want)
		}
		if strings.Count(strings.Join(start, ""), "1") != item.FilledCells || len(start) != item.GridSizeX || len(start[0]) != item.GridSizeY {
			return fmt.Errorf("the start is %v", start)
		}
		n++
		if strings.Contains(want, "1") && want != strings.Join(start, "") {
			live++
		}
		return nil
	}
	tasktest.Every(t, gameOfLife.Task(), 1000, check)
	tasktest.Every(t, tasktest.With(t, gameOfLife.Task(), `{}`), 100, check)
	tasktest.Every(t, tasktest.With(t, gameOfLife.Task(), `{"filled_cells":5,"grid_size_x":70,"grid_size_y":66,"simulation_steps":3}`), 4, check)
	if live < n-4 {
		t.Errorf("%d boards of %d are empty at the end, or as they were", n-live, n)
	}
}

func TestGameOfLifeKeys(t *testing.T) {
	tasktest.Variant(t, gameOfLife.Task(), "other edges, from another side", func(g *gameOfLifeItem, r *rng.Rand) func(string) string {
		g.Board = shiftedLife(g.Board, r)
		g.GridSizeX, g.GridSizeY = len(g.Board), len(g.Board[0])
		return func(string) string { return g.Solve() }
	})
	tasktest.Other(t, gameOfLife.Task(), "a step more", func(g *gameOfLifeItem) { g.SimulationSteps++ })
}
