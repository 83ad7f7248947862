package main

import (
	"strings"
	"testing"
)

// A board with a known hardest position: the truck C blocks the red car's way, and B blocks
// C below.
func TestHardest(t *testing.T) {
	b := board{pieces: []piece{
		{lane: exitRow, size: 2},
		{lane: 3, size: 3},
		{upright: true, lane: 5, size: 3},
	}}
	s := newSearch()
	if moves := s.hardest(b); moves != 3 {
		t.Errorf("the hardest position takes %d moves, want 3", moves)
	}
	line := s.line()
	if fields := strings.Fields(line); len(fields) != 4 || len(fields[0]) != side*side || fields[3][0] != 'A' {
		t.Errorf("the line is %q, want a board and 3 moves, the last of A", line)
	}
	b.walls = 1 << (exitRow*side + 5)
	if moves := s.hardest(b); moves != 0 {
		t.Errorf("behind a wall, the exit takes %d moves, want none", moves)
	}
}
