package alone

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// sokobanPlay is Sokoban, some steps at a time.
var sokobanPlay = games.Spec[sokobanParams, sokoban]{
	Name:    "sokoban_play",
	Doc:     "Push all boxes of a warehouse onto goals, a few steps at a time. Steps are measured by the shortest solution that is still open, and a box that is stuck costs everything.",
	Source:  "Sokoban, H. Imabayashi (1982), in the signs of XSokoban; boards and code are our own.",
	Version: 2,
	Levels: []sokobanParams{
		{Size: 6, Boxes: 1, Walls: 10, Shortest: 4, Longest: 8},
		{Size: 6, Boxes: 1, Walls: 15, Shortest: 8, Longest: 16},
		{Size: 6, Boxes: 2, Walls: 10, Shortest: 10, Longest: 20},
		{Size: 7, Boxes: 2, Walls: 15, Shortest: 16, Longest: 30},
		{Size: 8, Boxes: 3, Walls: 20, Shortest: 20, Longest: 40},
	},
	Make:   makeSokoban,
	Reward: games.Value,
	Guess:  []float64{0.0310, 0.0039, 0.0013, 0, 0},
}

// sokobanParams are the parameters of a level.
type sokobanParams struct {
	Size     int `json:"size" want:"4 to 8"` // of a side, the outer walls included
	Boxes    int `json:"boxes" want:"1 to 3"`
	Walls    int `json:"walls" want:"0 to 50"`           // percent of the inner squares, at first
	Shortest int `json:"shortest" want:"1 or more"`      // fewest steps of the shortest solution
	Longest  int `json:"longest" want:"shortest to 100"` // most steps
}

// A sokoban is a board in the beginning, in the signs of XSokoban with - for the floor.
type sokoban struct {
	Rows  []string `json:"rows"`
	Steps int      `json:"steps" want:"1 to 254"` // most of an episode
}

// Check refuses a record that is no board.
func (s sokoban) Check() error {
	rows := len(s.Rows)
	if rows < 3 || rows > 10 || len(s.Rows[0]) < 3 || len(s.Rows[0]) > 10 {
		return fmt.Errorf("rows has %d rows, want 3 to 10, as of columns", rows)
	}
	for i, row := range s.Rows {
		if len(row) != len(s.Rows[0]) || strings.Trim(row, "#.$*@+-") != "" {
			return fmt.Errorf("row %d is %.20q, want %d of the signs # . $ * @ + -", i+1, row, len(s.Rows[0]))
		}
	}
	all := strings.Join(s.Rows, "")
	count := func(signs string) (n int) {
		for _, sign := range signs {
			n += strings.Count(all, string(sign))
		}
		return n
	}
	boxes := count("$*")
	switch {
	case count("@+") != 1:
		return fmt.Errorf("there are %d players, want 1", count("@+"))
	case boxes < 1 || boxes > mostBoxes || boxes != count(".*+"):
		return fmt.Errorf("there are %d boxes and %d goals, want 1 to %d of both", boxes, count(".*+"), mostBoxes)
	case count("$") == 0:
		return errors.New("all boxes are on goals")
	case len(all)-count("#") > mostFloor:
		return fmt.Errorf("there are %d squares without a wall, want %d at most", len(all)-count("#"), mostFloor)
	}
	return nil
}

// makeSokoban draws a warehouse and goals, solves it from all positions, and takes one whose
// shortest solution has the wanted length.
func makeSokoban(p sokobanParams, r *rng.Rand) (sokoban, error) {
	const patience = 200
	for range patience {
		w := drawWarehouse(p, r)
		if len(w.squares) < 2*p.Boxes+2 {
			continue
		}
		for _, at := range rng.Different(r, p.Boxes, 0, int64(len(w.squares)-1)) {
			w.goals = append(w.goals, int8(at))
		}
		slices.Sort(w.goals)
		steps := r.Between(p.Shortest, p.Longest)
		if _, found := w.solve(steps); len(found) > 0 {
			return sokoban{Rows: w.text(rng.Pick(r, found)), Steps: 2*steps + 4}, nil
		}
	}
	return sokoban{}, fmt.Errorf("no warehouse of these parameters has a shortest solution of %d to %d steps", p.Shortest, p.Longest)
}

