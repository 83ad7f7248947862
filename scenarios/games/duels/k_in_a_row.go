package duels

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// kInARow is tic-tac-toe and its kin.
var kInARow = games.Spec[rowParams, row]{
	Name: "k_in_a_row",
	Doc: "Put marks on a board, and make a line of them before your opponent does; or never make one, or use either mark. " +
		"Moves are measured by the exact value of every position against this opponent.",
	Source:  "Tic-tac-toe and m,n,k-games, of common knowledge; code and texts are our own.",
	Version: 2,
	Levels: []rowParams{
		{Columns: 3, Rows: 3, Line: 3, Kind: "normal", Marks: 2, Opponent: "mixed:0.4"},
		{Columns: 3, Rows: 3, Line: 3, Kind: "normal", Marks: 1, Opponent: "mixed:0.1"},
		{Columns: 3, Rows: 3, Line: 3, Kind: "misère", Marks: 2, Opponent: "optimal"},
		{Columns: 4, Rows: 3, Line: 3, Kind: "normal", Marks: 3, Opponent: "optimal"},
		{Columns: 3, Rows: 3, Line: 3, Kind: "wild", Marks: 2, Opponent: "optimal"},
		{Columns: 4, Rows: 4, Line: 4, Kind: "normal", Marks: 7, Opponent: "optimal"},
	},
	Make:     makeRow,
	Reward:   games.Value,
	Guess:    []float64{0.4599, 0.1634, 0.0264, 0.0544, 0.0499, 0.1116},
	Constant: []float64{0, 0, 0, 0, 0.06, 0.01},
	Openings: []int{12, 3, 8, 91, 16, 0},
}

// rowParams are the parameters of a level.
type rowParams struct {
	Columns  int      `json:"columns" want:"2 to 4"`
	Rows     int      `json:"rows" want:"2 to 4"`
	Line     int      `json:"line"`
	Kind     string   `json:"kind" oneof:"normal misère wild"` // normal: a line wins; misère: a line loses; wild: a line wins, of either mark
	Marks    int      `json:"marks"`                           // on the board in the beginning
	Opponent opponent `json:"opponent"`
}

// Check refuses what no tag does.
func (p rowParams) Check() error {
	size := p.Columns * p.Rows
	return cmp.Or(task.Within("line", p.Line, 3, max(p.Columns, p.Rows)), task.Within("marks", p.Marks, max(0, size-10), size-2), p.Opponent.Check())
}

// A row is a board in the beginning. X and O are sets of squares, a bit each, row by row.
type row struct {
	X        uint16   `json:"x"`
	O        uint16   `json:"o"`
	Columns  int      `json:"columns"`
	Rows     int      `json:"rows"`
	Line     int      `json:"line"`
	Kind     string   `json:"kind"`
	Opponent opponent `json:"opponent"`
}

// makeRow draws a position, by random moves, in which not all moves are worth the same.
func makeRow(p rowParams, r *rng.Rand) (row, error) {
	const patience = 1000
	for range patience {
		start := row{Columns: p.Columns, Rows: p.Rows, Line: p.Line, Kind: p.Kind, Opponent: p.Opponent}
		b := start.board()
		for range p.Marks {
			moves := b.moves()
			if len(moves) == 0 {
				break
			}
			b = rng.Pick(r, moves).next
		}
		moves, at := b.moves(), b.key()
		if start.X, start.O = at.x, at.o; len(moves) > 0 && bits.OnesCount16(at.x|at.o) == p.Marks && differ(p.Opponent, moves) {
			return start, nil
		}
	}
	return row{}, errors.New("in all positions of these parameters, all moves are worth the same")
}

// Check makes a record that is no position an error.
func (p row) Check() error {
	marks := bits.OnesCount16(p.X | p.O)
	if err := task.Check(rowParams{Columns: p.Columns, Rows: p.Rows, Line: p.Line, Kind: p.Kind, Marks: marks, Opponent: p.Opponent}); err != nil {
		return err
	}
	if p.X&p.O != 0 || int(p.X|p.O)>>(p.Columns*p.Rows) != 0 {
		return errors.New("x and o are no marks on the board")
	}
	return nil
}

// differ reports whether some moves are worth more than others, and one is worth something.
func differ[S comparable](o opponent, moves []move[S]) bool {
	s := newSolver[S](o)
	low, high := 1.0, 0.0
	for _, m := range moves {
		worth := s.after(m)
		low, high = min(low, worth), max(high, worth)
	}
	return low < high
}

