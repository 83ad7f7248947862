package grids

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// lightUp asks for the only way to light all squares between walls.
var lightUp = task.Spec[lightUpParams, lightUpItem]{
	Name:     "light_up",
	Category: "games",
	Doc: "Place lamps on a board with walls so that all squares are lit, no lamp lights another, and numbered walls have that many lamps beside them. " +
		"Every puzzle has exactly one solution.",
	Source:  "Light Up, also known as Akari, a pencil puzzle first published by Nikoli (2001).",
	Version: 2,
	Default: lightUpParams{MinSize: 7, MaxSize: 7, Walls: 20, Hidden: 50},
	Levels: []lightUpParams{
		{MinSize: 5, MaxSize: 5, Walls: 20, Hidden: 0},
		{MinSize: 6, MaxSize: 6, Walls: 20, Hidden: 30},
		{MinSize: 7, MaxSize: 7, Walls: 20, Hidden: 50},
		{MinSize: 8, MaxSize: 8, Walls: 20, Hidden: 70},
		{MinSize: 9, MaxSize: 9, Walls: 20, Hidden: 90},
		{MinSize: 10, MaxSize: 10, Walls: 20, Hidden: 100},
	},
	Make: makeLightUp,
}

// lightUpParams are the settings of one difficulty.
type lightUpParams struct {
	MinSize int `json:"min_size" want:"4 to 10"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 10"`
	Walls   int `json:"walls_percent" want:"10 to 40"`  // of the squares, besides those that the solution needs
	Hidden  int `json:"hidden_percent" want:"0 to 100"` // of the walls, whose number is left out if the solution does not need it
}

