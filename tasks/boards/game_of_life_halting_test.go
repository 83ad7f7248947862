package boards

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGameOfLifeHaltingScore(t *testing.T) {
	lasts, dies := true, false
	item := gameOfLifeHaltingItem{Board: strings.Fields("0000 0110 0000 0000"), SimulationSteps: 1, ShouldOscillate: &dies}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"True", 1, ""},
		{" true\n", 1, "case and space are free"},
		{"False", 0, "reasoning-gym accepts it"},
		{"True or False", 0, "as well"},
		{"True.", 0, "as well"},
		{"Yes", 0, ""},
		{"1", 0, ""},
	})
	tasktest.Nears(t, gameOfLifeHaltingItem{ShouldOscillate: &lasts}.Score, []tasktest.Near{
		{"False", 1, ""},
		{"True", 0, ""},
		{"not True", 0, ""},
	})
	tasktest.Nears(t, gameOfLifeHaltingItem{ShouldOscillate: &lasts, Outcome: "alive 12"}.Score, []tasktest.Near{
		{"alive 12", 1, ""},
		{" Alive  12.\n", 1, "case, space and a full stop are free"},
		{"alive 11", 0, "a cell too few"},
		{"dead 12", 0, "they live"},
		{"alive", 0, "how many was asked for"},
		{"12", 0, "the word was asked for too"},
		{"False", 0, "not the question"},
	})
	tasktest.RefusedRecords(t, gameOfLifeHalting.Task(), []string{
		`{"should_oscillate":false,"board":["0000","0110","0000","0000"],"simulation_steps":2,"outcome":"dead 2"}`,
		`{"should_oscillate":true,"board":["0000","0110","0110","0000"],"simulation_steps":2,"outcome":"alive 5"}`,
		`{}`,
		`{"should_oscillate":true,"board":["0000","0110","0000","0000"],"simulation_steps":1}`,
		`{"should_oscillate":false,"board":["0000","0110","0110","0000"],"simulation_steps":1}`,
		`{"should_oscillate":false,"board":["0000","0110"],"simulation_steps":1}`,
		`{"should_oscillate":false,"board":["000","000","000"],"simulation_steps":-1}`,
		`{"should_oscillate":false,"board":["000","000","000"],"simulation_steps":10000000}`,
		`{"should_oscillate":false,"phrasing":99}`,
	})
}

func TestGameOfLifeHaltingParams(t *testing.T) {
	tasktest.Refused(t, gameOfLifeHalting.Task(), map[string]string{
		`{"difficulty":0}`:              "difficulty",
		`{"difficulty":4}`:              "difficulty",
		`{"difficulty":2}`:              "grid_size_x",
		`{"grid_size_x":6}`:             "grid_size_x",
		`{"grid_size_y":6}`:             "grid_size_y",
		`{"grid_size_x":201}`:           "grid_size_x",
		`{"grid_size_y":201}`:           "grid_size_y",
		`{"num_oscillators":0}`:         "num_oscillators",
		`{"num_oscillators":101}`:       "num_oscillators",
		`{"max_simulation_steps":2}`:    "max_simulation_steps",
		`{"max_simulation_steps":1001}`: "max_simulation_steps",
	})
}

// The second solver reads the prompt and goes from cell to cell. Half of the boards die,
// and the number of cells does not tell which: the best threshold is hardly better than a
// guess.
func TestGameOfLifeHaltingSecond(t *testing.T) {
	n := tasktest.Count(1800, 30)
	for level := range gameOfLifeHalting.Levels {
		own := gameOfLifeHalting
		own.Levels = own.Levels[level : level+1]
		dying, balance := 0, map[int]int{} // for each number of cells, dying boards minus lasting ones
		tasktest.Every(t, own.Task(), n/len(gameOfLifeHalting.Levels), func(_ gameOfLifeHaltingItem, prompt, got string) error {
			rows := strings.Split(strings.ReplaceAll(strings.Split(prompt, "\n\n")[1], " ", ""), "\n")
			cells := strings.Count(strings.Join(rows, ""), "1")
			steps, alive := 0, cells
			for range stepsAsked(prompt) {
				if alive > 0 {
					steps++
				}
				rows = slowStep(rows)
				alive = strings.Count(strings.Join(rows, ""), "1")
			}
			dead := alive == 0
			want := map[bool]string{true: "True", false: "False"}[dead]
			if strings.Contains(prompt, "such as dead") {
				want = map[bool]string{true: fmt.Sprint("dead ", steps), false: fmt.Sprint("alive ", alive)}[dead]
			}
			if got != want || cells == 0 {
				return fmt.Errorf("solution %s, want %s", got, want)
			}
			balance[cells]--
			if dead {
				dying++
				balance[cells] += 2
			}
			return nil
		})
		boards := n / len(gameOfLifeHalting.Levels)
		sum, best := 0, 0
		for cells := range 200 {
			sum += balance[cells]
			best = max(best, sum, -sum)
		}
		if share := float64(dying) / float64(boards); tasktest.Heavy && (share < 0.4 || share > 0.6) {
			t.Errorf("level %d: %.2f of the boards die", level, share)
		}
		if share := 0.5 + float64(best)/float64(2*boards); tasktest.Heavy && share > 0.62 {
			t.Errorf("level %d: the number of cells gives away %.2f of the boards", level, share)
		}
	}
}

func TestGameOfLifeHaltingKeys(t *testing.T) {
	tasktest.Variant(t, gameOfLifeHalting.Task(), "other edges, from another side", func(g *gameOfLifeHaltingItem, r *rng.Rand) func(string) string {
		g.Board = shiftedLife(g.Board, r)
		return nil
	})
	tasktest.Same(t, gameOfLifeHalting.Task(), "how the board was put together does not matter", func(g *gameOfLifeHaltingItem) { g.PlacedPatterns = nil })
}
