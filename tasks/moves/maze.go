package moves

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// maze asks for the length of the shortest way through a maze.
var maze = task.Spec[mazeParams, mazeItem]{
	Name:     "maze",
	Category: "games",
	Doc:      "Count the steps of a shortest way through a maze drawn with signs.",
	Source:   "Breadth-first search, E. F. Moore, The shortest path through a maze (1959); the settings are those of reasoning-gym.",
	Version:  2,
	Default:  mazeParams{MinDist: 5, MaxDist: 10, MinGridSize: 5, MaxGridSize: 10},
	Levels: []mazeParams{
		{MinDist: 1, MaxDist: 8, MinGridSize: 7, MaxGridSize: 7},
		{MinDist: 4, MaxDist: 14, MinGridSize: 8, MaxGridSize: 11},
		{MinDist: 10, MaxDist: 25, MinGridSize: 12, MaxGridSize: 16},
		{MinDist: 20, MaxDist: 50, MinGridSize: 18, MaxGridSize: 24},
		{MinDist: 40, MaxDist: 90, MinGridSize: 28, MaxGridSize: 36},
		{MinDist: 80, MaxDist: 180, MinGridSize: 46, MaxGridSize: 60},
	},
	Few: []string{
		"Few mazes of seven rows, with their walls, differ from all sides.",
	},
	Make: makeMaze,
}

// mazeParams are the settings of one difficulty.
type mazeParams struct {
	MinDist     int `json:"min_dist" want:"1 to 40000"` // steps of a shortest way
	MaxDist     int `json:"max_dist" want:"min_dist to 40000"`
	MinGridSize int `json:"min_grid_size" want:"4 to 200"` // rows and columns, including the wall around the maze
	MaxGridSize int `json:"max_grid_size" want:"min_grid_size to 200"`
}

