package duels

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A connectSolver knows the rules of a board of columns, and the values of its positions. A set
// of squares has a bit for each, column by column from the bottom, with one bit between columns.
type connectSolver struct {
	wide, rows, length int
	stride             int      // bits of a column
	floor, full        uint64   // the lowest squares; all squares
	order              []uint64 // the columns, those of the middle first
	seen               []uint64 // by a hash of the position: its name, and the bounds of its value
}

// solver returns a solver that keeps so many values, a power of 2.
func (p connect) solver(keep int) *connectSolver {
	s := &connectSolver{wide: len(p.Discs), rows: p.Rows, length: p.Line, stride: p.Rows + 1, seen: make([]uint64, keep)}
	for column := range s.wide {
		s.floor |= 1 << (column * s.stride)
	}
	column := uint64(1)<<s.rows - 1
	s.full = s.floor * column
	for at := range s.wide {
		s.order = append(s.order, column<<(at*s.stride))
	}
	slices.SortStableFunc(s.order, func(a, b uint64) int { return cmp.Compare(s.aside(a), s.aside(b)) })
	return s
}

// aside is twice the distance of a column from the middle.
func (s *connectSolver) aside(column uint64) int {
	off := 2*(bits.TrailingZeros64(column)/s.stride) - s.wide + 1
	return max(off, -off)
}

// line reports whether a set holds a line.
func (s *connectSolver) line(set uint64) bool {
	for _, step := range [4]int{1, s.stride - 1, s.stride, s.stride + 1} {
		from := set
		for i := 1; i < s.length && from != 0; i++ {
			from &= set >> (i * step)
		}
		if from != 0 {
			return true
		}
	}
	return false
}

// open are the squares that take the next disc.
func (s *connectSolver) open(all uint64) uint64 { return (all + s.floor) & s.full }

// winning are those of the open squares that complete a line of a set.
func (s *connectSolver) winning(set, open uint64) (cells uint64) {
	for ; open != 0; open &= open - 1 {
		if cell := open & -open; s.line(set | cell) {
			cells |= cell
		}
	}
	return cells
}

// value is what the position without a line is worth to the player to move, 1, 0 or -1; a value
// outside low to high is only a bound.
func (s *connectSolver) value(mine, all uint64, low, high int) int {
	open := s.open(all)
	switch {
	case open == 0:
		return 0
	case s.winning(mine, open) != 0:
		return 1
	}
	if must := s.winning(all^mine, open); must != 0 {
		if must&(must-1) != 0 {
			return -1
		}
		open = must
	}
	from, to := s.recall(mine, all)
	low, high = max(low, from), min(high, to)
	if low >= high {
		return low
	}
	best := -1
	for _, column := range s.order {
		if cell := open & column; cell != 0 && best < high {
			best = max(best, -s.value(all^mine, all|cell, -high, -max(low, best)))
		}
	}
	from, to = -1, 1
	if best > low {
		from = best
	}
	if best < high {
		to = best
	}
	s.keep(mine, all, from, to)
	return best
}

// recall returns what is known of a value: it is between from and to.
func (s *connectSolver) recall(mine, all uint64) (from, to int) {
	name := mine + all + 1 // an empty place holds 0
	if kept := s.seen[s.at(name)]; kept>>4 == name {
		return int(kept>>2&3) - 1, int(kept&3) - 1
	}
	return -1, 1
}

// keep remembers that a value is between from and to.
func (s *connectSolver) keep(mine, all uint64, from, to int) {
	name := mine + all + 1
	s.seen[s.at(name)] = name<<4 | uint64(from+1)<<2 | uint64(to+1)
}

// at is the place of a position among those kept.
func (s *connectSolver) at(name uint64) uint64 {
	return name * 0x9e3779b97f4a7c15 >> 32 & uint64(len(s.seen)-1)
}

// discs are a position.
type discs struct {
	*connectSolver
	mine, all uint64 // the discs of the player to move, and those of both
}

// turn is 0 if x is to move, 1 if o.
func (b *discs) turn() int { return bits.OnesCount64(b.all) % 2 }

// key implements [board].
func (b *discs) key() uint64 { return b.mine + b.all }

// over implements [board].
func (b *discs) over() bool { return b.all == b.full || b.line(b.all^b.mine) }

// moves implements [board].
func (b *discs) moves() (all []move[uint64]) {
	if b.over() {
		return nil
	}
	for open := b.open(b.all); open != 0; open &= open - 1 {
		cell := open & -open
		next := &discs{b.connectSolver, b.all ^ b.mine, b.all | cell}
		all = append(all, move[uint64]{[3]int8{int8(bits.TrailingZeros64(cell) / b.stride)}, next})
	}
	return all
}

// name implements [board].
func (b *discs) name(how [3]int8) string { return string('a' + rune(how[0])) }

// worth implements [board].
func (b *discs) worth() float64 {
	if b.line(b.all ^ b.mine) {
		return 0
	}
	return 0.5
}

// known implements [board].
func (b *discs) known() (float64, bool) {
	if b.over() {
		return b.worth(), true
	}
	return float64(b.value(b.mine, b.all, -1, 1)+1) / 2, true
}

// read implements [board].
func (b *discs) read(text string) (m move[uint64], why string) {
	for _, m := range b.moves() {
		if b.name(m.how) == text {
			return m, ""
		}
	}
	if len(text) == 1 && text[0] >= 'a' && int(text[0]-'a') < b.wide {
		return m, "column " + text + " is full"
	}
	return m, fmt.Sprintf("%q is no column of the board", text)
}

// columns lists the discs of each column from the bottom.
func (b *discs) columns() (all []string) {
	for column := range b.wide {
		var s strings.Builder
		for row := range b.rows {
			if mark := b.mark(column, row); mark != "." {
				s.WriteString(mark)
			}
		}
		all = append(all, s.String())
	}
	return all
}

// mark is x, o or, on a free square, a dot.
func (b *discs) mark(column, row int) string {
	cell := uint64(1) << (column*b.stride + row)
	switch {
	case b.all&cell == 0:
		return "."
	case b.mine&cell != 0:
		return string("xo"[b.turn()])
	}
	return string("xo"[1-b.turn()])
}

// show implements [board].
func (b *discs) show() string {
	var s strings.Builder
	gap := map[bool]string{false: " "}
	s.WriteString("```\n")
	for column := range b.wide {
		s.WriteString(gap[column == 0] + string('a'+rune(column)))
	}
	for row := b.rows - 1; row >= 0; row-- {
		s.WriteString("\n")
		for column := range b.wide {
			s.WriteString(gap[column == 0] + b.mark(column, row))
		}
	}
	s.WriteString("\n```")
	return s.String()
}
