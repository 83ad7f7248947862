package alone

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// slidingPlay is the 15-puzzle and its smaller kin, some moves at a time.
var slidingPlay = games.Spec[slidingParams, sliding]{
	Name:    "sliding_play",
	Doc:     "Slide the numbered tiles of a frame into order, a few moves at a time. Moves are measured by the shortest solution that is still open.",
	Source:  "The 15-puzzle, N. Chapman (1874), on smaller frames; code and texts are our own.",
	Version: 2,
	Levels: []slidingParams{
		{Rows: 2, Columns: 3, Shortest: 4, Longest: 10},
		{Rows: 2, Columns: 3, Shortest: 10, Longest: 18},
		{Rows: 3, Columns: 3, Shortest: 8, Longest: 14},
		{Rows: 3, Columns: 3, Shortest: 18, Longest: 27},
		{Rows: 3, Columns: 4, Shortest: 18, Longest: 30},
	},
	Make:     makeSliding,
	Reward:   games.Value,
	Guess:    []float64{0.0274, 0.0012, 0.0009, 0, 0},
	Openings: []int{82, 243, 823, 0, 0},
}

// slidingParams are the parameters of a level.
type slidingParams struct {
	Rows     int `json:"rows"`
	Columns  int `json:"columns"`
	Shortest int `json:"shortest" want:"1 or more"`       // fewest moves of the shortest solution
	Longest  int `json:"longest" want:"shortest or more"` // most moves
}

// Check refuses what no tag does.
func (p slidingParams) Check() error {
	if slidesOf(p.Rows, p.Columns) == nil {
		return fmt.Errorf("rows and columns are %d and %d, want 2 and 3, 3 and 3, or 3 and 4", p.Rows, p.Columns)
	}
	most := map[int]int{6: 20, 9: 28, 12: 40}[p.Rows*p.Columns]
	return task.Within("longest", p.Longest, 1, most)
}

// A sliding is a frame in the beginning.
type sliding struct {
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Tiles   []int8 `json:"tiles"`                 // row by row; 0 is the gap
	Moves   int    `json:"moves" want:"1 to 200"` // most of an episode
}

// Check refuses a record that is no frame.
func (s sliding) Check() error {
	if slidesOf(s.Rows, s.Columns) == nil {
		return fmt.Errorf("rows and columns are %d and %d, want 2 and 3, 3 and 3, or 3 and 4", s.Rows, s.Columns)
	}
	solver := &slides{rows: s.Rows, cols: s.Columns}
	sorted := slices.Sorted(slices.Values(s.Tiles))
	for i, tile := range sorted {
		if int(tile) != i || len(sorted) != s.Rows*s.Columns {
			return fmt.Errorf("tiles is %v, want each of 0 to %d once", s.Tiles, s.Rows*s.Columns-1)
		}
	}
	switch t := s.position(); {
	case len(sorted) == 0:
		return fmt.Errorf("there are no tiles")
	case t == solver.home():
		return fmt.Errorf("the tiles are in order")
	case !solver.solvable(t):
		return fmt.Errorf("the tiles %v cannot be brought into order", s.Tiles)
	}
	return nil
}

// position returns the tiles.
func (s sliding) position() (t tiles) {
	copy(t[:], s.Tiles)
	return t
}

// makeSliding draws a frame, and goes on its shortest way until the wanted length is left.
func makeSliding(p slidingParams, r *rng.Rand) (sliding, error) {
	const patience = 100_000
	solver := slidesOf(p.Rows, p.Columns)()
	n := p.Rows * p.Columns
	moves := r.Between(p.Shortest, p.Longest)
	for range patience {
		t := solver.home()
		rng.Shuffle(r, t[:n])
		if !solver.solvable(t) {
			continue
		}
		way, _ := solver.solve(t, far)
		if len(way) < moves {
			continue
		}
		for _, d := range way[:len(way)-moves] {
			t, _, _ = solver.slide(t, solver.gap(t), d)
		}
		return sliding{Rows: p.Rows, Columns: p.Columns, Tiles: t[:n], Moves: 2*moves + 4}, nil
	}
	return sliding{}, fmt.Errorf("no frame of these parameters is %d moves from its end", moves)
}

