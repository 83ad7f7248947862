package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
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

// The same flags give the same boards, sorted and each once.
func TestClimb(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		if err := write(&files[i], kept(climb(7, 2))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the second file differs from the first")
	}
	z, err := gzip.NewReader(&files[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	sorted := slices.IsSortedFunc(lines, func(a, b string) int { return strings.Count(a, " ") - strings.Count(b, " ") })
	slices.Sort(lines)
	if n := len(lines); n < 2 || !sorted || len(slices.Compact(lines)) != n {
		t.Errorf("there are %d lines, sorted %t, or some of them twice", n, sorted)
	}
}
