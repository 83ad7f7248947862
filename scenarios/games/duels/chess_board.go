package duels

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"
)

// An ending is a set of men: White, who has the king first listed, tries to mate Black.
type ending struct {
	name  string
	men   []man
	pawns bool
}

// A man is a piece or a pawn.
type man struct {
	kind  byte // K, Q, R, B or P
	black bool
}

// endings are those that are played, by name.
var endings = map[string]*ending{
	"KQK":  newEnding("KQK", "KkQ"),
	"KRK":  newEnding("KRK", "KkR"),
	"KPK":  newEnding("KPK", "KkP"),
	"KBBK": newEnding("KBBK", "KkBB"),
	"KQKR": newEnding("KQKR", "KkQr"),
}

// newEnding reads an ending: the men of White in upper case, the kings first.
func newEnding(name, men string) *ending {
	e := &ending{name: name}
	for _, letter := range []byte(men) {
		m := man{letter &^ 32, letter&32 != 0}
		e.men = append(e.men, m)
		e.pawns = e.pawns || m.kind == 'P'
	}
	return e
}

// mostMen is the most men of an ending.
const mostMen = 4

// White's king and Black's are the first men.
const (
	whiteKing = iota
	blackKing
)

// A chess is a position. Squares count from a1, along the ranks; those of absent men are 0.
type chess struct {
	*ending // nil: White has too little left to mate
	at      [mostMen]int8
	black   bool // Black is to move
}

// A chessMove is a move of a man.
type chessMove struct {
	man, to int8
	becomes byte // what a pawn becomes on the last rank, else 0
}

// A geometry knows the lines of the board.
type geometry struct {
	kings   [64]uint64
	rays    [8][64]uint64     // by direction; the last four are diagonals
	between [64][64]uint64    // the squares between two on a line
	line    [64][64]lineOfTwo // of two squares
}

// A lineOfTwo tells on which kind of line two squares are.
type lineOfTwo uint8

// The kinds of lines.
const (
	noLine lineOfTwo = iota
	straight
	diagonal
)

// chessLines returns the geometry of the board.
var chessLines = sync.OnceValue(func() *geometry {
	g := new(geometry)
	steps := [8][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}}
	for from := range 64 {
		for d, step := range steps {
			g.trace(from, d, step)
		}
	}
	return g
})

// trace follows a line from a square to the edge.
func (g *geometry) trace(from, d int, step [2]int) {
	file, rank := from%8+step[0], from/8+step[1]
	between := uint64(0)
	for file >= 0 && file < 8 && rank >= 0 && rank < 8 {
		to := rank*8 + file
		if between == 0 {
			g.kings[from] |= 1 << to
		}
		g.between[from][to] = between
		g.line[from][to] = straight + lineOfTwo(d/4)
		between |= 1 << to
		file, rank = file+step[0], rank+step[1]
	}
	g.rays[d][from] = between
}

// reach are the squares that a man reaches if some squares are taken; pawns only take there.
func (g *geometry) reach(kind byte, from int8, taken uint64) (set uint64) {
	first, last := 0, 8
	switch kind {
	case 'K':
		return g.kings[from]
	case 'P':
		return g.kings[from] & (0xff << (from/8*8 + 8)) &^ (1 << (from + 8))
	case 'R':
		last = 4
	case 'B':
		first = 4
	}
	for d := first; d < last; d++ {
		ray := g.rays[d][from]
		if hit := ray & taken; hit != 0 {
			nearest := bits.TrailingZeros64(hit)
			if ray < 1<<from { // it runs to lower squares
				nearest = 63 - bits.LeadingZeros64(hit)
			}
			ray &^= g.rays[d][nearest]
		}
		set |= ray
	}
	return set
}

// slides are the squares from which a queen, a rook or a bishop reaches one of some over empty squares.
// Some of them may not be empty.
func slides(kind byte, some, empty uint64) (set uint64) {
	const (
		notA = 0xfefefefefefefefe
		notH = 0x7f7f7f7f7f7f7f7f
		not1 = ^uint64(0xff)       // upwards
		not8 = ^uint64(0xff << 56) // downwards
	)
	if kind != 'B' {
		set = smear(some, empty, 8, not1) | smear(some, empty, -8, not8) | smear(some, empty, 1, notA) | smear(some, empty, -1, notH)
	}
	if kind != 'R' {
		set |= smear(some, empty, 9, notA&not1) | smear(some, empty, -9, notH&not8) | smear(some, empty, -7, notA&not8) | smear(some, empty, 7, notH&not1)
	}
	return set
}

// smear is where steps lead from some squares, within a mask, the last from an empty square.
func smear(some, empty uint64, step int, mask uint64) (set uint64) {
	for some != 0 {
		some = bits.RotateLeft64(some, step) & mask
		set |= some
		some &= empty
	}
	return set
}

// sees reports whether a man attacks a square.
func (g *geometry) sees(kind byte, from, to int8, taken uint64) bool {
	line := g.line[from][to]
	switch {
	case kind == 'K' || kind == 'P':
		return g.reach(kind, from, taken)>>to&1 == 1
	case line == noLine || kind == 'R' && line == diagonal || kind == 'B' && line == straight:
		return false
	}
	return g.between[from][to]&taken == 0
}

// taken are the squares with men.
func (c *chess) taken() (set uint64) {
	for i := range c.men {
		set |= 1 << c.at[i]
	}
	return set
}

// checked reports whether the king of a side is attacked.
func (c *chess) checked(black bool) bool {
	king, taken := c.at[whiteKing], c.taken()
	if black {
		king = c.at[blackKing]
	}
	for i, m := range c.men {
		if m.black != black && chessLines().sees(m.kind, c.at[i], king, taken) {
			return true
		}
	}
	return false
}

