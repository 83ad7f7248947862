package main

import (
	"fmt"
	"math/bits"
	"strings"
)

const (
	mostStates = 6000 // positions of a board; we skip one with more
	tableSize  = 1 << 14
	exitAt     = side - 2 // the red car's place at the exit
)

// A state is a position of a board: three bits for the place of each piece.
type state uint64

func (s state) at(piece int) int { return int(s>>(3*piece)) & 7 }

func (s state) with(piece, at int) state { return s&^(7<<(3*piece)) | state(at)<<(3*piece) }

// A search visits all positions of a board.
type search struct {
	board  board
	masks  [mostPieces][side]uint64 // by piece and place
	states []state
	left   []int16          // by state: moves to the exit, or -1
	table  [tableSize]int32 // open addressing: 1 plus a place in states
	used   []int            // places in table
	next   []state          // room for neighbours
}

func newSearch() *search { return new(search) }

// hardest returns the number of moves of the hardest position of the board; 0 if it has no
// solution or too many positions.
func (s *search) hardest(b board) int {
	for _, at := range s.used {
		s.table[at] = 0
	}
	s.board, s.states, s.left, s.used = b, s.states[:0], s.left[:0], s.used[:0]
	var start state
	for i, p := range b.pieces {
		start = start.with(i, p.at)
		for at := range side - p.size + 1 {
			s.masks[i][at] = p.mask(at)
		}
	}
	s.place(start)
	for i := 0; i != len(s.states); i++ {
		if len(s.states) > mostStates {
			return 0
		}
		for _, next := range s.neighbours(s.states[i]) {
			s.place(next)
		}
	}
	return s.measure()
}

// place returns the index of a state, and adds a new one.
func (s *search) place(of state) int {
	at := int(uint64(of) * 0x9e3779b97f4a7c15 >> 50)
	for s.table[at] != 0 {
		if i := int(s.table[at]) - 1; s.states[i] == of {
			return i
		}
		at = (at + 1) % tableSize
	}
	s.states, s.left = append(s.states, of), append(s.left, -1)
	s.table[at] = int32(len(s.states))
	s.used = append(s.used, at)
	return len(s.states) - 1
}

// neighbours returns the states one move away. The next call overwrites them.
func (s *search) neighbours(of state) []state {
	s.next = s.next[:0]
	taken := s.board.walls
	for i := range s.board.pieces {
		taken |= s.masks[i][of.at(i)]
	}
	for i, p := range s.board.pieces {
		at := of.at(i)
		for to := at + 1; to+p.size <= side && taken&p.cell(to+p.size-1) == 0; to++ {
			s.next = append(s.next, of.with(i, to))
		}
		for to := at - 1; to >= 0 && taken&p.cell(to) == 0; to-- {
			s.next = append(s.next, of.with(i, to))
		}
	}
	return s.next
}

// measure computes the moves left in each position, breadth first from those with the red car
// at the exit, since moves are reversible. It returns the most.
func (s *search) measure() int {
	var queue []int
	for i, of := range s.states {
		if of.at(0) == exitAt {
			s.left[i] = 0
			queue = append(queue, i)
		}
	}
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		for _, next := range s.neighbours(s.states[i]) {
			if j := s.place(next); s.left[j] < 0 {
				s.left[j] = s.left[i] + 1
				queue = append(queue, j)
			}
		}
	}
	if len(queue) == 0 {
		return 0
	}
	return int(s.left[queue[len(queue)-1]])
}

// line returns the first of the hardest positions of the last board: its cells row by row, o
// for an empty one and x for a wall, and the moves of a shortest solution.
func (s *search) line() string {
	now := 0
	for i, left := range s.left {
		if left > s.left[now] {
			now = i
		}
	}
	cells := []byte(strings.Repeat("o", side*side))
	put := func(mask uint64, sign byte) {
		for ; mask != 0; mask &= mask - 1 {
			cells[bits.TrailingZeros64(mask)] = sign
		}
	}
	put(s.board.walls, 'x')
	for i := range s.board.pieces {
		put(s.masks[i][s.states[now].at(i)], 'A'+byte(i))
	}
	var b strings.Builder
	b.Write(cells)
	for s.left[now] > 0 {
		for _, next := range s.neighbours(s.states[now]) {
			if to := s.place(next); s.left[to] == s.left[now]-1 {
				b.WriteString(s.move(now, to))
				now = to
				break
			}
		}
	}
	return b.String()
}

// move names the move from one state to the next.
func (s *search) move(from, to int) string {
	i := bits.TrailingZeros64(uint64(s.states[from]^s.states[to])) / 3
	return fmt.Sprintf(" %c%+d", 'A'+i, s.states[to].at(i)-s.states[from].at(i))
}
