package duels

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// pawnRace is hexapawn and breakthrough.
var pawnRace = games.Spec[pawnParams, pawnRows]{
	Name: "pawn_race",
	Doc: "Bring a pawn to the last row before your opponent does, in hexapawn or breakthrough on small boards. " +
		"Moves are measured by the exact value of every position against this opponent.",
	Source:  "Gardner, hexapawn (1962); Troyka, breakthrough (2000), on small boards; code and texts are our own.",
	Version: 2,
	Levels: []pawnParams{
		{Kind: "hexapawn", Columns: 3, Rows: 4, Plies: 2, Opponent: "mixed:0.05"},
		{Kind: "hexapawn", Columns: 4, Rows: 4, Plies: 3, Opponent: "optimal"},
		{Kind: "breakthrough", Columns: 3, Rows: 4, Plies: 2, Opponent: "optimal"},
		{Kind: "breakthrough", Columns: 3, Rows: 5, Plies: 3, Opponent: "optimal"},
		{Kind: "breakthrough", Columns: 4, Rows: 5, Plies: 4, Opponent: "optimal"},
		{Kind: "breakthrough", Columns: 5, Rows: 5, Plies: 10, Opponent: "optimal"},
	},
	Make:     makePawns,
	Reward:   games.Value,
	Guess:    []float64{0.1741, 0.1111, 0.1260, 0.0442, 0.0405, 0.1478},
	Openings: []int{5, 19, 24, 67, 552, 0},
}

// pawnParams are the parameters of a level.
type pawnParams struct {
	Kind     string   `json:"kind" oneof:"hexapawn breakthrough"`
	Columns  int      `json:"columns" want:"3 to 5"`
	Rows     int      `json:"rows" want:"3 to 5"`
	Plies    int      `json:"plies" want:"1 to 20"` // random moves before the beginning, or one less
	Opponent opponent `json:"opponent"`
}

// Check refuses what no tag does.
func (p pawnParams) Check() error {
	size := p.Columns * p.Rows
	if p.Opponent != "optimal" && size > 12 {
		return fmt.Errorf("opponent is %s, want optimal: with %d squares there are too many positions", p.Opponent, size)
	}
	return p.Opponent.Check()
}

// A pawnRows is a board in the beginning.
type pawnRows struct {
	Kind     string   `json:"kind"`
	Rows     []string `json:"rows" want:"1 or more"` // w, b and dots, the last row of White first
	Black    bool     `json:"black"`
	Opponent opponent `json:"opponent"`
}

// makePawns draws a position, by random moves, in which not all moves are worth the same.
func makePawns(p pawnParams, r *rng.Rand) (pawnRows, error) {
	const patience = 1000
	start := pawnRows{Kind: p.Kind, Rows: slices.Repeat([]string{strings.Repeat(".", p.Columns)}, p.Rows), Opponent: p.Opponent}
	start.Rows[0], start.Rows[p.Rows-1] = strings.Repeat("b", p.Columns), strings.Repeat("w", p.Columns)
	solver := start.solver(1 << 14)
	for range patience {
		b := start.board(solver)
		for range p.Plies - r.Between(0, 1) {
			if moves := b.moves(); len(moves) > 0 {
				b = rng.Pick(r, moves).next.(*pawns)
			}
		}
		if !b.over() && differ("optimal", b.moves()) {
			start.Rows, start.Black = b.lines(), b.black
			return start, nil
		}
	}
	return pawnRows{}, errors.New("in all positions of these parameters, all moves are worth the same")
}

// Check makes a record that is no position an error.
func (p pawnRows) Check() error {
	params := pawnParams{Kind: p.Kind, Columns: len(p.Rows[0]), Rows: len(p.Rows), Plies: 1, Opponent: p.Opponent}
	if err := task.Check(params); err != nil {
		return err
	}
	for i, row := range p.Rows {
		if len(row) != params.Columns || strings.Trim(row, "wb.") != "" {
			return fmt.Errorf("row %d of the board is %q, want %d of w, b and dots", i+1, row, params.Columns)
		}
	}
	if p.board(p.solver(1)).over() {
		return errors.New("the game is over in the beginning")
	}
	return nil
}