// sound reports whether the men stand on different squares, pawns not on the first or last rank, and
// the side that is not to move is not in check.
func (c *chess) sound() bool {
	for i, m := range c.men {
		if c.at[i] < 0 || c.at[i] > 63 || m.kind == 'P' && (c.at[i] < 8 || c.at[i] > 55) {
			return false
		}
	}
	return bits.OnesCount64(c.taken()) == len(c.men) && !c.checked(!c.black)
}

// reached are the squares to which the rules of its kind let a man move, check apart.
func (c *chess) reached(i int) uint64 {
	taken, own := c.taken(), uint64(0)
	for j, m := range c.men {
		if m.black == c.men[i].black {
			own |= 1 << c.at[j]
		}
	}
	if c.men[i].kind != 'P' {
		return chessLines().reach(c.men[i].kind, c.at[i], taken) &^ own
	}
	ahead := uint64(1) << (c.at[i] + 8) &^ taken // no pawn meets anything to take but a king
	if c.at[i] < 16 {
		ahead |= ahead << 8 &^ taken
	}
	return ahead
}

// moves lists the legal moves.
func (c *chess) moves() (all []chessMove) {
	for i, m := range c.men {
		if m.black != c.black {
			continue
		}
		for set := c.reached(i); set != 0; set &= set - 1 {
			mv := chessMove{man: int8(i), to: int8(bits.TrailingZeros64(set))}
			if !c.exposes(mv) {
				all = append(all, mv.promotions(m)...)
			}
		}
	}
	return all
}

// promotions lists a move once for each piece that the man may become.
func (mv chessMove) promotions(m man) (all []chessMove) {
	if m.kind != 'P' || mv.to < 56 {
		return []chessMove{mv}
	}
	for _, kind := range []byte("QRBN") {
		all = append(all, chessMove{mv.man, mv.to, kind})
	}
	return all
}

// exposes reports whether a move leaves the own king in check.
func (c *chess) exposes(mv chessMove) bool {
	king, taken := c.at[whiteKing], c.taken()&^(1<<c.at[mv.man])|1<<mv.to
	switch {
	case c.men[mv.man].kind == 'K':
		king = mv.to
	case c.black:
		king = c.at[blackKing]
	}
	lines := chessLines()
	for i, m := range c.men {
		if m.black != c.black && c.at[i] != mv.to && lines.sees(m.kind, c.at[i], king, taken) {
			return true
		}
	}
	return false
}

// takes is the man that a move takes; -1: none.
func (c *chess) takes(mv chessMove) int {
	for i := range c.men {
		if i != int(mv.man) && c.at[i] == mv.to {
			return i
		}
	}
	return -1
}

// after returns the position after a move.
func (c *chess) after(mv chessMove) chess {
	next := *c
	next.black = !c.black
	next.at[mv.man] = mv.to
	gone := c.takes(mv)
	switch {
	case mv.becomes != 0:
		next.ending = endings[fmt.Sprintf("K%cK", mv.becomes)] // nil for a bishop and a knight
	case gone >= 0 && c.black:
		next.ending = nil
	case gone >= 0: // the rook, the last man of KQKR
		next.ending = endings["KQK"]
		next.at[gone] = 0
	}
	return next
}

// chessSquare names a square.
func chessSquare(at int8) string { return string([]byte{byte('a' + at%8), byte('1' + at/8)}) }

// spell is a legal move in standard algebraic notation.
func (c *chess) spell(mv chessMove) string {
	text := c.spellPlain(mv)
	switch next := c.after(mv); {
	case next.ending == nil || !next.checked(next.black):
		return text
	case len(next.moves()) == 0:
		return text + "#"
	}
	return text + "+"
}

// spellPlain is a legal move in standard algebraic notation, without the sign for check or mate.
func (c *chess) spellPlain(mv chessMove) string {
	var s strings.Builder
	if kind := c.men[mv.man].kind; kind != 'P' {
		s.WriteByte(kind)
		for i, m := range c.men { // another bishop of the same colour
			if i != int(mv.man) && m == c.men[mv.man] && c.reached(i)>>mv.to&1 == 1 {
				s.WriteString(chessSquare(c.at[mv.man]))
			}
		}
	}
	if c.takes(mv) >= 0 {
		s.WriteByte('x')
	}
	s.WriteString(chessSquare(mv.to))
	if mv.becomes != 0 {
		s.WriteString("=" + string(mv.becomes))
	}
	return s.String()
}

// coordinates is a move as its two squares, as programs write it.
func (c *chess) coordinates(mv chessMove) string {
	text := chessSquare(c.at[mv.man]) + chessSquare(mv.to)
	if mv.becomes != 0 {
		text += strings.ToLower(string(mv.becomes))
	}
	return text
}

// letter is the letter of a man in a diagram.
func (m man) letter() byte {
	if m.black {
		return m.kind | 32
	}
	return m.kind
}

// ranks are the rows of the board, the last one of White first, with dots for free squares.
func (c *chess) ranks() [8][8]byte {
	var rows [8][8]byte
	for i := range rows {
		copy(rows[i][:], "........")
	}
	for i, m := range c.men {
		rows[7-c.at[i]/8][c.at[i]%8] = m.letter()
	}
	return rows
}

// fen is the position in Forsyth-Edwards notation.
func (c *chess) fen() string {
	var rows []string
	for _, row := range c.ranks() {
		text := string(row[:])
		for n := 8; n > 0; n-- {
			text = strings.ReplaceAll(text, strings.Repeat(".", n), fmt.Sprint(n))
		}
		rows = append(rows, text)
	}
	side := "w"
	if c.black {
		side = "b"
	}
	return strings.Join(rows, "/") + " " + side + " - - 0 1"
}
