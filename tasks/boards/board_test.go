package boards

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// slowStep makes a step of the Game of Life cell by cell.
func slowStep(rows []string) []string {
	after := make([]string, len(rows))
	for y, row := range rows {
		for x := range row {
			neighbors := 0
			for _, dy := range []int{-1, 0, 1} {
				for _, dx := range []int{-1, 0, 1} {
					other := rows[(y+dy+len(rows))%len(rows)]
					if (dy != 0 || dx != 0) && other[(x+dx+len(row))%len(row)] == '1' {
						neighbors++
					}
				}
			}
			if neighbors == 3 || neighbors == 2 && row[x] == '1' {
				after[y] += "1"
			} else {
				after[y] += "0"
			}
		}
	}
	return after
}

func TestLifeBoard(t *testing.T) {
	r := rng.New(1, "boards")
	for _, width := range []int{3, 4, 10, 31, 63, 64, 65, 127, 128, 129, 200} {
		for _, height := range []int{3, 4, 17} {
			rows := make([]string, height)
			for y := range rows {
				for range width {
					rows[y] += string(rng.Pick(r, []byte("00011")))
				}
			}
			board, err := readLifeBoard(rows)
			if err != nil {
				t.Fatal(err)
			}
			if got := board.rows(); !slices.Equal(got, rows) || !board.is(rows) || board.count() != strings.Count(strings.Join(rows, ""), "1") {
				t.Fatalf("%d×%d: read as %v, want %v", height, width, got, rows)
			}
			for range 12 {
				rows = slowStep(rows)
				board.run(1)
				if got := board.rows(); !slices.Equal(got, rows) {
					t.Fatalf("%d×%d: got %v, want %v", height, width, got, rows)
				}
			}
		}
	}
}

// Known patterns: the blinker has period two, the block stays, a glider crosses the edges,
// and two cells die at once.
func TestLifePatterns(t *testing.T) {
	for _, test := range []struct {
		why   string
		start string
		steps int
		end   string
		made  int
	}{
		{"blinker", "00000 00100 00100 00100 00000", 1, "00000 00000 01110 00000 00000", 1},
		{"blinker twice", "00000 00100 00100 00100 00000", 2, "00000 00100 00100 00100 00000", 2},
		{"block", "0000 0110 0110 0000", 9, "0000 0110 0110 0000", 9},
		{"glider", "010000 001000 111000 000000 000000 000000", 24, "010000 001000 111000 000000 000000 000000", 24},
		{"two cells", "0000 0110 0000 0000", 7, "0000 0000 0000 0000", 1},
	} {
		board, err := readLifeBoard(strings.Fields(test.start))
		if err != nil {
			t.Fatal(err)
		}
		if made := board.run(test.steps); made != test.made || strings.Join(board.rows(), " ") != test.end {
			t.Errorf("%s: %v after %d steps, want %s after %d", test.why, board.rows(), made, test.end, test.made)
		}
	}
}

func TestReadLifeBoardRefuses(t *testing.T) {
	for _, rows := range []string{"", "000", "00 00 00", "000 000", "000 000 00", "000 000 0000", "000 020 000"} {
		if _, err := readLifeBoard(strings.Fields(rows)); err == nil {
			t.Errorf("%q is accepted", rows)
		}
	}
}
