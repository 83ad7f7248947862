package duels

import (
	"strings"
	"testing"
)

func pawnStart(kind string, columns, rows int) *pawns {
	p := pawnRows{Kind: kind, Rows: []string{strings.Repeat("b", columns)}}
	for range rows - 2 {
		p.Rows = append(p.Rows, strings.Repeat(".", columns))
	}
	p.Rows = append(p.Rows, strings.Repeat("w", columns))
	return p.board(p.solver(1 << 16))
}

// The figures were computed by another program and by open_spiel.
func TestPawnRace(t *testing.T) {
	for _, c := range []struct {
		kind                     string
		columns, rows, positions int
		worth                    float64
		why                      string
	}{
		{"hexapawn", 3, 3, 0, 0, "the second player wins"},
		{"hexapawn", 4, 4, 0, 1, "the first player wins"},
		{"breakthrough", 3, 4, 5_363, 1, "the first player wins"},
		{"breakthrough", 3, 5, 29_730, 1, "the first player wins"},
	} {
		start := pawnStart(c.kind, c.columns, c.rows)
		brute := newSolver[pawnSets]("optimal")
		reach[pawnSets](start, func(b board[pawnSets]) {
			worth, _ := b.known()
			if want := brute.best(plain[pawnSets]{b}); worth != want {
				t.Fatalf("%s\nis worth %v, by brute force %v", b.show(), worth, want)
			}
		})
		positions := unfinished(start)
		if worth, _ := start.known(); worth != c.worth || c.positions > 0 && positions != c.positions {
			t.Errorf("%s of %d by %d is worth %v to the first player, and there are %d positions; want %v, since %s, and %d",
				c.kind, c.columns, c.rows, worth, positions, c.worth, c.why, c.positions)
		}
	}
}

// unfinished counts the positions, with the colours as they are, that are not over.
func unfinished(start *pawns) (count int) {
	seen := map[pawns]bool{*start: true}
	for todo := []*pawns{start}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !b.over() {
			count++
		}
		for _, m := range b.moves() {
			if next := m.next.(*pawns); !seen[*next] {
				seen[*next] = true
				todo = append(todo, next)
			}
		}
	}
	return count
}

func TestEndsOfPawnRace(t *testing.T) {
	for _, c := range []struct {
		rows  string
		black bool
		over  bool
		why   string
	}{
		{"b.. w.. ...", false, true, "White has no move"},
		{"b.. w.. ...", true, true, "Black has no move"},
		{"b.. w.. ..b", false, true, "a pawn of Black's is on its last row"},
		{"b.. .w. ...", true, false, "Black can take"},
		{"... .w. ...", true, true, "Black has no pawn"},
	} {
		p := pawnRows{Kind: "hexapawn", Rows: strings.Fields(c.rows), Black: c.black}
		if b := p.board(p.solver(1)); b.over() != c.over || b.over() != (len(b.moves()) == 0) {
			t.Errorf("%s, Black to move %v: over is %v, want %v: %s", c.rows, c.black, b.over(), c.over, c.why)
		}
	}
}
