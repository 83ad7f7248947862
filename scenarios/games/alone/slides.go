package alone

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"
)

// mostCells is the most cells of a sliding puzzle.
const mostCells = 12

// tiles are the tiles of a sliding puzzle by cell, row by row; 0 is the gap.
type tiles [mostCells]int8

// Slides solves the sliding puzzles of a size. The tiles are in groups. Of each group, a table has
// how many moves of its tiles it takes to bring them home, wherever they and the gap are; the sum
// over the groups is never more than the length of the shortest solution.
type slides struct {
	rows, cols int
	groups     [][]int8
	tables     [][]byte // by group and rank
}

// The solvers are made when they are first used, in a second at most, and take 5 MB in all.
var (
	slides2x3 = sync.OnceValue(func() *slides { return newSlides(2, 3, []int8{1, 2, 3, 4, 5}) })
	slides3x3 = sync.OnceValue(func() *slides { return newSlides(3, 3, []int8{1, 2, 3, 4, 5, 6, 7, 8}) })
	slides3x4 = sync.OnceValue(func() *slides { return newSlides(3, 4, []int8{1, 2, 5, 6, 9, 10}, []int8{3, 4, 7, 8, 11}) })
)

// slidesOf returns the solver of a size, nil if there is none.
func slidesOf(rows, cols int) func() *slides {
	switch [2]int{rows, cols} {
	case [2]int{2, 3}:
		return slides2x3
	case [2]int{3, 3}:
		return slides3x3
	case [2]int{3, 4}:
		return slides3x4
	}
	return nil
}

func newSlides(rows, cols int, groups ...[]int8) *slides {
	s := &slides{rows: rows, cols: cols, groups: groups}
	for _, group := range groups {
		s.tables = append(s.tables, s.table(group))
	}
	return s
}

// A placing is where the gap and the tiles of a group are, in this order.
type placing [mostCells]int8

// table works out the table of a group, from the end backwards. Moves of other tiles are free.
func (s *slides) table(group []int8) []byte {
	size := 1
	for i := range len(group) + 1 {
		size *= s.rows*s.cols - i
	}
	m := measure{slides: s, tiles: len(group), out: bytes.Repeat([]byte{255}, size)}
	home := placing{int8(s.rows*s.cols - 1)}
	for i, tile := range group {
		home[i+1] = tile - 1
	}
	m.next = m.add(m.next, home, 0)
	for moves := 0; len(m.next) > 0; moves++ {
		m.now, m.next = m.next, m.now[:0]
		for len(m.now) > 0 {
			last := len(m.now) - 1
			p := m.now[last]
			m.now = m.now[:last]
			m.spread(p, moves)
		}
	}
	return m.out
}

// A measure is a table in the making.
type measure struct {
	*slides
	tiles     int
	out       []byte
	now, next []placing // at the distance that is looked at, and one farther
}

// spread adds the placings from which a move leads to p.
func (m *measure) spread(p placing, moves int) {
	for d := range directions {
		switch after, kind := m.placed(p, m.tiles, d); kind {
		case free:
			m.now = m.add(m.now, after, moves)
		case counted:
			m.next = m.add(m.next, after, moves+1)
		}
	}
}

// add adds a placing, unless it was reached with as few moves.
func (m *measure) add(to []placing, p placing, moves int) []placing {
	if at := &m.out[m.rank(p[:m.tiles+1])]; int(*at) > moves {
		*at = byte(moves)
		return append(to, p)
	}
	return to
}

// The kinds of a move: there is none, it moves a tile of another group, or one of the group.
const (
	blocked = iota
	free
	counted
)

// placed is a placing of n tiles after a move.
func (s *slides) placed(p placing, n, direction int) (after placing, kind int) {
	to := s.from(p[0], direction)
	if to < 0 {
		return p, blocked
	}
	kind = free
	if tile := slices.Index(p[1:n+1], to); tile >= 0 {
		p[tile+1], kind = p[0], counted
	}
	p[0] = to
	return p, kind
}

// rank numbers the ways to put things on different cells.
func (s *slides) rank(cells []int8) (rank int) {
	taken := uint(0)
	for i, at := range cells {
		rank = rank*(s.rows*s.cols-i) + int(at) - bits.OnesCount(taken&(1<<at-1))
		taken |= 1 << at
	}
	return rank
}

// from is the cell of the tile that can move in a direction, into the gap; -1 if there is none.
func (s *slides) from(gap int8, direction int) int8 {
	row, col := int(gap)/s.cols, int(gap)%s.cols
	switch direction {
	case 0:
		col++
	case 1:
		row--
	case 2:
		col--
	default:
		row++
	}
	if row < 0 || row >= s.rows || col < 0 || col >= s.cols {
		return -1
	}
	return int8(row*s.cols + col)
}

// slide moves the tile that can move in a direction, if there is one.
func (s *slides) slide(t tiles, gap int8, direction int) (after tiles, newGap int8, can bool) {
	at := s.from(gap, direction)
	if at < 0 {
		return t, gap, false
	}
	t[gap], t[at] = t[at], 0
	return t, at, true
}

// gap is the cell of the gap.
func (s *slides) gap(t tiles) int8 { return int8(slices.Index(t[:s.rows*s.cols], 0)) }

// home is the position at the end.
func (s *slides) home() (t tiles) {
	for i := range s.rows*s.cols - 1 {
		t[i] = int8(i + 1)
	}
	return t
}

// least is a lower bound of the length of the shortest solution: the length itself if there is one group.
func (s *slides) least(t tiles) (moves int) {
	var where placing
	for at, tile := range t[:s.rows*s.cols] {
		where[tile] = int8(at)
	}
	for g, group := range s.groups {
		p := placing{where[0]}
		for i, tile := range group {
			p[i+1] = where[tile]
		}
		moves += int(s.tables[g][s.rank(p[:len(group)+1])])
	}
	return moves
}

// solve is a shortest solution, in directions, of a position that has one. It is false if all
// solutions have more than most moves. The search goes deeper and deeper, and leaves what cannot
// end in time.
func (s *slides) solve(t tiles, most int) (way []int, short bool) {
	for bound := s.least(t); bound <= most; bound += 2 { // each move changes the parity
		if way, found := s.search(t, s.gap(t), nil, bound); found {
			return way, true
		}
	}
	return nil, false
}

// search looks for a solution with at most so many moves, after those of way.
func (s *slides) search(t tiles, gap int8, way []int, bound int) ([]int, bool) {
	if least := s.least(t); least == 0 || len(way)+least > bound {
		return way, least == 0
	}
	for d := range directions {
		if n := len(way); n > 0 && way[n-1] == (d+2)%4 {
			continue // back again
		}
		if after, at, can := s.slide(t, gap, d); can {
			if way, found := s.search(after, at, append(way, d), bound); found {
				return way, true
			}
		}
	}
	return nil, false
}

// solvable reports whether a position can be solved: whether the number of pairs of tiles in the
// wrong order, and of rows from the gap to the last one, is even as it is at the end.
func (s *slides) solvable(t tiles) bool {
	gap := s.gap(t)
	odd := 0
	if s.cols%2 == 0 {
		odd = s.rows - 1 - int(gap)/s.cols
	}
	for i, a := range t[:s.rows*s.cols] {
		for _, b := range t[i:][:s.rows*s.cols-i] {
			if a > b && b > 0 {
				odd++
			}
		}
	}
	return odd%2 == 0
}
