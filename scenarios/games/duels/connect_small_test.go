package duels

import (
	"testing"
)

func empty(columns, rows, line int) *discs {
	p := connect{Discs: make([]string, columns), Rows: rows, Line: line}
	return p.board(p.solver(1 << 16))
}

// A plain board is one whose solver knows nothing of the game but its rules.
type plain[S comparable] struct{ board[S] }

func (plain[S]) known() (float64, bool) { return 0, false }

func (b plain[S]) moves() (all []move[S]) {
	for _, m := range b.board.moves() {
		all = append(all, move[S]{m.how, plain[S]{m.next}})
	}
	return all
}

// reach calls visit with every position that play from a position reaches, once.
func reach[S comparable](from board[S], visit func(board[S])) {
	seen := map[S]bool{from.key(): true}
	for todo := []board[S]{from}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		visit(b)
		for _, m := range b.moves() {
			if !seen[m.next.key()] {
				seen[m.next.key()] = true
				todo = append(todo, m.next)
			}
		}
	}
}

// The figures were computed by another program and by open_spiel.
func TestConnectSmall(t *testing.T) {
	for _, c := range []struct {
		line, positions int
		worth           float64
		why             string
	}{
		{3, 23_930, 1, "the first player wins"},
		{4, 134_289, 0.5, "a draw"},
	} {
		start := empty(4, 4, c.line)
		if testing.Short() && c.line == 4 {
			continue
		}
		brute := newSolver[uint64]("optimal")
		positions := 0
		reach[uint64](start, func(b board[uint64]) {
			if !b.over() {
				positions++
			}
			worth, _ := b.known()
			if want := brute.best(plain[uint64]{b}); worth != want {
				t.Fatalf("%s\nis worth %v, by brute force %v", b.show(), worth, want)
			}
		})
		if worth, _ := start.known(); worth != c.worth || positions != c.positions {
			t.Errorf("a line of %d is worth %v to the first player, and there are %d positions; want %v, since %s, and %d", c.line, worth, positions, c.worth, c.why, c.positions)
		}
	}
}
