package duels

import (
	"math/bits"
	"sync"
)

// mates are the distances to mate in the positions of an ending: in plies and one more, if White
// forces mate; otherwise never, or 0 where White is to move.
type mates struct {
	white []uint8 // by [fold.index], White to move
	black []uint8 // Black to move
}

// never marks positions that do not occur, and those in which Black is not to be mated.
const never = 255

// A library holds the distances of endings by name. They are worked out on first use, in a second for
// KQKR and for KBBK, and take 11 MB in all.
type library map[string]func() *mates

var (
	queenMates = sync.OnceValue(func() *mates { return solveEnding("KQK", nil) })
	rookMates  = sync.OnceValue(func() *mates { return solveEnding("KRK", nil) })
	allMates   = library{
		"KQK":  queenMates,
		"KRK":  rookMates,
		"KPK":  sync.OnceValue(func() *mates { return solveEnding("KPK", library{"KQK": queenMates, "KRK": rookMates}) }),
		"KBBK": sync.OnceValue(func() *mates { return solveEnding("KBBK", nil) }),
		"KQKR": sync.OnceValue(func() *mates { return solveEnding("KQKR", library{"KQK": queenMates}) }),
	}
)

// plies is how many plies White needs to mate, if it forces mate.
func (c *chess) plies(of library) (n int, forced bool) {
	if c.ending == nil {
		return 0, false
	}
	table := of[c.name]()
	kept := table.white
	if c.black {
		kept = table.black
	}
	n = int(kept[c.index()])
	return n - 1, n != 0 && n != never
}

// triangle numbers the squares a1, b1, c1, d1, b2, c2, d2, c3, d3 and d4, to one of which a symmetry
// of the board takes each square.
var triangle = [64]int{0: 0, 1: 1, 2: 2, 3: 3, 9: 4, 10: 5, 11: 6, 18: 7, 19: 8, 27: 9}

// folded is the position under the symmetry that takes White's king to the triangle. Pawns allow
// none.
func (c *chess) folded() [mostMen]int8 {
	at := c.at
	if c.pawns {
		return at
	}
	king := at[whiteKing]
	flip := int8(0)
	if king&7 > 3 {
		flip ^= 7
	}
	if king>>3 > 3 {
		flip ^= 56
	}
	king ^= flip
	swap := king>>3 > king&7
	for i := range c.men {
		at[i] ^= flip
		if swap {
			at[i] = at[i]>>3 | at[i]&7<<3
		}
	}
	return at
}

// index is the place of a position in the tables of its ending.
func (c *chess) index() int {
	at := c.folded()
	n := triangle[at[whiteKing]]
	if c.pawns {
		n = int(at[whiteKing])
	}
	for i := 1; i < len(c.men); i++ {
		n = n<<6 | int(at[i])
	}
	return n
}

// size is the number of places.
func (e *ending) size() int {
	kings := 10
	if e.pawns {
		kings = 64
	}
	return kings << (6 * (len(e.men) - 1))
}

// place is the position at a place; its men may stand anywhere.
func (e *ending) place(index int, black bool) chess {
	c := chess{ending: e, black: black}
	for i := len(e.men) - 1; i > 0; i-- {
		c.at[i], index = int8(index&63), index>>6
	}
	c.at[whiteKing] = int8(index)
	for at, n := range triangle {
		if n == index && !e.pawns && (n > 0 || at == 0) {
			c.at[whiteKing] = int8(at)
		}
	}
	return c
}

// An endingSolver works backwards from the mates.
type endingSolver struct {
	*mates
	ending *ending
	lines  *geometry
	less   library    // of the endings that a capture or a promotion leads to
	left   []uint8    // by position of Black: moves that are not known to lose
	later  [128][]int // by plies: positions of White that a capture or a promotion wins
}

// solveEnding works out an ending, after those it leads to.
func solveEnding(name string, less library) *mates {
	e := endings[name]
	s := &endingSolver{
		ending: e, lines: chessLines(), less: less, left: make([]uint8, e.size()),
		mates: &mates{make([]uint8, e.size()), make([]uint8, e.size())},
	}
	mated := s.begin()
	for plies := 0; len(mated) > 0 || s.any(plies); plies += 2 {
		mated = s.beforeBlack(s.beforeWhite(mated, plies+1), plies+2)
	}
	return s.mates
}

// any reports whether positions wait that are won in more plies.
func (s *endingSolver) any(plies int) bool {
	for _, later := range s.later[min(plies, len(s.later)):] {
		if len(later) > 0 {
			return true
		}
	}
	return false
}

// begin marks the positions that do not occur, counts Black's moves, and returns the mates.
func (s *endingSolver) begin() (mated []int) {
	for index := range s.white {
		c := s.ending.place(index, false)
		s.white[index], s.black[index] = never, never
		if s.spread(&c) && !s.adjacent(&c) {
			if s.mark(&c, index) {
				mated = append(mated, index)
			}
		}
	}
	return mated
}

// spread reports whether the men stand on different squares, and pawns where pawns stand.
func (s *endingSolver) spread(c *chess) bool {
	return bits.OnesCount64(c.taken()) == len(c.men) && (!c.pawns || c.at[2] >= 8 && c.at[2] < 56)
}

func (s *endingSolver) adjacent(c *chess) bool {
	return s.lines.kings[c.at[whiteKing]]>>c.at[blackKing]&1 == 1
}

