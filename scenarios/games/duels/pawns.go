package duels

import (
	"fmt"
	"math/bits"
	"strings"
)

// A pawnSolver knows the rules of a board of pawns, and who wins in its positions. A set of squares
// has a bit for each, row by row from the side of the player to move.
type pawnSolver struct {
	wide, rows int
	diagonal   bool   // pawns also move diagonally without taking
	left       uint32 // the squares of the first column
	last       uint32 // those of the last row
	seen       []won  // by a hash of the position
}

// A won is a position with its winner.
type won struct {
	pawnSets
	known, mine bool
}

// A pawnSets is a position: the pawns of the player to move, and the others.
type pawnSets struct{ mine, theirs uint32 }

// solver returns a solver that keeps so many positions, a power of 2.
func (p pawnRows) solver(keep int) *pawnSolver {
	s := &pawnSolver{wide: len(p.Rows[0]), rows: len(p.Rows), diagonal: p.Kind == "breakthrough", seen: make([]won, keep)}
	for row := range s.rows {
		s.left |= 1 << (row * s.wide)
	}
	s.last = (1<<s.wide - 1) << ((s.rows - 1) * s.wide)
	return s
}

// turned is a set seen from the other side.
func (s *pawnSolver) turned(set uint32) uint32 {
	return bits.Reverse32(set) >> (32 - s.wide*s.rows)
}

// targets are the squares to which pawns move, ahead and to the left and right of it.
func (s *pawnSolver) targets(at pawnSets) [3]uint32 {
	right := s.left << (s.wide - 1)
	free := ^(at.mine | at.theirs)
	beside := at.theirs
	if s.diagonal {
		beside |= free
	}
	return [3]uint32{
		at.mine << s.wide & free,
		at.mine &^ s.left << (s.wide - 1) & beside,
		at.mine &^ right << (s.wide + 1) & beside,
	}
}

// offset is how far a move goes, ahead, to the left or to the right.
func (s *pawnSolver) offset(way int) int { return s.wide + [3]int{0, -1, 1}[way] }

// after is the position after a move to a square, seen from the other side.
func (s *pawnSolver) after(at pawnSets, to, way int) pawnSets {
	mine := at.mine&^(1<<(to-s.offset(way))) | 1<<to
	return pawnSets{s.turned(at.theirs &^ (1 << to)), s.turned(mine)}
}

// lost reports whether the player to move has lost.
func (s *pawnSolver) lost(at pawnSets) bool {
	first := uint32(1)<<s.wide - 1
	return at.theirs&first != 0 || s.targets(at) == [3]uint32{}
}

// wins reports whether the player to move wins, in a game that is not over.
func (s *pawnSolver) wins(at pawnSets) bool {
	targets := s.targets(at)
	if (targets[0]|targets[1]|targets[2])&s.last != 0 {
		return true
	}
	place := &s.seen[(uint64(at.mine)<<32|uint64(at.theirs))*0x9e3779b97f4a7c15>>32&uint64(len(s.seen)-1)]
	if place.known && place.pawnSets == at {
		return place.mine
	}
	mine := false
	for way, squares := range targets {
		for ; squares != 0 && !mine; squares &= squares - 1 {
			next := s.after(at, bits.TrailingZeros32(squares), way)
			mine = s.lost(next) || !s.wins(next)
		}
	}
	*place = won{at, true, mine}
	return mine
}

// pawns are a position.
type pawns struct {
	*pawnSolver
	pawnSets
	black bool // Black is to move
}

// key implements [board].
func (b *pawns) key() pawnSets { return b.pawnSets }

// over implements [board].
func (b *pawns) over() bool { return b.lost(b.pawnSets) }

// moves implements [board].
func (b *pawns) moves() (all []move[pawnSets]) {
	if b.over() {
		return nil
	}
	for way, squares := range b.targets(b.pawnSets) {
		for ; squares != 0; squares &= squares - 1 {
			to := bits.TrailingZeros32(squares)
			takes := int8(b.theirs >> to & 1)
			all = append(all, move[pawnSets]{[3]int8{int8(to - b.offset(way)), int8(to), takes}, &pawns{b.pawnSolver, b.after(b.pawnSets, to, way), !b.black}})
		}
	}
	return all
}

// name implements [board].
func (b *pawns) name(how [3]int8) string {
	return b.square(int(how[0])) + [2]string{"-", "x"}[how[2]] + b.square(int(how[1]))
}

// square names a square.
func (b *pawns) square(at int) string {
	if b.black {
		at = b.wide*b.rows - 1 - at
	}
	return fmt.Sprintf("%c%d", 'a'+at%b.wide, at/b.wide+1)
}

// worth implements [board].
func (b *pawns) worth() float64 { return 0 }

// known implements [board].
func (b *pawns) known() (float64, bool) {
	if b.over() || !b.wins(b.pawnSets) {
		return 0, true
	}
	return 1, true
}

// read implements [board].
func (b *pawns) read(text string) (m move[pawnSets], why string) {
	for _, m := range b.moves() {
		if b.name(m.how) == text {
			return m, ""
		}
	}
	from, to, takes := strings.Cut(text, "x")
	if !takes {
		from, to, _ = strings.Cut(text, "-")
	}
	at, onBoard := b.named(from)
	goal, too := b.named(to)
	switch {
	case !onBoard || !too:
		return m, fmt.Sprintf("%q does not name two squares of the board, as b2-b3 does", text)
	case b.mine>>at&1 == 0:
		return m, "you have no pawn on " + from
	case takes != (b.theirs>>goal&1 == 1):
		return m, "x is for a move that takes a pawn, and - for one to a free square"
	}
	return m, fmt.Sprintf("your pawn on %s may not go to %s", from, to)
}

// named returns the square of a name.
func (b *pawns) named(name string) (at int, onBoard bool) {
	for at := range b.wide * b.rows {
		if b.square(at) == name {
			return at, true
		}
	}
	return 0, false
}

// asWhite is the same position with White to move.
func (b *pawns) asWhite() *pawns { return &pawns{b.pawnSolver, b.pawnSets, false} }

// lines are the rows of the board, the last one of White first.
func (b *pawns) lines() (rows []string) {
	white, black := b.mine, b.theirs
	if b.black {
		white, black = b.turned(b.theirs), b.turned(b.mine)
	}
	for row := b.rows - 1; row >= 0; row-- {
		var line []byte
		for at := row * b.wide; at < (row+1)*b.wide; at++ {
			switch {
			case white>>at&1 == 1:
				line = append(line, 'w')
			case black>>at&1 == 1:
				line = append(line, 'b')
			default:
				line = append(line, '.')
			}
		}
		rows = append(rows, string(line))
	}
	return rows
}

// show implements [board].
func (b *pawns) show() string {
	var s strings.Builder
	s.WriteString("```")
	for i, row := range b.lines() {
		fmt.Fprintf(&s, "\n%d %s", b.rows-i, strings.Join(strings.Split(row, ""), " "))
	}
	s.WriteString("\n ")
	for column := range b.wide {
		fmt.Fprintf(&s, " %c", 'a'+column)
	}
	s.WriteString("\n```")
	return s.String()
}