// board returns the position in the beginning.
func (p row) board() board[pair] {
	rules := &lines{columns: p.Columns, rows: p.Rows, kind: p.Kind}
	for at := range p.Columns * p.Rows {
		for _, step := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
			if line := rules.from(at, step, p.Line); line != 0 {
				rules.all = append(rules.all, line)
			}
		}
	}
	return &marks{lines: rules, x: p.X, o: p.O}
}

// Rules implements [games.Start].
func (p row) Rules(wording int) string { return p.rules(0, wording) + p.Opponent.told() }

// rules tells the rules to a seat: that which moves first, 0, or the other.
func (p row) rules(seat, wording int) string {
	goal := map[string][3]string{
		"normal": {
			"Whoever has %d of their marks in a line wins", "The first to get %d marks of their own in a line wins", "You win with a line of %d of your marks, and lose if your opponent has one",
		},
		"misère": {
			"Whoever has %d of their marks in a line loses", "The first to get %d marks of their own in a line has lost", "Avoid lines: a player with %d of their marks in a line loses",
		},
		"wild": {
			"Each move may place an x or an o, and whoever completes a line of %d equal marks wins", "Both players may use both marks; the one who completes a line of %d equal marks wins",
			"You may place either mark in each move. Who completes %d equal marks in a line, whoever placed them, wins",
		},
	}[p.Kind][wording]
	return fmt.Sprintf([]string{
		"Two players put marks on a board of %d columns and %d rows in turn, each on a free square. %s; lines run across, down and along diagonals. A full board without a line is a draw.%s",
		"On a board with %d columns and %d rows, you and your opponent mark one free square in turn. %s, across, down or diagonally. If the board is full first, it is a draw.%s",
		"The board has %d columns and %d rows. Players take turns and mark a free square each time. %s; a line may be horizontal, vertical or diagonal. No line on a full board means a draw.%s",
	}[wording], p.Columns, p.Rows, fmt.Sprintf(goal, p.Line), p.spelling(seat))
}

// spelling tells how a square is named, and what the seat plays.
func (p row) spelling(seat int) string {
	if p.Kind == "wild" {
		return " A move is a mark and a square, such as x b2: column b, row 2."
	}
	return fmt.Sprintf(" A move is a square, such as b2: column b, row 2. You play %s.", string("xo"[(p.turn()+seat)%2]))
}

// Example implements [games.Start].
func (p row) Example() string {
	if p.Kind == "wild" {
		return "x b2"
	}
	return "b2"
}

// Turns implements [games.Start]: as many moves as fit, and one fault.
func (p row) Turns() int { return (p.Columns*p.Rows-bits.OnesCount16(p.X|p.O)+1)/2 + 1 }

// turn is 0 if x is to move, 1 if o.
func (p row) turn() int { return bits.OnesCount16(p.X|p.O) % 2 }

// Canonical implements [games.Start].
func (p row) Canonical() string {
	return fmt.Sprint(p.least(), p.Columns, p.Rows, p.Line, p.Kind)
}

// least is the least of the position's images under the symmetries of the board; with either mark
// for both players, also under exchange of the marks.
func (p row) least() pair {
	least := pair{p.X, p.O}
	for _, image := range p.images() {
		x, o := p.seen(p.X, image), p.seen(p.O, image)
		if p.Kind == "wild" && o < x {
			x, o = o, x
		}
		if x < least.x || x == least.x && o < least.o {
			least = pair{x, o}
		}
	}
	return least
}

// Match implements [games.Start].
func (p row) Match(luck games.Luck, tables *games.Tables) games.Match {
	return newDuel(p.board(), p.solver(tables), luck)
}

// solver returns the solver against the opponent.
func (p row) solver(tables *games.Tables) *solver[pair] {
	of := p
	if p.Columns*p.Rows <= 12 { // one table for all positions of such a board
		of.X, of.O = 0, 0
	}
	return games.Table(tables, of, func() *solver[pair] { return newSolver[pair](p.Opponent) })
}

// lines are the rules of a board.
type lines struct {
	columns, rows int
	kind          string
	all           []uint16
}

// from is the line of n squares from a square in a direction; 0: it leaves the board.
func (l *lines) from(at int, step [2]int, n int) (set uint16) {
	column, row := at%l.columns, at/l.columns
	for range n {
		if column < 0 || column >= l.columns || row >= l.rows {
			return 0
		}
		set |= 1 << (row*l.columns + column)
		column, row = column+step[0], row+step[1]
	}
	return set
}

