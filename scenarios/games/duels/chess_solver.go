package duels

import "math/bits"

// An endingSolver works backwards from the mates. It solves the 64 positions at once that differ in
// the square of the last man only: they are a strip, and a set of them is a set of squares.
type endingSolver struct {
	*mates
	*ending
	lines *geometry
	less  library    // of the endings that a capture or a promotion leads to
	safe  []uint64   // by strip: positions of White that are not known to be won
	holds []uint64   // by strip: positions of Black that are not known to be lost
	fresh []uint64   // by strip: positions of Black that are lost in the plies that were looked at last
	later [128][]int // by plies: positions of White that a capture or a promotion wins
}

// solveEnding works out an ending, after those it leads to.
func solveEnding(name string, less library) *mates {
	e := endings[name]
	strips := e.size() / 64
	s := &endingSolver{
		ending: e, lines: chessLines(), less: less, mates: &mates{make([]uint8, e.size()), make([]uint8, e.size())},
		safe: make([]uint64, strips), holds: make([]uint64, strips), fresh: make([]uint64, strips),
	}
	for i := range s.white {
		s.white[i], s.black[i] = never, never
	}
	s.strips(s.begin)
	s.strips(s.beginBlack)
	for plies, more := 1, true; more; plies += 2 {
		s.strips(func(r strip) { s.whiteWins(r, plies) })
		s.wins(plies)
		more = s.waiting(plies)
		s.strips(func(r strip) { more = s.blackLoses(r, plies+1) || more })
	}
	return s.mates
}

// A strip is the positions with all men but the last on their squares.
type strip struct {
	index      int
	king, bare int8 // of White and of Black
	at         int8 // of the third of four men
	taken      uint64
}

// strips visits the strips in which the men stand on different squares, and the kings not side by side.
func (s *endingSolver) strips(visit func(strip)) {
	for index := range s.safe {
		r := strip{index: index}
		at := index
		if len(s.men) == 4 {
			r.at, at = int8(at&63), at>>6
			r.taken = 1 << r.at
		}
		r.bare, r.king = int8(at&63), int8(at>>6)
		if !s.pawns {
			r.king = corner[r.king]
		}
		kings := uint64(1)<<r.king | 1<<r.bare
		if r.king != r.bare && s.lines.kings[r.king]>>r.bare&1 == 0 && r.taken&kings == 0 {
			r.taken |= kings
			visit(r)
		}
	}
}

// last is the last man.
func (e *ending) last() man { return e.men[len(e.men)-1] }

// third is the third of four men, who is White's, or no man.
func (e *ending) third() man {
	if len(e.men) == 4 {
		return e.men[2]
	}
	return man{}
}

// begin finds the positions of a strip with White to move, and those that a capture or a promotion wins.
func (s *endingSolver) begin(r strip) {
	s.safe[r.index] = s.room(r) &^ s.checks(r)
	s.mark(s.white, r, s.safe[r.index], 0)
	switch {
	case s.pawns:
		s.promotions(r)
	case len(s.less) > 0:
		s.captures(r)
	}
}

// room is where the last man may stand.
func (s *endingSolver) room(r strip) uint64 {
	if s.pawns {
		return 0x00ffffffffffff00 &^ r.taken
	}
	return ^r.taken
}

// checks is where the last man stands while Black's king is in check.
func (s *endingSolver) checks(r strip) (set uint64) {
	switch last := s.last(); {
	case last.kind == 'P':
		below := uint64(0xff) << (r.bare & 56) >> 8
		set = s.lines.kings[r.bare] & below &^ (1 << (r.bare & 7) * 0x0101010101010101)
	case !last.black:
		set = s.lines.reach(last.kind, r.bare, r.taken)
	}
	if third := s.third(); third.kind != 0 && s.lines.reach(third.kind, r.at, r.taken)>>r.bare&1 == 1 {
		set |= ^s.lines.between[r.at][r.bare]
	}
	return set & s.room(r)
}

// beginBlack finds the positions of a strip with Black to move in which Black takes nothing, and the mates.
func (s *endingSolver) beginBlack(r strip) {
	sound := s.room(r)
	if s.last().black {
		sound &^= s.lines.reach(s.last().kind, r.king, r.taken)
	}
	sound &^= s.takes(r)
	moves := s.escapes(r)
	s.holds[r.index] = sound & moves
	s.fresh[r.index] = sound & s.checks(r) &^ moves
	s.mark(s.black, r, s.holds[r.index], 0)
	s.mark(s.black, r, s.fresh[r.index], 1)
}

// takes is where the last man stands while Black can take a man of White.
func (s *endingSolver) takes(r strip) (set uint64) {
	near, alone := s.lines.kings[r.bare]&^s.lines.kings[r.king], r.taken&^(1<<r.bare)
	last, third := s.last(), s.third()
	if !last.black {
		set = near
		if third.kind != 0 {
			set &^= s.lines.reach(third.kind, r.at, alone)
		}
	}
	if third.kind == 0 {
		return set
	}
	if near>>r.at&1 == 1 {
		guards := uint64(0)
		if !last.black {
			guards = s.lines.reach(last.kind, r.at, alone)
		}
		set |= ^guards
	}
	if last.black {
		set |= s.lines.reach(last.kind, r.at, r.taken)
	}
	return set
}

