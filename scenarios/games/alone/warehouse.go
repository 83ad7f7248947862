package alone

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// The limits of a warehouse keep the table of its ways below half a megabyte.
const (
	mostBoxes = 3
	mostFloor = 40
	mostAway  = 254 // steps; what is farther is out of reach
)

// A warehouse is a board of Sokoban without what moves. Its squares are those without a wall, by
// number, row by row.
type warehouse struct {
	rows, cols int
	squares    []int     // the place of each, row·cols + column
	beside     [][4]int8 // by square and direction: the next square, -1 at a wall
	goals      []int8    // squares in order
}

// A stand is what moves: the player, and the boxes in order; the places after the last box are 0.
type stand struct {
	player int8
	boxes  [mostBoxes]int8
}

// newWarehouse returns a warehouse of which the walls are known.
func newWarehouse(rows, cols int, wall func(place int) bool) *warehouse {
	w := &warehouse{rows: rows, cols: cols}
	number := make([]int8, rows*cols)
	for place := range number {
		number[place] = -1
		if !wall(place) {
			number[place] = int8(len(w.squares))
			w.squares = append(w.squares, place)
		}
	}
	for _, place := range w.squares {
		row, col := place/cols, place%cols
		var next [4]int8
		for d, to := range [4][2]int{{row, col - 1}, {row + 1, col}, {row, col + 1}, {row - 1, col}} { // as directions
			next[d] = -1
			if to[0] >= 0 && to[0] < rows && to[1] >= 0 && to[1] < cols {
				next[d] = number[to[0]*cols+to[1]]
			}
		}
		w.beside = append(w.beside, next)
	}
	return w
}

// readWarehouse reads a board that was checked.
func readWarehouse(rows []string) (*warehouse, stand) {
	all := strings.Join(rows, "")
	w := newWarehouse(len(rows), len(rows[0]), func(place int) bool { return all[place] == '#' })
	var s stand
	boxes := s.boxes[:0]
	for square, place := range w.squares {
		sign := all[place]
		if strings.IndexByte(".*+", sign) >= 0 {
			w.goals = append(w.goals, int8(square))
		}
		if sign == '$' || sign == '*' {
			boxes = append(boxes, int8(square))
		}
		if sign == '@' || sign == '+' {
			s.player = int8(square)
		}
	}
	return w, s
}

// drawWarehouse draws inner walls, and keeps the largest room between them.
func drawWarehouse(p sokobanParams, r *rng.Rand) *warehouse {
	n := p.Size
	wall := make([]bool, n*n)
	for place := range wall {
		row, col := place/n, place%n
		wall[place] = row == 0 || col == 0 || row == n-1 || col == n-1 || r.Chance(float64(p.Walls)/100)
	}
	w := newWarehouse(n, n, func(place int) bool { return wall[place] })
	room := w.largest()
	return newWarehouse(n, n, func(place int) bool { return !slices.Contains(room, place) })
}

// largest is the largest room: its places.
func (w *warehouse) largest() (room []int) {
	seen := make([]bool, len(w.squares))
	for first := range w.squares {
		if reached := w.reach(int8(first), seen); len(reached) > len(room) {
			room = reached
		}
	}
	return room
}

// reach returns the places that can be reached from a square, and were not seen before.
func (w *warehouse) reach(first int8, seen []bool) (places []int) {
	ahead := []int8{first}
	for len(ahead) > 0 {
		at := ahead[0]
		ahead = ahead[1:]
		if at >= 0 && !seen[at] {
			seen[at] = true
			places = append(places, w.squares[at])
			ahead = append(ahead, w.beside[at][:]...)
		}
	}
	return places
}

// box returns the number of the box on a square, -1 if there is none.
func (w *warehouse) box(s stand, at int8) int {
	return slices.Index(s.boxes[:len(w.goals)], at)
}

// moved puts a box on another square.
func (w *warehouse) moved(s stand, box int, to int8) stand {
	s.boxes[box] = to
	slices.Sort(s.boxes[:len(w.goals)])
	return s
}