// board returns the position in the beginning.
func (p pawnRows) board(s *pawnSolver) *pawns {
	b := &pawns{pawnSolver: s, black: p.Black}
	var white, black uint32
	for i, row := range p.Rows {
		for column, mark := range row {
			cell := uint32(1) << ((s.rows-1-i)*s.wide + column)
			switch mark {
			case 'w':
				white |= cell
			case 'b':
				black |= cell
			}
		}
	}
	b.mine, b.theirs = white, black
	if p.Black {
		b.mine, b.theirs = s.turned(black), s.turned(white)
	}
	return b
}

// Rules implements [games.Start].
func (p pawnRows) Rules(wording int) string { return p.RulesAt(0, wording) + p.Opponent.told() }

// RulesAt implements [games.Sided].
func (p pawnRows) RulesAt(seat, wording int) string {
	moves := []string{
		"A pawn moves one square straight ahead to a free square, or takes a pawn of the other side one square diagonally ahead.",
		"A pawn steps one square straight forward if that square is free, and captures one square diagonally forward.",
		"Pawns go straight ahead, one square at a time and only to a free square; they take one square diagonally ahead.",
	}[wording]
	if p.Kind == "breakthrough" {
		moves = []string{
			"A pawn moves one square ahead, straight or diagonally, to a free square; it takes a pawn of the other side only diagonally.",
			"A pawn steps one square forward to a free square, straight or diagonally, and captures one square diagonally forward, never straight.",
			"Pawns go one square ahead to a free square, straight or diagonally; they take diagonally ahead, but not straight.",
		}[wording]
	}
	side := map[bool]string{false: "You are White: your pawns are w and move up.", true: "You are Black: your pawns are b and move down."}[p.Black != (seat == 1)]
	return fmt.Sprintf([]string{
		"White and Black move pawns in turn on a board of %d columns and %d rows. %s You win when a pawn of yours reaches the last row, or when your opponent has no pawn or no move left. %s %s",
		"Two players, White and Black, have pawns on a board with %d columns and %d rows, and move one of them in each turn. %s Whoever brings a pawn to the far row wins; " +
			"a player who cannot move, or has no pawns, has lost. %s %s",
		"The board has %d columns and %d rows. White and Black take turns. %s The first pawn on the opposite row wins the game; it is also won if the other side has lost all pawns, or cannot move when it has to. %s %s",
	}[wording], len(p.Rows[0]), len(p.Rows), moves, side, "Write a move as b2-b3, and one that takes as b2xc3.")
}

// Example implements [games.Start].
func (p pawnRows) Example() string {
	if p.Black {
		return "b3-b2"
	}
	return "b2-b3"
}

// Turns implements [games.Start]: every move brings a pawn one row ahead; and there is one fault.
func (p pawnRows) Turns() int {
	steps := 0
	for i, row := range p.Rows {
		steps += strings.Count(row, "w")*i + strings.Count(row, "b")*(len(p.Rows)-1-i)
	}
	return (steps+1)/2 + 1
}

// Canonical implements [games.Start]: seen from the player to move, a board and its mirror image
// are one.
func (p pawnRows) Canonical() string {
	p.Rows, p.Black = p.board(p.solver(1)).asWhite().lines(), false
	mirrored := slices.Clone(p.Rows)
	for i, row := range p.Rows {
		letters := []byte(row)
		slices.Reverse(letters)
		mirrored[i] = string(letters)
	}
	return fmt.Sprint(min(strings.Join(p.Rows, "/"), strings.Join(mirrored, "/")), p.Kind)
}

// Match implements [games.Start].
func (p pawnRows) Match(luck games.Luck, tables *games.Tables) games.Match {
	board, solver := p.solved(tables)
	return newDuel(board, solver, luck)
}

// Sides implements [games.Sided].
func (p pawnRows) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	p.Opponent = perfect
	board, solver := p.solved(tables)
	return &sides[pawnSets]{solver: solver, board: board}
}

// solved returns the first position, with what all matches of such boards share.
func (p pawnRows) solved(tables *games.Tables) (board[pawnSets], *solver[pawnSets]) {
	type shared struct {
		*pawnSolver
		*solver[pawnSets]
	}
	key := fmt.Sprint(p.Kind, len(p.Rows[0]), len(p.Rows), p.Opponent)
	of := games.Table(tables, key, func() shared { return shared{p.solver(1 << 17), newSolver[pawnSets](p.Opponent)} })
	return p.board(of.pawnSolver), of.solver
}