// lightUpItem is one puzzle.
type lightUpItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"0 to 6"` // 0 is a square, 1 a wall without a number, 2 to 6 a wall with 0 to 4
	Solution grid.Grid[int] `json:"solution" each:"0 to 7"`              // as the puzzle; 7 is a lamp
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

// The squares of a room; between them, walls with numbers.
const (
	floor    = 0
	wall     = 1
	numbered = 2 // with 0
	lamp     = 7

	roomSigns = signs(".#01234L")
)

// A room is the walls of a puzzle: which cells are walls, and which of these have a number.
type room struct {
	size            int
	walls, numbered set
	lamps           set // those of the solution
}

// makeLightUp draws walls, lights the room, and adds walls until no other way to light it is
// left. Then it leaves out numbers.
func makeLightUp(p lightUpParams, r *rng.Rand) (lightUpItem, error) {
	const steps = 60
	size := r.Between(p.MinSize, p.MaxSize)
	order := make([]int, size*size)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	m := room{size: size, walls: setOf(order[:len(order)*p.Walls/100]...)}
	var rules *sums
	for {
		m.light(r)
		m.numbered = m.walls
		rules = m.rules()
		other, found, unique := rules.other(m.lamps, marks{off: m.walls}, steps)
		if unique {
			break
		}
		choice := rules.cells.less(m.walls.or(m.lamps))
		if found {
			choice = other.less(m.lamps)
		}
		m.walls.add(pick(choice, r))
	}
	m.hide(p.Hidden, rules, r, steps)
	return m.item(lightUpWordings.draw(r)), nil
}

// hide leaves out the numbers of some walls, a percentage at most, each only if the solution
// stays unique. The first rules are those of the walls, in order.
func (m *room) hide(percent int, rules *sums, r *rng.Rand, steps int) {
	walls := m.walls.cells()
	order := make([]int, len(walls))
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	for _, i := range order[:len(order)*percent/100] {
		rule := &rules.bounds[i]
		was := *rule
		rule.least, rule.most = 0, 4
		if _, _, unique := rules.other(m.lamps, marks{off: m.walls}, steps); !unique {
			*rule = was
			continue
		}
		m.numbered = m.numbered.less(setOf(walls[i]))
	}
}

// light adds lamps on random dark squares until none is left.
func (m *room) light(r *rng.Rand) {
	dark := firstCells(m.size * m.size).less(m.walls)
	for _, at := range m.lamps.cells() {
		dark = dark.less(m.lit(at))
	}
	for !dark.empty() {
		at := pick(dark, r)
		m.lamps.add(at)
		dark = dark.less(m.lit(at))
	}
}

// lit returns the squares that a lamp lights, its own included.
func (m *room) lit(at int) (s set) {
	for _, run := range m.runs(at) {
		s = s.or(run)
	}
	return s
}

// runs returns the squares of the same row, and those of the same column, without a wall
// between.
func (m *room) runs(at int) (runs [2]set) {
	i, j := at/m.size, at%m.size
	for k, d := range [4][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}} {
		for a, b := i, j; a >= 0 && b >= 0 && a < m.size && b < m.size && !m.walls.has(a*m.size+b); a, b = a+d[0], b+d[1] {
			runs[k/2].add(a*m.size + b)
		}
	}
	return runs
}

// rules returns the rules for the lamps: those of the walls, which all have numbers, first.
func (m *room) rules() *sums {
	rules := newSums(m.size * m.size)
	for _, at := range m.walls.cells() {
		beside := m.beside(at)
		n := beside.and(m.lamps).len()
		rules.bind(beside.less(m.walls), n, n)
	}
	for _, at := range rules.cells.less(m.walls).cells() {
		runs := m.runs(at)
		rules.bind(runs[0].or(runs[1]), 1, 2)
		for _, run := range runs {
			if run.first() == at && run.len() > 1 {
				rules.bind(run, 0, 1)
			}
		}
	}
	return rules
}

// beside returns the neighbors of a cell.
func (m *room) beside(at int) (s set) {
	eachBeside(at, m.size, func(c int) { s.add(c) })
	return s
}

// item returns the puzzle of a room.
func (m *room) item(phrasing int) lightUpItem {
	item := lightUpItem{Phrasing: phrasing}
	item.Puzzle = grid.Build(m.size, m.size, func(i, j int) int {
		switch at := i*m.size + j; {
		case m.numbered.has(at):
			return numbered + m.beside(at).and(m.lamps).len()
		case m.walls.has(at):
			return wall
		}
		return floor
	})
	item.Solution = grid.Build(m.size, m.size, func(i, j int) int {
		if m.lamps.has(i*m.size + j) {
			return lamp
		}
		return item.Puzzle[i][j]
	})
	return item
}

// lightUpWordings are the wordings of the question.
var lightUpWordings = wordings{
	{"Light this room of %n rows and %n columns. A dot is a square of the floor; # and the digits are walls. Put lamps on some of the dots. A lamp lights its own square and every square to its left and right, above and below it, up to the next wall or the edge. In the end, every square of the floor must be lit, and no lamp may be lit by another lamp. A digit says how many lamps stand on the squares right beside that wall (left, right, above and below); beside a # there may be any number.",
		"There is exactly one way. Answer with the whole room alone: %n lines of %n signs with single spaces between them, L for a lamp, and all other signs as above."},
	{"Where do the lamps go?",
		"In this puzzle of %n by %n squares, walls are written as # or as a number, and everything else (.) is floor. The rules are these:\n1. A lamp stands on the floor and shines along its row and its column, in all four directions, until a wall or the edge of the board stops the light.\n2. Each square of the floor has a lamp or light from a lamp.\n3. Two lamps never shine on each other.\n4. A wall with a number has exactly that many lamps on the squares that share a side with it. A wall without a number (#) makes no demand.\n\nWrite the solved board as %n rows of %n characters separated by single spaces, with an L in place of each dot that gets a lamp. Write nothing else. Only one board is right."},
	{"The floor plan below has %n rows. Its walls are the squares with # or a digit.",
		"We need lamps (L) so that no square of the floor, marked with a dot, stays dark. Light travels straight up, down, left and right from a lamp and does not pass walls. Lamps must not light each other: between two lamps in the same row or column there has to be a wall. The digit on a wall is the number of lamps that touch it along a side, no more and no fewer, while walls with # may be touched by any number of lamps. The plan leaves just one solution. Reply with the plan, lamps included, row by row, a space between neighboring squares."},
	{"Your answer will be a copy of the following board, %n lines of %n symbols with single spaces between them, in which some of the dots are replaced by L.",
		"Call a dot or L in the same row or column as an L visible from it if no # or digit lies between them. Then the copy has to be such that\n- every remaining dot is visible from at least one L,\n- no L is visible from another L,\n- each digit equals the number of L directly above, below, left and right of it.\nThe symbols # and the digits stay, and # puts no condition on its neighbors. Exactly one copy satisfies all this; write that and nothing besides."},
	{"Solve this Light Up puzzle (also called Akari) with %n rows and %n columns.",
		"White squares are shown as dots. Black squares are shown as # or, if they carry a clue, as a digit from 0 to 4. Place bulbs on white squares. A bulb illuminates the white squares in its row and its column as far as the nearest black square on each side, along with the square on which it stands. All white squares have to be illuminated, and a bulb must not illuminate another bulb. A clue states how many of the up to four squares that are orthogonally adjacent to the black square contain a bulb. The solution is unique. Print all squares in %n lines, separated by spaces, with L for each bulb and without further text."},
	{"A digit on the board below is a pillar that wants that many lamps right next to it, counting the squares on its left and right, above it and below it. A # is a pillar with no such wish. The dots are free squares.",
		"A lamp is put on a free square, and lights all free squares that can be reached from there by going straight along the row or the column without crossing a pillar. Put up lamps so that the wishes of all pillars come true and all free squares are lit or have a lamp, but no lamp stands in the light of another. One arrangement does it. Give the board of %n by %n squares with that arrangement, one row per line, L for each lamp, the rest unchanged, squares separated by a space."},
}

func (l lightUpItem) Prompt() string {
	return lightUpWordings.ask(l.Phrasing, roomSigns.append(nil, l.Puzzle), func(byte) string { return strconv.Itoa(len(l.Puzzle)) })
}

func (l lightUpItem) Canonical() string {
	return least(func(v view) []byte { return roomSigns.append(nil, seen(v, l.Puzzle)) })
}

// Check refuses a record with a wrong solution.
func (l lightUpItem) Check() error { return checkBoards(l, len(l.Puzzle), l.Puzzle, l.Solution) }

func (l lightUpItem) Solve() string { return string(roomSigns.append(nil, l.Solution)) }

// Score implements [task.Scorer]. All lamps have to be right.
func (l lightUpItem) Score(text string) quintain.Verdict {
	return judge(text, len(l.Puzzle), roomSigns.read, l.broken)
}

// broken returns the first rule that a board breaks.
func (l lightUpItem) broken(cells []int) string {
	m := room{size: len(l.Puzzle)}
	for at, c := range cells {
		switch given := l.Puzzle[at/m.size][at%m.size]; {
		case c != given && (given != floor || c != lamp):
			return "a wall has changed in " + where(at, m.size)
		case c == lamp:
			m.lamps.add(at)
		case c != floor:
			m.walls.add(at)
		}
	}
	for at, c := range cells {
		switch lights := m.lit(at).and(m.lamps).len(); {
		case c >= numbered && c < lamp:
			if n := m.beside(at).and(m.lamps).len(); n != c-numbered {
				return fmt.Sprintf("the wall in %s has %d lamps beside it, want %d", where(at, m.size), n, c-numbered)
			}
		case c == lamp && lights > 1:
			return "another lamp lights the one in " + where(at, m.size)
		case c == floor && lights == 0:
			return "it is dark in " + where(at, m.size)
		}
	}
	return ""
}