// escapes is where the last man stands while Black has a move, which takes nothing, to a safe position.
func (s *endingSolver) escapes(r strip) (set uint64) {
	if last := s.last(); last.black {
		set = slides(last.kind, s.safe[r.index], ^r.taken)
	}
	shift := 6 * (len(s.men) - 3)
	for to := s.lines.kings[r.bare] &^ r.taken; to != 0; to &= to - 1 {
		set |= s.safe[r.index^(int(r.bare)^bits.TrailingZeros64(to))<<shift]
	}
	return set
}

// whiteWins marks the positions of a strip in which a move of White, which takes nothing, leads to one that
// is lost for Black.
func (s *endingSolver) whiteWins(r strip, plies int) {
	safe := s.safe[r.index]
	if safe == 0 {
		return
	}
	won := uint64(0)
	for to := s.lines.kings[r.king] &^ r.taken &^ s.lines.kings[r.bare]; to != 0; to &= to - 1 {
		won |= s.withKing(r, int8(bits.TrailingZeros64(to)))
	}
	switch last := s.last(); {
	case last.kind == 'P':
		one := s.fresh[r.index] >> 8
		won |= one | one>>8&0xff00&^(r.taken>>8)
	case !last.black && s.fresh[r.index] != 0:
		won |= slides(last.kind, s.fresh[r.index], ^r.taken)
	}
	if third := s.third(); third.kind != 0 {
		between := &s.lines.between[r.at]
		for to := s.lines.reach(third.kind, r.at, r.taken) &^ r.taken; to != 0; to &= to - 1 {
			at := bits.TrailingZeros64(to)
			won |= s.fresh[r.index&^63|at] &^ between[at]
		}
	}
	won &= safe
	s.safe[r.index] &^= won
	s.mark(s.white, r, won, plies+1)
}

// withKing is where the last man stands in the fresh positions with White's king on another square.
func (s *endingSolver) withKing(r strip, king int8) uint64 {
	if s.pawns {
		return s.fresh[int(king)<<6|int(r.bare)]
	}
	to := fold(king)
	index := triangle[to.square(king)]<<6 | int(to.square(r.bare))
	if len(s.men) == 4 {
		index = index<<6 | int(to.square(r.at))
	}
	if s.fresh[index] == 0 {
		return 0
	}
	return to.back(s.fresh[index])
}

// blackLoses marks the positions of a strip in which all moves of Black lead to ones that White wins, and
// reports whether there are any.
func (s *endingSolver) blackLoses(r strip, plies int) bool {
	s.fresh[r.index] = 0
	if s.holds[r.index] == 0 {
		return false
	}
	lost := s.holds[r.index] &^ s.escapes(r)
	s.holds[r.index] &^= lost
	s.fresh[r.index] = lost
	s.mark(s.black, r, lost, plies+1)
	return lost != 0
}

// mark writes what is known of some positions of a strip.
func (s *endingSolver) mark(table []uint8, r strip, set uint64, n int) {
	for ; set != 0; set &= set - 1 {
		table[r.index<<6|bits.TrailingZeros64(set)] = uint8(n)
	}
}

// wins marks the positions that a capture or a promotion wins in so many plies.
func (s *endingSolver) wins(plies int) {
	if plies >= len(s.later) {
		return
	}
	for _, index := range s.later[plies] {
		if s.white[index] == 0 {
			s.white[index] = uint8(plies + 1)
			s.safe[index>>6] &^= 1 << (index & 63)
		}
	}
}

// waiting reports whether positions wait that are won in more plies.
func (s *endingSolver) waiting(plies int) bool {
	for _, later := range s.later[min(plies+1, len(s.later)):] {
		if len(later) > 0 {
			return true
		}
	}
	return false
}

// captures notes the positions of a strip in which White wins by taking the last man, with the king or
// the third man.
func (s *endingSolver) captures(r strip) {
	for man, from := range [...]int8{whiteKing: r.king, 2: r.at} {
		if man == blackKing {
			continue
		}
		for set := s.lines.reach(s.men[man].kind, from, r.taken) & s.safe[r.index]; set != 0; set &= set - 1 {
			to := int8(bits.TrailingZeros64(set))
			s.wait(r, chessMove{man: int8(man), to: to}, to)
		}
	}
}

// promotions notes the positions of a strip in which White wins by promoting the pawn.
func (s *endingSolver) promotions(r strip) {
	for set := s.safe[r.index] & (0xff << 48) &^ (r.taken >> 8); set != 0; set &= set - 1 {
		from := int8(bits.TrailingZeros64(set))
		for _, mv := range (chessMove{man: 2, to: from + 8}).promotions(s.last()) {
			s.wait(r, mv, from)
		}
	}
}

// wait notes a position if a move that leads to another ending wins it.
func (s *endingSolver) wait(r strip, mv chessMove, last int8) {
	c := chess{ending: s.ending, at: [mostMen]int8{r.king, r.bare, r.at}}
	c.at[len(s.men)-1] = last
	next := c.after(mv)
	if n, forced := next.plies(s.less); forced {
		s.later[n+1] = append(s.later[n+1], r.index<<6|int(last))
	}
}
