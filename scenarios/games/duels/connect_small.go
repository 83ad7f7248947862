package duels

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// connectSmall is Connect Four on small boards.
var connectSmall = games.Spec[connectParams, connect]{
	Name: "connect_small",
	Doc: "Drop discs into columns, and make a line of them before your opponent does. " +
		"Moves are measured by the exact value of every position against this opponent.",
	Source:  "Connect Four and its kin on small boards, of common knowledge; code and texts are our own.",
	Version: 2,
	Levels: []connectParams{
		{Columns: 4, Rows: 4, Line: 3, Discs: 2, Quiet: true, Opponent: "mixed:0.05"},
		{Columns: 4, Rows: 4, Line: 3, Discs: 3, Opponent: "optimal"},
		{Columns: 4, Rows: 4, Line: 4, Discs: 4, Quiet: true, Opponent: "optimal"},
		{Columns: 5, Rows: 4, Line: 4, Discs: 6, Quiet: true, Opponent: "optimal"},
		{Columns: 5, Rows: 5, Line: 4, Discs: 11, Quiet: true, Opponent: "optimal"},
		{Columns: 6, Rows: 5, Line: 4, Discs: 16, Quiet: true, Opponent: "optimal"},
	},
	Make:     makeConnect,
	Reward:   games.Value,
	Guess:    []float64{0.2488, 0.1274, 0.1857, 0.1091, 0.1019, 0.1164},
	Openings: []int{6, 8, 47, 626, 0, 0},
}

// connectParams are the parameters of a level.
type connectParams struct {
	Columns  int      `json:"columns" want:"3 to 6"`
	Rows     int      `json:"rows" want:"3 to 6"`
	Line     int      `json:"line"`
	Discs    int      `json:"discs"` // on the board in the beginning
	Quiet    bool     `json:"quiet"` // no move wins at once in the beginning
	Opponent opponent `json:"opponent"`
}

// Check refuses what no tag does.
func (p connectParams) Check() error {
	size := p.Columns * p.Rows
	free := 16 // squares, of which the solver takes care in milliseconds
	if p.Opponent != "optimal" {
		free = 14 // it looks at all positions
	}
	return cmp.Or(task.Within("line", p.Line, 3, max(p.Columns, p.Rows)), task.Within("discs", p.Discs, max(0, size-free), size-2), p.Opponent.Check())
}

// A connect is a board in the beginning.
type connect struct {
	Discs    []string `json:"discs"` // x and o, by column, from the bottom
	Rows     int      `json:"rows"`
	Line     int      `json:"line"`
	Opponent opponent `json:"opponent"`
}

// makeConnect draws a position, by random moves, in which not all moves are worth the same.
func makeConnect(p connectParams, r *rng.Rand) (connect, error) {
	const patience = 1000
	start := connect{Discs: make([]string, p.Columns), Rows: p.Rows, Line: p.Line, Opponent: p.Opponent}
	solver := start.solver(1 << 14)
	for range patience {
		b := start.board(solver)
		for range p.Discs {
			moves := b.moves()
			if len(moves) == 0 {
				break
			}
			b = rng.Pick(r, moves).next.(*discs)
		}
		if bits.OnesCount64(b.all) == p.Discs && b.suits(p.Quiet) {
			start.Discs = b.columns()
			return start, nil
		}
	}
	return connect{}, errors.New("in all positions of these parameters, all moves are worth the same")
}

// suits reports whether the moves are worth different things and, if wished, none wins at once.
func (b *discs) suits(quiet bool) bool {
	if b.over() || quiet && b.winning(b.mine, b.open(b.all)) != 0 {
		return false
	}
	return differ("optimal", b.moves())
}