// mark begins with the positions of a placement, with either side to move, and reports whether
// Black is mated.
func (s *endingSolver) mark(c *chess, index int) (mated bool) {
	check := c.checked(true)
	if !check {
		s.white[index] = 0
		s.wait(c, index)
	}
	if c.checked(false) {
		return false
	}
	b := *c
	b.black = true
	moves, takes := b.count()
	if takes {
		return false // White would have too little left
	}
	s.left[index] = uint8(moves)
	if moves > 0 {
		s.black[index] = 0
	} else if check {
		s.black[index] = 1
	}
	return moves == 0 && check
}

// count is the number of legal moves of Black; takes reports that one takes a man, and the rest is not
// counted.
func (c *chess) count() (moves int, takes bool) {
	aligned := c.aligned()
	for i, m := range c.men {
		if !m.black {
			continue
		}
		set := c.reached(i)
		if m.kind != 'K' && !aligned {
			if set&c.taken() != 0 {
				return moves, true
			}
			moves += bits.OnesCount64(set)
			continue
		}
		for ; set != 0; set &= set - 1 {
			mv := chessMove{man: int8(i), to: int8(bits.TrailingZeros64(set))}
			switch {
			case c.exposes(mv):
			case c.takes(mv) >= 0:
				return moves, true
			default:
				moves++
			}
		}
	}
	return moves, false
}

// aligned reports whether a man of White is on a line with Black's king: only then may a move of
// another man expose the king.
func (c *chess) aligned() bool {
	lines := chessLines()
	for i, m := range c.men {
		if !m.black && m.kind != 'K' && lines.line[c.at[i]][c.at[blackKing]] != noLine {
			return true
		}
	}
	return false
}

// wait notes a position of White in which a capture or a promotion mates in the end.
func (s *endingSolver) wait(c *chess, index int) {
	if len(s.less) == 0 {
		return
	}
	soonest := len(s.later)
	for _, i := range []int8{whiteKing, 2} {
		for set := c.reached(int(i)) & s.goals(c); set != 0; set &= set - 1 {
			soonest = min(soonest, s.soonest(c, chessMove{man: i, to: int8(bits.TrailingZeros64(set))}))
		}
	}
	if soonest < len(s.later) {
		s.later[soonest] = append(s.later[soonest], index)
	}
}

// soonest is the plies to mate by a move that takes a man or promotes a pawn.
func (s *endingSolver) soonest(c *chess, mv chessMove) int {
	soonest := len(s.later)
	if c.exposes(mv) {
		return soonest
	}
	for _, mv := range mv.promotions(c.men[mv.man]) {
		next := c.after(mv)
		if next.ending == c.ending {
			continue // the king only went to the last rank
		}
		if n, forced := next.plies(s.less); forced {
			soonest = min(soonest, n+1)
		}
	}
	return soonest
}

// goals are the squares where White takes a man or promotes a pawn.
func (s *endingSolver) goals(c *chess) uint64 {
	if c.pawns {
		return 0xff << 56 &^ (1 << c.at[blackKing])
	}
	return 1 << c.at[len(c.men)-1]
}

// beforeWhite marks and returns the positions in which White wins in so many plies.
func (s *endingSolver) beforeWhite(mated []int, plies int) (won []int) {
	mark := func(index int) {
		if s.white[index] == 0 {
			s.white[index] = uint8(plies + 1)
			won = append(won, index)
		}
	}
	for _, index := range mated {
		s.back(index, false, mark)
	}
	if plies < len(s.later) {
		for _, index := range s.later[plies] {
			mark(index)
		}
		s.later[plies] = nil
	}
	return won
}

// beforeBlack marks and returns the positions in which Black is mated in so many plies.
func (s *endingSolver) beforeBlack(won []int, plies int) (mated []int) {
	for _, index := range won {
		s.back(index, true, func(before int) {
			if s.black[before] != 0 {
				return
			}
			if s.left[before]--; s.left[before] == 0 {
				s.black[before] = uint8(plies + 1)
				mated = append(mated, before)
			}
		})
	}
	return mated
}

// back visits the positions from which a move of a side, which takes nothing, leads to a position.
// Some may not occur.
func (s *endingSolver) back(index int, black bool, visit func(int)) {
	c := s.ending.place(index, black)
	taken := c.taken()
	for i, m := range c.men {
		if m.black != black {
			continue
		}
		shift := 6 * (len(c.men) - 1 - i)
		for set := s.origins(m.kind, c.at[i], taken); set != 0; set &= set - 1 {
			from := bits.TrailingZeros64(set)
			if i == whiteKing && !c.pawns {
				s.kingFrom(c, from, visit)
			} else {
				visit(index&^(63<<shift) | from<<shift)
			}
		}
	}
}

// kingFrom visits a position with White's king on a square. If a symmetry takes the king to the
// diagonal of the triangle, the mirror image of the position has a place too.
func (s *endingSolver) kingFrom(c chess, from int, visit func(int)) {
	c.at[whiteKing] = int8(from)
	visit(c.index())
	c.at = c.folded()
	if king := c.at[whiteKing]; king>>3 != king&7 {
		return
	}
	for i := range c.men {
		c.at[i] = c.at[i]>>3 | c.at[i]&7<<3
	}
	visit(c.index())
}

// origins are the squares that a man may have come from.
func (s *endingSolver) origins(kind byte, at int8, taken uint64) uint64 {
	if kind != 'P' {
		return s.lines.reach(kind, at, taken) &^ taken
	}
	if at < 16 {
		return 0
	}
	back := uint64(1) << (at - 8) &^ taken
	if at>>3 == 3 {
		back |= back >> 8 &^ taken
	}
	return back
}