// Rules implements [games.Start].
func (s sliding) Rules(wording int) string {
	var home strings.Builder
	solver := &slides{rows: s.Rows, cols: s.Columns}
	writeFrame(&home, solver, solver.home())
	return fmt.Sprintf([]string{
		"You slide the tiles of a frame. One cell of it, _, is empty, and a tile next to it can slide into it. A step names the direction in which a tile moves: left slides the tile " +
			"that is to the right of the empty cell one cell to the left. %s The episode is won when the tiles lie like this, and lost when your steps are used up:\n\n%s\n\n%s",
		"This is a sliding puzzle. A tile beside the gap (_) can be pushed into it. Each step is the direction the tile goes, not the gap: after up, the tile that was below the gap is where " +
			"the gap was. %s You win with this order, for which you have a limited number of steps:\n\n%s\n\n%s",
		"Put the numbered tiles in order by sliding them, one at a time, into the empty cell _. Steps are called after the movement of the tile. For example, down moves the tile above the " +
			"empty cell down into it. %s The number of steps is limited. This is the goal:\n\n%s\n\n%s",
	}[wording], severalSteps[wording], home.String(), byLength[wording])
}

// Example implements [games.Start].
func (s sliding) Example() string { return "left up left" }

// Turns implements [games.Start]: there is room for one reply without a legal move.
func (s sliding) Turns() int { return s.Moves + 1 }

// Canonical implements [games.Start]: a square frame is the same when it is mirrored at its
// diagonal, with the tiles renamed so that the goal is the same.
func (s sliding) Canonical() string {
	least := fmt.Sprint(s.Tiles)
	if s.Rows == s.Columns {
		across := func(cell int) int { return cell%s.Columns*s.Columns + cell/s.Columns }
		mirrored := make([]int8, len(s.Tiles))
		for at, tile := range s.Tiles {
			if tile > 0 {
				mirrored[across(at)] = int8(across(int(tile)-1) + 1)
			}
		}
		least = min(least, fmt.Sprint(mirrored))
	}
	return fmt.Sprint(s.Rows, s.Columns, least)
}

// Match implements [games.Start].
func (s sliding) Match(games.Luck, *games.Tables) games.Match {
	return &walk{trail{puzzle: frame{slidesOf(s.Rows, s.Columns), s.Rows, s.Columns, s.position()}, limit: s.Moves}}
}

// A frame is a position of an episode.
type frame struct {
	solver     func() *slides
	rows, cols int
	tiles      tiles
}

// rules returns what knows the moves, but not the solutions.
func (f frame) rules() *slides { return &slides{rows: f.rows, cols: f.cols} }

// moves implements [puzzle].
func (f frame) moves() (names []string) {
	gap := f.rules().gap(f.tiles)
	for d, name := range directions {
		if f.rules().from(gap, d) >= 0 {
			names = append(names, name)
		}
	}
	return names
}

// move implements [puzzle].
func (f frame) move(name string) (next puzzle, told, why string) {
	after, _, can := f.rules().slide(f.tiles, f.rules().gap(f.tiles), slices.Index(directions[:], name))
	if !can {
		side := map[string]string{"left": "to the right of", "right": "to the left of", "up": "below", "down": "above"}[name]
		return f, "", fmt.Sprintf("no tile can move %s, as there is none %s the empty cell", name, side)
	}
	f.tiles = after
	return f, "", ""
}

// done implements [puzzle].
func (f frame) done() bool { return f.tiles == f.rules().home() }

// left implements [puzzle].
func (f frame) left(most int) int {
	if way, short := f.solver().solve(f.tiles, most); short {
		return len(way)
	}
	return far
}

// plan implements [planner].
func (f frame) plan(n, togo int) (steps []string) {
	way, _ := f.solver().solve(f.tiles, togo)
	for _, d := range way[:n] {
		steps = append(steps, directions[d])
	}
	return steps
}

// show implements [puzzle].
func (f frame) show() string {
	var b strings.Builder
	writeFrame(&b, f.rules(), f.tiles)
	return b.String()
}

// writeFrame draws a frame.
func writeFrame(b *strings.Builder, s *slides, t tiles) {
	b.WriteString("```\n")
	width := len(fmt.Sprint(s.rows*s.cols - 1))
	for at, tile := range t[:s.rows*s.cols] {
		name := fmt.Sprint(tile)
		if tile == 0 {
			name = "_"
		}
		end := " "
		if at%s.cols == s.cols-1 {
			end = "\n"
		}
		fmt.Fprintf(b, "%*s%s", width, name, end)
	}
	b.WriteString("```")
}