// Rules implements [games.Start].
func (s sokoban) Rules(wording int) string {
	return []string{
		"You are in a warehouse, drawn from above: # is a wall, - the floor, . a goal, $ a box, * a box on a goal, @ you, and + you on a goal. You go up, down, left or right, one " +
			"square a step. If a box is in the way, you push it one square further, unless a wall or another box is behind it; boxes cannot be pulled. " +
			"The episode is won when every box is on a goal, and lost when your steps are used up.",
		"This is Sokoban. In the picture, @ is you (+ if you stand on a goal), $ a box (* if it is on a goal), . a free goal, # a wall and - free floor. Each step takes you one square up, " +
			"down, left or right. Stepping against a box pushes it, provided that the square behind it is free; you can push one box at a time, and pull none. You win once all boxes are on " +
			"goals. The number of steps is limited.",
		"Bring every box onto a goal. Signs: @ you, $ box, . goal, * box on a goal, + you on a goal, # wall, - floor. A step is up, down, left or right by one square. When you walk into " +
			"a box, it moves ahead of you if the next square is free of walls and boxes. Nothing can be pulled. You have only so many steps.",
	}[wording] + " " + severalSteps[wording] + " " + byLength[wording]
}

// severalSteps say what a reply may do.
var severalSteps = [3]string{
	"A move is 1 to 8 steps, such as up left up. It stops at the first step that is blocked; a move whose very first step is blocked is illegal.",
	"One move may have up to 8 steps, separated by spaces. If a step is blocked, the rest of the move is left out; it is illegal if already its first step is blocked.",
	"You write 1 to 8 steps as one move. They are made in order until one is blocked; if that is the first one, the move is illegal.",
}

// byLength say what a win is worth.
var byLength = [3]string{
	"A win is worth the length of the shortest solution divided by the number of your steps.",
	"The fewer steps you need, the more a win is worth: the number of steps of the shortest solution divided by yours.",
	"If you win with the fewest possible steps, you get 1, and with twice as many one half.",
}

// Example implements [games.Start].
func (s sokoban) Example() string { return "up left up" }

// Turns implements [games.Start]: there is room for one reply without a legal move.
func (s sokoban) Turns() int { return s.Steps + 1 }

// Canonical implements [games.Start]: a board is the same when it is turned or mirrored.
func (s sokoban) Canonical() string { return leastPicture(s.Rows) }

// leastPicture is the first in order of a picture's turns and mirror images.
func leastPicture(rows []string) (least string) {
	for range 2 {
		for range 4 {
			if text := strings.Join(rows, "/"); least == "" || text < least {
				least = text
			}
			rows = turned(rows)
		}
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	return least
}

// turned is a picture turned by a quarter.
func turned(rows []string) []string {
	out := make([]string, len(rows[0]))
	for i := range out {
		for _, row := range slices.Backward(rows) {
			out[i] += row[i : i+1]
		}
	}
	return out
}

// Match implements [games.Start].
func (s sokoban) Match(_ games.Luck, tables *games.Tables) games.Match {
	w, at := readWarehouse(s.Rows)
	plan := &plan{warehouse: w}
	plan.ways = sync.OnceValue(func() *ways {
		return games.Table(tables, w.key(), func() *ways {
			solved, _ := w.solve(mostAway)
			return solved
		})
	})
	return &walk{trail{puzzle: pushing{plan, at}, limit: s.Steps}}
}

// A plan is a warehouse with the ways to solve it, which are worked out when they are needed.
type plan struct {
	*warehouse
	ways func() *ways
}

// A pushing is a position of an episode.
type pushing struct {
	*plan
	stand
}

// moves implements [puzzle].
func (p pushing) moves() (names []string) {
	for d, name := range directions {
		if _, why := p.warehouse.step(p.stand, d); why == "" {
			names = append(names, name)
		}
	}
	return names
}

// move implements [puzzle].
func (p pushing) move(name string) (next puzzle, told, why string) {
	to, why := p.warehouse.step(p.stand, slices.Index(directions[:], name))
	if why != "" {
		return p, "", fmt.Sprintf("you cannot go %s, as %s", name, why)
	}
	return pushing{p.plan, to}, "", ""
}

// done implements [puzzle].
func (p pushing) done() bool { return p.solved(p.stand) }

// left implements [puzzle].
func (p pushing) left(most int) int {
	if n := p.ways().from(p.stand); n <= most {
		return n
	}
	return far
}

// show implements [puzzle].
func (p pushing) show() string {
	var b strings.Builder
	b.WriteString("```\n")
	for _, row := range p.text(p.stand) {
		b.WriteString(strings.Join(strings.Split(row, ""), " ") + "\n")
	}
	b.WriteString("```")
	return b.String()
}
