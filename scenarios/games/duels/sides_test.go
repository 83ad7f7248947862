package duels

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// reached returns the match after some moves.
func reached(start games.Sided, tables *games.Tables, moves []string) games.Sides {
	s := start.Sides(games.Luck{}, tables)
	for _, m := range moves {
		s.Move(m)
	}
	return s
}

// value is what the best play of both is worth to seat 0, by trying everything through [games.Sides]
// alone.
func value(start games.Sided, tables *games.Tables, moves []string) float64 {
	s := reached(start, tables, moves)
	if worth, over := s.Over(); over {
		return worth
	}
	best := -1.0
	for _, m := range s.Allowed() {
		worth := value(start, tables, append(moves[:len(moves):len(moves)], m))
		switch {
		case best < 0, s.Seat() == 0 && worth > best, s.Seat() == 1 && worth < best:
			best = worth
		}
	}
	return best
}

// Best moves keep the value, which both sides' best play reaches, and all others lose some of it.
func TestBestMovesOfBothSidesKeepTheValue(t *testing.T) {
	for _, c := range []struct {
		why   string
		start games.Sided
		want  float64
	}{
		{"x has two in a row, and moves", row{X: 0b11, O: 0b11000, Columns: 3, Rows: 3, Line: 3, Kind: "normal", Opponent: "random"}, 1},
		{"o must block, and draws", row{X: 0b11000, O: 0b1, Columns: 3, Rows: 3, Line: 3, Kind: "normal", Opponent: "random"}, 0.5},
		{"the same marks, where a line loses", row{X: 0b11, O: 0b11000, Columns: 3, Rows: 3, Line: 3, Kind: "misère", Opponent: "random"}, 0.5},
		{"nim of equal heaps is lost", nim{Rule: "nim", Heaps: []int{2, 2}, Opponent: "random"}, 0},
		{"nim of others is won", nim{Rule: "nim", Heaps: []int{1, 3}, Opponent: "random"}, 1},
		{"one counter, which must be taken", nim{Rule: "misère", Heaps: []int{1}, Opponent: "random"}, 0},
		{"a row of three pins", nim{Rule: "kayles", Heaps: []int{3}, Opponent: "random"}, 1},
	} {
		tables := new(games.Tables)
		if got := value(c.start, tables, nil); got != c.want {
			t.Errorf("%s: tried out, it is worth %v, want %v", c.why, got, c.want)
		}
		r := rng.New(1, "sides", c.why)
		var moves []string
		for {
			s := reached(c.start, tables, moves)
			if worth, over := s.Over(); over {
				if worth != c.want {
					t.Errorf("%s: the best play of both ends with %v after %q, want %v", c.why, worth, moves, c.want)
				}
				break
			}
			best := map[string]bool{}
			for _, m := range s.Best() {
				best[m] = true
			}
			for _, m := range s.Allowed() {
				after := value(c.start, tables, append(moves[:len(moves):len(moves)], m))
				if best[m] != (after == c.want) {
					t.Errorf("%s: after %q, %s is worth %v of %v, and one of the best: %v", c.why, moves, m, after, c.want, best[m])
				}
			}
			moves = append(moves, s.Play(r))
		}
	}
}

// Each seat is told its own mark.
func TestSeatsKnowTheirMarks(t *testing.T) {
	start := row{X: 1, Columns: 3, Rows: 3, Line: 3, Kind: "normal"}
	for seat, want := range []string{"You play o.", "You play x."} {
		for wording := range 3 {
			if text := start.RulesAt(seat, wording); text[len(text)-len(want):] != want {
				t.Errorf("seat %d is told %s, want %s", seat, text, want)
			}
		}
	}
}