// mazeItem is one maze.
type mazeItem struct {
	GridSize           int      `json:"grid_size"`
	Grid               []string `json:"grid" want:"1 to 200"` // by row, with a wall around it
	ShortestPathLength int      `json:"shortest_path_length"`
	Start              string   `json:"start"` // the signs
	Goal               string   `json:"goal"`
	Wall               string   `json:"wall"`
	Path               string   `json:"path"`
	Phrasing           int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// The characters that mazes are drawn with.
const (
	mazeWalls = "#X%@W&MH"
	mazePaths = ".:-,_~"
	mazeEnds  = "ABDEFGKPQRSTZ*+$?"
)

// makeMaze draws a distance, and mazes until one has two cells that far apart. It fails if
// the mazes are too small for the distances.
func makeMaze(p mazeParams, r *rng.Rand) (mazeItem, error) {
	ends := []byte(mazeEnds)
	rng.ToFront(r, ends, 2)
	wall, path := mazeWalls[r.Between(0, len(mazeWalls)-1)], mazePaths[r.Between(0, len(mazePaths)-1)]
	item := mazeItem{Start: string(ends[:1]), Goal: string(ends[1:2]), Wall: string(wall), Path: string(path), Phrasing: r.Between(0, len(mazePhrasings)-1)}
	const tries = 400
	for range tries {
		item.GridSize, item.ShortestPathLength = r.Between(p.MinGridSize, p.MaxGridSize), r.Between(p.MinDist, p.MaxDist)
		m := drawMaze(item.GridSize-2, r)
		start := m.at(rng.Pick(r, m.open))
		goal, found := m.farAway(start, item.ShortestPathLength, r)
		if !found {
			continue
		}
		m.Cells[start], m.Cells[goal] = 'S', 'G'
		item.Grid = m.draw(&item)
		return item, nil
	}
	return item, fmt.Errorf("no way of min_dist (%d) to max_dist (%d) steps was found in %d mazes of min_grid_size (%d) to max_grid_size (%d)", p.MinDist, p.MaxDist, tries, p.MinGridSize, p.MaxGridSize)
}

// A mazeGrid is the inside of a maze: '#' is a wall, '.' a path, 'S' the start and 'G' the
// goal.
type mazeGrid struct {
	grid.Walled[byte]
	open [][2]int // rows and columns of path cells
}

// draw returns the rows with a wall around them, in the puzzle's characters.
func (m *mazeGrid) draw(item *mazeItem) []string {
	signs := [...]byte{'#': item.Wall[0], '.': item.Path[0], 'S': item.Start[0], 'G': item.Goal[0]}
	wide := m.Cols + 2
	all := bytes.Repeat([]byte{signs['#']}, wide*(m.Rows+2))
	for i := range m.Rows {
		for j, cell := range m.Row(i) {
			all[(i+1)*wide+j+1] = signs[cell]
		}
	}
	text, rows := string(all), make([]string, m.Rows+2)
	for i := range rows {
		rows[i] = text[i*wide : (i+1)*wide]
	}
	return rows
}

// at returns the index of a cell.
func (m *mazeGrid) at(cell [2]int) int { return m.At(cell[0], cell[1]) }

// drawMaze carves a maze. From a room that it has reached, it breaks through to a room two
// cells on, usually from the last room, sometimes from an older one. Finally it opens some
// walls to make circles.
func drawMaze(size int, r *rng.Rand) *mazeGrid {
	m := &mazeGrid{Walled: grid.NewWalled[byte](size, size, '#'), open: make([][2]int, 0, size*size)}
	rooms := (size + 1) / 2
	reached := append(make([][2]int, 0, rooms*rooms), [2]int{2 * r.Between(0, rooms-1), 2 * r.Between(0, rooms-1)})
	m.carve(reached[0])
	directions := [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	for len(reached) > 0 {
		k := len(reached) - 1
		if r.Chance(0.125) {
			k = r.Between(0, k)
		}
		from := reached[k]
		rng.Shuffle(r, directions)
		on := false
		for _, d := range directions {
			door, room := [2]int{from[0] + d[0], from[1] + d[1]}, [2]int{from[0] + 2*d[0], from[1] + 2*d[1]}
			if room[0] >= 0 && room[0] < size && room[1] >= 0 && room[1] < size && m.Cells[m.at(room)] == '#' {
				m.carve(door)
				m.carve(room)
				reached = append(reached, room)
				on = true
				break
			}
		}
		if !on {
			reached = append(reached[:k], reached[k+1:]...)
		}
	}
	for range size * size / 20 {
		if cell := [2]int{r.Between(0, size-1), r.Between(0, size-1)}; m.Cells[m.at(cell)] == '#' {
			m.carve(cell)
		}
	}
	return m
}

// carve makes a cell a path.
func (m *mazeGrid) carve(cell [2]int) {
	m.Cells[m.at(cell)] = '.'
	m.open = append(m.open, cell)
}

// farAway draws one of the cells exactly that many steps away.
func (m *mazeGrid) farAway(start, steps int, r *rng.Rand) (cell int, found bool) {
	seen := make([]bool, len(m.Cells))
	seen[start] = true
	now, before := []int{start}, []int(nil)
	for range steps {
		now, before = m.beside(before[:0], now, seen), now
	}
	if len(now) == 0 {
		return 0, false
	}
	return rng.Pick(r, now), true
}

// beside appends the unseen cells a step from others, and marks them.
func (m *mazeGrid) beside(next, cells []int, seen []bool) []int {
	for _, at := range cells {
		for _, step := range m.Steps() {
			if to := at + step; m.Cells[to] != '#' && !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return next
}

// mazePhrasings are the wordings of the question, before and after the maze.
var mazePhrasings = [][2]string{
	{"How many steps does the shortest way through this maze take, from \"%s\" to \"%g\"? A step goes up, down, left or right to the next cell, and never into a wall (\"%w\"). Cells that can be entered are drawn as \"%p\".\n\n",
		"\n\nAnswer with the number of steps alone."},
	{"Here is a map:\n\n", "\n\nIt shows where you are (\"%s\") and where you want to go (\"%g\"). You can walk on \"%p\", while \"%w\" stands for solid rock. Each move takes you one cell up, down, left or right. What is the least number of moves that brings you to your goal? Reply with a whole number and nothing else."},
	{"Legend: \"%w\" = wall, \"%p\" = corridor, \"%s\" = entrance, \"%g\" = exit\n\n",
		"\n\nA mouse enters at the entrance and takes the shortest route to the exit. It moves from cell to cell, never diagonally and never through a wall. Count its moves, the last one onto the exit included. Give only that number."},
	{"A robot stands on the cell \"%s\" of the following map. In one minute it can drive to the cell above it, below it, to its left or to its right, unless there is an obstacle, which is marked \"%w\". Free cells are marked \"%p\".\n\n",
		"\n\nAfter how many minutes can it be on the cell \"%g\" at the earliest? Write just the number."},
	{"Your answer should be a single whole number: the length of the shortest path from \"%s\" to \"%g\" in this maze.\n\n",
		"\n\nThe length of a path is the number of steps between neighboring cells, horizontal or vertical, so that a cell next to \"%s\" has distance 1. Walls are shown as \"%w\" and cannot be crossed; all other signs are cells that you may step on."},
	{"Find the distance between two places in a maze.\n- \"%w\": wall\n- \"%p\": open cell\n- \"%s\": first place\n- \"%g\": second place\n\n",
		"\n\nThe distance is the smallest number of steps that lead from one to the other, where a step moves by one row or by one column and ends on a cell that is not a wall. State the distance as a number, without any other words."},
}

func (m mazeItem) Prompt() string {
	fill := func(c byte) string {
		switch c {
		case 's':
			return m.Start
		case 'g':
			return m.Goal
		case 'w':
			return m.Wall
		}
		return m.Path
	}
	words := mazePhrasings[m.Phrasing]
	b := task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), words[0], fill)
	for i, row := range m.Grid {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, row...)
	}
	return string(task.AppendFilled(b, words[1], fill))
}

// Canonical implements [task.Canonicalizer]: the maze in one set of characters, from whichever side it
// is seen, and whichever end is the start.
func (m mazeItem) Canonical() string {
	rows := make([][]byte, len(m.Grid))
	for i, row := range m.Grid {
		rows[i] = []byte(row)
	}
	return canon.Board(rows, func(cell byte) byte {
		switch cell {
		case m.Start[0], m.Goal[0]:
			return 'E'
		case m.Wall[0]:
			return '#'
		}
		return '.'
	})
}

// ourSigns replaces the maze's characters by those of a [mazeGrid].
func (m mazeItem) ourSigns() *strings.Replacer {
	return strings.NewReplacer(m.Wall, "#", m.Path, ".", m.Start, "S", m.Goal, "G")
}

// Check refuses a record without a maze, or with a wrong distance.
func (m mazeItem) Check() error {
	signs := []string{m.Start, m.Goal, m.Wall, m.Path}
	for i, sign := range signs {
		if len(sign) != 1 || strings.Contains(strings.Join(signs[:i], ""), sign) {
			return fmt.Errorf("start, goal, wall and path are %q, want four different ASCII characters", signs)
		}
	}
	size := len(m.Grid)
	inside, ours := &mazeGrid{Walled: grid.NewWalled[byte](size, size, '#')}, m.ourSigns()
	for i, row := range m.Grid {
		if len(row) != size || strings.Trim(row, strings.Join(signs, "")) != "" {
			return fmt.Errorf("row %d of grid is %.40q, want %d signs of %q", i+1, row, size, signs)
		}
		copy(inside.Row(i), ours.Replace(row))
	}
	all := strings.Join(m.Grid, "")
	if strings.Count(all, m.Start) != 1 || strings.Count(all, m.Goal) != 1 {
		return errors.New("grid does not have exactly one start and one goal")
	}
	return task.Want("shortest_path_length", m.ShortestPathLength, inside.distance('S', 'G'))
}

// distance returns the steps between two signs, or -1 if there is no way.
func (m *mazeGrid) distance(from, to byte) int {
	seen := make([]bool, len(m.Cells))
	now, before := []int{bytes.IndexByte(m.Cells, from)}, []int(nil)
	seen[now[0]] = true
	for steps := 0; len(now) > 0; steps++ {
		for _, at := range now {
			if m.Cells[at] == to {
				return steps
			}
		}
		now, before = m.beside(before[:0], now, seen), now
	}
	return -1
}

func (m mazeItem) Solve() string { return strconv.Itoa(m.ShortestPathLength) }

// Score implements [task.Scorer]. Only the exact number earns anything.
func (m mazeItem) Score(text string) quintain.Verdict {
	n, ok := answer.ReadInt(text)
	switch {
	case !ok:
		return quintain.Malformed(fmt.Sprintf("%.40q is not a whole number", text))
	case n != int64(m.ShortestPathLength):
		return quintain.Wrong("want " + m.Solve())
	}
	return quintain.Right()
}