// Check makes a record that is no position an error.
func (p connect) Check() error {
	text := strings.Join(p.Discs, "")
	x, o := strings.Count(text, "x"), strings.Count(text, "o")
	params := connectParams{Columns: len(p.Discs), Rows: p.Rows, Line: p.Line, Discs: len(text), Opponent: p.Opponent}
	if err := task.Check(params); err != nil {
		return err
	}
	for i, column := range p.Discs {
		if len(column) > p.Rows {
			return fmt.Errorf("column %d of the board has %d discs, want %d at most", i+1, len(column), p.Rows)
		}
	}
	if x+o != len(text) || x != o && x != o+1 {
		return fmt.Errorf("the board has %d x and %d o of %d discs; the players move in turn, x first", x, o, len(text))
	}
	b := p.board(p.solver(1))
	if b.line(b.mine) {
		return errors.New("the player to move has a line on the board already")
	}
	return nil
}

// board returns the position in the beginning.
func (p connect) board(s *connectSolver) *discs {
	b := &discs{connectSolver: s}
	var sets [2]uint64 // of x and o
	for column, text := range p.Discs {
		for row := range len(text) {
			sets[strings.IndexByte("xo", text[row])] |= 1 << (column*s.stride + row)
		}
	}
	b.all = sets[0] | sets[1]
	b.mine = sets[b.turn()]
	return b
}

// Rules implements [games.Start].
func (p connect) Rules(wording int) string { return p.RulesAt(0, wording) + p.Opponent.told() }

// RulesAt implements [games.Sided].
func (p connect) RulesAt(seat, wording int) string {
	mark := string("xo"[(len(strings.Join(p.Discs, ""))+seat)%2])
	return fmt.Sprintf([]string{
		"Two players drop discs in turn into a board of %[1]d columns and %[2]d rows. A disc falls to the lowest free square of its column; a full column takes no more. " +
			"Whoever first has %[3]d discs of their own in a line wins; lines run across, upwards and along diagonals. A full board without a line is a draw. " +
			"A move is the letter of a column, such as b. Your discs are %[4]s.",
		"The board stands upright and has %[1]d columns and %[2]d rows. You and your opponent take turns and drop one disc into a column that is not full; it comes to rest on the disc below it, or at the bottom. " +
			"The first to get %[3]d of their discs in a line, across, up or diagonally, wins. If the board is full first, it is a draw. Name the column by its letter, such as b. You play %[4]s.",
		"You play with the discs %[4]s on an upright board with %[1]d columns and %[2]d rows. Each move drops one disc into a column with a free square, where it falls as far as it can. " +
			"You win with %[3]d of your discs in a line, horizontal, vertical or diagonal, and lose if your opponent has such a line first; no line on a full board means a draw. A move is a column, such as b.",
	}[wording], len(p.Discs), p.Rows, p.Line, mark)
}

// Example implements [games.Start].
func (p connect) Example() string { return "b" }

// Turns implements [games.Start]: as many moves as fit, and one fault.
func (p connect) Turns() int {
	return (len(p.Discs)*p.Rows-len(strings.Join(p.Discs, ""))+1)/2 + 1
}

// Canonical implements [games.Start]: a board and its mirror image are one.
func (p connect) Canonical() string {
	mirrored := slices.Clone(p.Discs)
	slices.Reverse(mirrored)
	return fmt.Sprint(min(strings.Join(p.Discs, "/"), strings.Join(mirrored, "/")), p.Rows, p.Line)
}

// Match implements [games.Start].
func (p connect) Match(luck games.Luck, tables *games.Tables) games.Match {
	board, solver := p.solved(tables)
	return newDuel(board, solver, luck)
}

// Sides implements [games.Sided].
func (p connect) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	p.Opponent = perfect
	board, solver := p.solved(tables)
	return &sides[uint64]{solver: solver, board: board}
}

// solved returns the first position, with what all matches of such boards share.
func (p connect) solved(tables *games.Tables) (board[uint64], *solver[uint64]) {
	type shared struct {
		*connectSolver
		*solver[uint64]
	}
	key := fmt.Sprint(len(p.Discs), p.Rows, p.Line, p.Opponent)
	of := games.Table(tables, key, func() shared { return shared{p.solver(1 << 17), newSolver[uint64](p.Opponent)} })
	return p.board(of.connectSolver), of.solver
}