// step goes a step; why says what blocks it.
func (w *warehouse) step(s stand, direction int) (next stand, why string) {
	to := w.beside[s.player][direction]
	if to < 0 {
		return s, "a wall is in the way"
	}
	if box := w.box(s, to); box >= 0 {
		beyond := w.beside[to][direction]
		switch {
		case beyond < 0:
			return s, "a wall is behind the box"
		case w.box(s, beyond) >= 0:
			return s, "another box is behind the box"
		}
		s = w.moved(s, box, beyond)
	}
	s.player = to
	return s, ""
}

// solved reports whether all boxes are on goals.
func (w *warehouse) solved(s stand) bool { return slices.Equal(s.boxes[:len(w.goals)], w.goals) }

// text prints a board.
func (w *warehouse) text(s stand) (rows []string) {
	cells := []byte(strings.Repeat("#", w.rows*w.cols))
	for square, place := range w.squares {
		sign, at := byte('-'), int8(square)
		goal := slices.Contains(w.goals, at)
		switch box := w.box(s, at) >= 0; {
		case box && goal:
			sign = '*'
		case box:
			sign = '$'
		case s.player == at && goal:
			sign = '+'
		case s.player == at:
			sign = '@'
		case goal:
			sign = '.'
		}
		cells[place] = sign
	}
	for row := range slices.Chunk(cells, w.cols) {
		rows = append(rows, string(row))
	}
	return rows
}

// key names the warehouse.
func (w *warehouse) key() string { return fmt.Sprint(w.rows, w.cols, w.squares, w.goals) }

// Ways are the lengths of the shortest solutions from all positions, 255 where there is none.
type ways struct {
	*warehouse
	lengths []byte // by index
}

// index numbers a position.
func (w *warehouse) index(s stand) int {
	rank := 0
	for k, box := range s.boxes[:len(w.goals)] {
		rank += choose(int(box), k+1)
	}
	return rank*len(w.squares) + int(s.player)
}

// choose is the number of ways to take k of n, for a k of 1 to 3.
func choose(n, k int) int {
	switch k {
	case 1:
		return n
	case 2:
		return n * (n - 1) / 2
	}
	return n * (n - 1) * (n - 2) / 6
}

// solve works out the shortest solutions, up to a length, backwards from the solved positions. It
// also returns the positions at just that length.
func (w *warehouse) solve(most int) (out *ways, last []stand) {
	out = &ways{w, bytes.Repeat([]byte{mostAway + 1}, choose(len(w.squares), len(w.goals))*len(w.squares))}
	var before []stand
	add := func(s stand, length int) {
		if at := &out.lengths[w.index(s)]; int(*at) > length {
			*at = byte(length)
			last = append(last, s)
		}
	}
	for square := range w.squares {
		s := stand{player: int8(square)}
		copy(s.boxes[:], w.goals)
		if w.box(s, s.player) < 0 {
			add(s, 0)
		}
	}
	for length := 1; length <= most; length++ {
		before, last = last, before[:0]
		for _, s := range before {
			w.before(s, func(earlier stand) { add(earlier, length) })
		}
	}
	return out, last
}

// before yields the positions from which a step leads to s.
func (w *warehouse) before(s stand, yield func(stand)) {
	for d := range directions {
		from := w.beside[s.player][(d+2)%4]
		if from < 0 || w.box(s, from) >= 0 {
			continue
		}
		walked := s
		walked.player = from
		yield(walked)
		if ahead := w.beside[s.player][d]; ahead >= 0 {
			if box := w.box(s, ahead); box >= 0 {
				pushed := w.moved(s, box, s.player)
				pushed.player = from
				yield(pushed)
			}
		}
	}
}

// from is the length of the shortest solution from a position.
func (w *ways) from(s stand) int {
	if n := int(w.lengths[w.index(s)]); n <= mostAway {
		return n
	}
	return far
}
