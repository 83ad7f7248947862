package moves

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSokobanScore(t *testing.T) {
	item := sokobanItem{GameStr: "+ + + + + +\n+ * @ X - +\n+ - - @ X +\n+ + + + + +\n", Solution: "RLDRR", MaxMoves: 8}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"RLDRR", 1, ""},
		{"rldrr", 1, "small letters; reasoning-gym ignores them"},
		{" R L D R R\n", 1, "with space"},
		{"R, L, D, R, R", 1, "with commas"},
		{"RLLDRR", 1, "a move against a wall"},
		{"DRLUR", 0, "one box is left"},
		{"RLDR", 0, "a move left out"},
		{"RLDRRLLLL", 0, "too many moves"},
		{"RLDRRL", 1, "a move after the end"},
		{"RRDRR", 0, "a box on the wrong side of a goal"},
		{"RLDRR.", 0, "a full stop"},
		{"Answer: RLDRR", 0, "words; reasoning-gym reads the letters"},
	})
	tasktest.RefusedRecords(t, sokoban.Task(), []string{
		`{"gamestr":""}`,
		`{"gamestr":"+ + +\n+ - +\n+ + +"}`,
		`{"gamestr":"+ + + +\n+ * * +\n+ + + +"}`,
		`{"gamestr":"+ + +\n+ * + +\n+ + +"}`,
		`{"gamestr":"+ + +\n+ # +\n+ + +"}`,
		`{"gamestr":"+ + + + +\n+ * @ X +\n+ + + + +","solution":"L"}`,
		`{"gamestr":"+ + + + +\n+ * @ X +\n+ + + + +","phrasing":6}`,
	})
}

// The second solver reads the warehouse and the limit of moves from the prompt, and plays
// the solution with sets of coordinates.
func TestSokobanSecond(t *testing.T) {
	mostRE := regexp.MustCompile(`(\d+) (?:moves|letters)`)
	tasktest.Second(t, sokoban.Task(), 1002, func(s sokobanItem, prompt, got string) error {
		type place struct{ row, col int }
		walls, boxes, goals := map[place]bool{}, map[place]bool{}, map[place]bool{}
		var player place
		rows := 0
		for line := range strings.Lines(prompt) {
			signs := strings.Fields(line)
			if len(signs) != s.Width || strings.Trim(strings.Join(signs, ""), "+-@X$*%") != "" {
				continue
			}
			for col, sign := range signs {
				at := place{rows, col}
				walls[at] = sign == "+"
				boxes[at] = sign == "@" || sign == "$"
				goals[at] = sign == "X" || sign == "$" || sign == "%"
				if sign == "*" || sign == "%" {
					player = at
				}
			}
			rows++
		}
		most, _ := strconv.Atoi(mostRE.FindStringSubmatch(prompt)[1])
		if rows != s.Height || len(got) > most || most != s.MaxMoves {
			return fmt.Errorf("%d rows, %d moves of %d", rows, len(got), most)
		}
		left := 0
		for at, box := range boxes {
			if box && !goals[at] {
				left++
			}
		}
		if left == 0 {
			return fmt.Errorf("nothing is to be done")
		}
		for i, c := range got {
			d := map[rune]place{'U': {-1, 0}, 'D': {1, 0}, 'L': {0, -1}, 'R': {0, 1}}[c]
			to, beyond := place{player.row + d.row, player.col + d.col}, place{player.row + 2*d.row, player.col + 2*d.col}
			if walls[to] || boxes[to] && (walls[beyond] || boxes[beyond]) {
				return fmt.Errorf("move %d is blocked", i+1)
			}
			if boxes[to] {
				boxes[to], boxes[beyond] = false, true
			}
			player = to
		}
		for at, box := range boxes {
			if box && !goals[at] {
				return fmt.Errorf("the box at %v is not on a goal", at)
			}
		}
		return nil
	})
}

func TestSokobanKeys(t *testing.T) {
	tasktest.Variant(t, sokoban.Task(), "from another side", func(s *sokobanItem, r *rng.Rand) func(string) string {
		var rows [][]string
		for line := range strings.Lines(s.GameStr) {
			if row := strings.Fields(line); len(row) > 0 {
				rows = append(rows, row)
			}
		}
		side := r.Between(1, canon.Sides-1)
		s.GameStr = ""
		for _, row := range canon.Seen(rows, side) {
			s.GameStr += strings.Join(row, " ") + "\n"
		}
		if side >= 4 {
			s.Width, s.Height = s.Height, s.Width
		}
		translate := tasktest.SeenMoves(side, [4]string{"U", "D", "L", "R"})
		s.Solution = translate(s.Solution)
		return translate
	})
	tasktest.Other(t, sokoban.Task(), "a move more", func(s *sokobanItem) { s.MaxMoves++ })
	tasktest.Same(t, sokoban.Task(), "another solution", func(s *sokobanItem) { s.Width = 0 })
}