// has reports whether a set holds a line.
func (l *lines) has(set uint16) bool {
	for _, line := range l.all {
		if set&line == line {
			return true
		}
	}
	return false
}

// marks are a position.
type marks struct {
	*lines
	x, o uint16
}

// A pair is a position without its rules.
type pair struct{ x, o uint16 }

// key implements [board].
func (b *marks) key() pair { return pair{b.x, b.o} }

// turn is 0 if x is to move, 1 if o.
func (b *marks) turn() int { return bits.OnesCount16(b.x|b.o) % 2 }

// images are the symmetries of the board: mirrors, and turns if it is square.
func (p row) images() []func(column, row int) (int, int) {
	right, down := p.Columns-1, p.Rows-1
	all := []func(column, row int) (int, int){
		func(c, r int) (int, int) { return c, r },
		func(c, r int) (int, int) { return right - c, r },
		func(c, r int) (int, int) { return c, down - r },
		func(c, r int) (int, int) { return right - c, down - r },
	}
	if p.Columns == p.Rows {
		for _, f := range all[:4:4] {
			all = append(all, func(c, r int) (int, int) { return f(r, c) })
		}
	}
	return all
}

// seen is a set under a symmetry.
func (p row) seen(set uint16, image func(column, row int) (int, int)) (out uint16) {
	for ; set != 0; set &= set - 1 {
		at := bits.TrailingZeros16(set)
		column, row := image(at%p.Columns, at/p.Columns)
		out |= 1 << (row*p.Columns + column)
	}
	return out
}

// line reports whether there is a line.
func (b *marks) line() bool { return b.has(b.x) || b.has(b.o) }

// over implements [board].
func (b *marks) over() bool { return b.free() == 0 || b.line() }

// free are the free squares.
func (b *marks) free() uint16 { return (1<<(b.columns*b.rows) - 1) &^ (b.x | b.o) }

// moves implements [board].
func (b *marks) moves() (all []move[pair]) {
	if b.line() {
		return nil
	}
	for free := b.free(); free != 0; free &= free - 1 {
		at := int8(bits.TrailingZeros16(free))
		if b.kind == "wild" {
			all = append(all, b.put(at, 0), b.put(at, 1))
		} else {
			all = append(all, b.put(at, int8(b.turn())))
		}
	}
	return all
}

// put is the move that puts a mark, 0 for x and 1 for o, on a square.
func (b *marks) put(at, mark int8) move[pair] {
	next := *b
	if mark == 0 {
		next.x |= 1 << at
	} else {
		next.o |= 1 << at
	}
	return move[pair]{[3]int8{at, mark}, &next}
}

// name implements [board].
func (b *marks) name(how [3]int8) string {
	square := string('a'+rune(int(how[0])%b.columns)) + string('1'+rune(int(how[0])/b.columns))
	if b.kind == "wild" {
		return string("xo"[how[1]]) + " " + square
	}
	return square
}

// worth implements [board]: the player who would move did not complete the line.
func (b *marks) worth() float64 {
	switch {
	case !b.line():
		return 0.5
	case b.kind == "misère":
		return 1
	}
	return 0
}

// known implements [board].
func (b *marks) known() (float64, bool) { return 0, false }

// read implements [board].
func (b *marks) read(text string) (m move[pair], why string) {
	for _, m := range b.moves() {
		if b.name(m.how) == text {
			return m, ""
		}
	}
	square := text
	if b.kind == "wild" {
		mark, rest, ok := strings.Cut(text, " ")
		if !ok || mark != "x" && mark != "o" {
			return m, fmt.Sprintf("%q is no mark with a square, such as x b2", text)
		}
		square = rest
	}
	if len(square) == 2 && int(square[0]-'a') < b.columns && square[0] >= 'a' && square[1] >= '1' && int(square[1]-'1') < b.rows {
		return m, "the square " + square + " is taken"
	}
	return m, fmt.Sprintf("%q is no square of the board", square)
}

// show implements [board].
func (b *marks) show() string {
	var s strings.Builder
	s.WriteString("```\n ")
	for column := range b.columns {
		fmt.Fprintf(&s, " %c", 'a'+column)
	}
	for at := range b.columns * b.rows {
		if at%b.columns == 0 {
			fmt.Fprintf(&s, "\n%d", at/b.columns+1)
		}
		mark := "."
		switch {
		case b.x>>at&1 == 1:
			mark = "x"
		case b.o>>at&1 == 1:
			mark = "o"
		}
		s.WriteString(" " + mark)
	}
	s.WriteString("\n```")
	return s.String()
}
