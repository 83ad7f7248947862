package grids

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSkyscrapersScore(t *testing.T) {
	item := skyscrapersItem{
		Puzzle:   [][]int{{0, 3, 0, 0, 0}, {3, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 2}, {0, 1, 0, 0, 0}},
		Solution: [][]int{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 3\n2 3 1\n3 1 2", 1, ""},
		{"123\n231\n312", 1, "without spaces"},
		{"[[1,2,3],[2,3,1],[3,1,2]]", 1, "as JSON"},
		{"| 1 | 2 | 3 |\n|---|---|---|\n| 2 | 3 | 1 |\n| 3 | 1 | 2 |", 1, "as a table"},
		{"1 2 3\n3 1 2\n2 3 1", 0, "the given height has changed"},
		{"2 1 3\n3 2 1\n1 3 2", 0, "another Latin square"},
		{"1 2 3\n2 3 1\n3 1 3", 0, "a height twice"},
		{"1 2 3\n2 3 1\n3 1 4", 0, "a height too large"},
		{"  3 . .\n3 1 2 3 1\n. 2 3 1 .\n. 3 1 2 2\n  1 . .", 0, "with the numbers around"},
		{"1 2 3\n2 3 1", 0, "a row left out"},
		{"_ _ _\n_ _ 1\n_ _ _", 0, "the puzzle"},
		{"Heights: 1 2 3\n2 3 1\n3 1 2", 0, "words"},
	})
	tasktest.RefusedRecords(t, skyscrapers.Task(), []string{
		`{}`,
		`{"puzzle":[[0,1,0],[1,0,1]],"solution":[[1]],"phrasing":0}`,
		`{"puzzle":[[0,2,0],[1,0,1],[0,1,0]],"solution":[[1]],"phrasing":0}`,
		`{"puzzle":[[0,1,0],[1,0,1],[0,1,0]],"solution":[[2]],"phrasing":0}`,
		`{"puzzle":[[0,1,0],[1,0,1],[0,1,0]],"solution":[[1]],"phrasing":6}`,
		`{"puzzle":[[0,1,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],"solution":[[1,2],[2,1]],"phrasing":0}`,
		`{"puzzle":[[0,0,0,0],[0,2,0,0],[0,0,0,0],[0,0,0,0]],"solution":[[1,2],[2,1]],"phrasing":0}`,
		`{"puzzle":[],"solution":[[1],[1],[1],[1],[1],[1],[1],[1]],"phrasing":0}`,
	})
}

// The second solver reads the picture from the prompt and fills the cells row by row.
func TestSkyscrapersSecond(t *testing.T) {
	tasktest.Second(t, skyscrapers.Task(), 1002, func(_ skyscrapersItem, prompt, got string) error {
		_, picture, _ := strings.Cut(prompt, "\n\n")
		picture, _, _ = strings.Cut(picture, "\n\n")
		var left, right, top, bottom []string
		var board [][]string
		for line := range strings.Lines(picture) {
			parts := strings.Split(strings.TrimSpace(line), "|")
			switch {
			case len(parts) == 3:
				left, right = append(left, strings.TrimSpace(parts[0])), append(right, strings.TrimSpace(parts[2]))
				board = append(board, strings.Fields(parts[1]))
			case !strings.Contains(line, "+"):
				top, bottom = bottom, strings.Fields(line)
			}
		}
		size := len(board)
		lines := make([][][]int, 2*size)
		for _, line := range arrangements(size) {
			for k := range size {
				row, column := true, true
				for j, h := range line {
					row = row && (board[k][j] == "_" || board[k][j] == strconv.Itoa(h))
					column = column && (board[j][k] == "_" || board[j][k] == strconv.Itoa(h))
				}
				if row && looks(line, left[k], right[k]) {
					lines[k] = append(lines[k], line)
				}
				if column && looks(line, top[k], bottom[k]) {
					lines[size+k] = append(lines[size+k], line)
				}
			}
		}
		var found [][]int
		n := crossLines(lines, &found)
		return only(n, found, strconv.Itoa, got)
	})
}

// looks reports whether a line agrees with the numbers at its ends.
func looks(line []int, first, last string) bool {
	count := func(line []int) string {
		n, highest := 0, 0
		for _, h := range line {
			if h > highest {
				highest, n = h, n+1
			}
		}
		return strconv.Itoa(n)
	}
	if first != "." && count(line) != first {
		return false
	}
	back := slices.Clone(line)
	slices.Reverse(back)
	return last == "." || count(back) == last
}

// arrangements returns the numbers from 1 to n in all orders.
func arrangements(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, less := range arrangements(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(less), i, n))
		}
	}
	return all
}

// crossLines counts the ways to choose one of the lines for each row, and then for each column,
// so that they agree: up to two.
func crossLines(lines [][][]int, found *[][]int) (n int) {
	size := len(lines) / 2
	lines = slices.Clone(lines)
	for changed := true; changed; {
		changed = false
		for i := range size {
			for j := range size {
				across, down := 0, 0
				for _, line := range lines[i] {
					across |= 1 << line[j]
				}
				for _, line := range lines[size+j] {
					down |= 1 << line[i]
				}
				if across == down {
					continue
				}
				changed = true
				both := across & down
				keep := func(list [][]int, at int) (kept [][]int) {
					for _, line := range list {
						if both>>line[at]&1 != 0 {
							kept = append(kept, line)
						}
					}
					return kept
				}
				lines[i], lines[size+j] = keep(lines[i], j), keep(lines[size+j], i)
			}
		}
	}
	fewest := -1
	for i, list := range lines {
		if len(list) == 0 {
			return 0
		}
		if len(list) > 1 && (fewest < 0 || len(list) < len(lines[fewest])) {
			fewest = i
		}
	}
	if fewest < 0 {
		*found = nil
		for _, list := range lines[:size] {
			*found = append(*found, list[0])
		}
		return 1
	}
	for _, line := range lines[fewest] {
		one := slices.Clone(lines)
		one[fewest] = [][]int{line}
		if n += crossLines(one, found); n > 1 {
			return n
		}
	}
	return n
}

func TestSkyscrapersKeys(t *testing.T) {
	symmetric(t, skyscrapers.Task(), func(s *skyscrapersItem, v view) { s.Puzzle, s.Solution = seen(v, s.Puzzle), seen(v, s.Solution) })
	tasktest.Other(t, skyscrapers.Task(), "a number of the frame is left out", func(s *skyscrapersItem) {
		for _, e := range edgesOf(len(s.Solution)) {
			if s.Puzzle[e.i][e.j] != 0 {
				s.Puzzle[e.i][e.j] = 0
				return
			}
		}
	})
}
