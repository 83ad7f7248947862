package moves

import "sync"

// A hanoiWay is the method of Frame and Stewart for a number of disks and of pegs: it
// carries the smaller disks to one peg, then the others without using that peg, then the
// smaller ones on top.
type hanoiWay struct{ moves, smaller int }

// hanoiWays holds the ways by disks and pegs.
var hanoiWays = sync.OnceValue(func() *[mostDisks + 1][mostPegs + 1]hanoiWay {
	ways := new([mostDisks + 1][mostPegs + 1]hanoiWay)
	for pegs := 3; pegs <= mostPegs; pegs++ {
		for disks := 1; disks <= mostDisks; disks++ {
			best := hanoiWay{2*ways[disks-1][pegs].moves + 1, disks - 1}
			for k := disks - 2; k >= 0 && pegs > 3; k-- { // with three pegs, the larger disks have only two
				if moves := 2*ways[k][pegs].moves + ways[disks-k][pegs-1].moves; moves <= best.moves {
					best = hanoiWay{moves, k}
				}
			}
			ways[disks][pegs] = best
		}
	}
	return ways
})

// A hanoiState has the peg of each disk, from 1, the smallest disk first.
type hanoiState [mostDisks]int8

// A hanoiMove carries a disk from one peg to another; all count from 1.
type hanoiMove struct{ disk, from, to int8 }

// fewestHanoi returns a shortest way from one state of disks on pegs to another. With more
// than three pegs there are at most mostStates states.
func fewestHanoi(disks, pegs int, from, to hanoiState) []hanoiMove {
	if pegs == 3 {
		return threePegs(disks, from, to)
	}
	s := hanoiSearch{disks: disks, pegs: pegs}
	return s.way(from, to)
}

// threePegs finds a shortest way on three pegs: the largest disk that must move does so
// once, or twice over the third peg (A. M. Hinz, 1992).
func threePegs(disks int, from, to hanoiState) []hanoiMove {
	n := disks - 1
	for n >= 0 && from[n] == to[n] {
		n--
	}
	if n < 0 {
		return nil
	}
	a, b := from[n], to[n]
	third := 6 - a - b
	once := gather(nil, &from, n, third)
	once = append(once, hanoiMove{int8(n + 1), a, b})
	once = append(once, scatter(&to, n, third)...)

	twice := gather(nil, &from, n, b)
	twice = append(twice, hanoiMove{int8(n + 1), a, third})
	tower := towerOn(b)
	twice = gather(twice, &tower, n, a)
	twice = append(twice, hanoiMove{int8(n + 1), third, b})
	twice = append(twice, scatter(&to, n, a)...)
	if len(twice) < len(once) {
		return twice
	}
	return once
}

// towerOn has all disks on one peg.
func towerOn(peg int8) (s hanoiState) {
	for i := range s {
		s[i] = peg
	}
	return s
}

// gather appends the moves of the n smallest disks of s onto one of three pegs.
func gather(moves []hanoiMove, s *hanoiState, n int, peg int8) []hanoiMove {
	if n == 0 {
		return moves
	}
	at := s[n-1]
	if at == peg {
		return gather(moves, s, n-1, peg)
	}
	third := 6 - at - peg
	moves = append(gather(moves, s, n-1, third), hanoiMove{int8(n), at, peg})
	tower := towerOn(third)
	return gather(moves, &tower, n-1, peg)
}

// scatter returns the moves of the n smallest disks from one of three pegs to their pegs in
// s.
func scatter(s *hanoiState, n int, peg int8) []hanoiMove {
	back := gather(nil, s, n, peg)
	moves := make([]hanoiMove, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		moves = append(moves, hanoiMove{back[i].disk, back[i].to, back[i].from})
	}
	return moves
}

// hanoiSearch searches from both ends, breadth first. A state is a number with a digit for
// each disk, in base pegs, the smallest disk last.
type hanoiSearch struct {
	disks, pegs int
	units       [mostDisks]int32
	steps       [2][]uint8 // distance from each end and 1; 0: not met
	room        []int32    // for moves
}

// way returns a shortest way.
func (s *hanoiSearch) way(from, to hanoiState) []hanoiMove {
	size := int32(1)
	var ends [2]int32
	for disk := range s.disks {
		s.units[disk] = size
		ends[0] += int32(from[disk]-1) * size
		ends[1] += int32(to[disk]-1) * size
		size *= int32(s.pegs)
	}
	if ends[0] == ends[1] {
		return nil
	}
	var front [2][]int32
	for side := range ends {
		s.steps[side] = make([]uint8, size)
		s.steps[side][ends[side]] = 1
		front[side] = []int32{ends[side]}
	}
	for {
		side := 0
		if len(front[1]) < len(front[0]) {
			side = 1
		}
		next, met := s.widen(side, front[side])
		if met >= 0 {
			return s.join(met)
		}
		front[side] = next
	}
}

// widen goes one step on from a front. met is a state that the other side has reached, or
// -1.
func (s *hanoiSearch) widen(side int, front []int32) (next []int32, met int32) {
	mine, other := s.steps[side], s.steps[1-side]
	for _, state := range front {
		for _, after := range s.moves(state) {
			if mine[after] != 0 {
				continue
			}
			mine[after] = mine[state] + 1
			if other[after] != 0 {
				return nil, after
			}
			next = append(next, after)
		}
	}
	return next, -1
}

// moves returns the states one legal move away, valid until the next call.
func (s *hanoiSearch) moves(state int32) []int32 {
	list := s.room[:0]
	var covered [mostPegs]bool
	rest := state
	for disk := range s.disks {
		from := rest % int32(s.pegs)
		rest /= int32(s.pegs)
		if covered[from] {
			continue
		}
		covered[from] = true
		for to := range int32(s.pegs) {
			if !covered[to] {
				list = append(list, state+(to-from)*s.units[disk])
			}
		}
	}
	s.room = list
	return list
}

// join returns the way through a state that both sides have met.
func (s *hanoiSearch) join(met int32) (moves []hanoiMove) {
	var states []int32
	for state := met; s.steps[0][state] > 1; {
		state = s.toward(0, state)
		states = append(states, state)
	}
	for i := len(states) - 1; i >= 0; i-- {
		after := met
		if i > 0 {
			after = states[i-1]
		}
		moves = append(moves, s.between(states[i], after))
	}
	for state := met; s.steps[1][state] > 1; {
		after := s.toward(1, state)
		moves = append(moves, s.between(state, after))
		state = after
	}
	return moves
}

// toward returns a state one step nearer to an end.
func (s *hanoiSearch) toward(end int, state int32) int32 {
	for _, after := range s.moves(state) {
		if s.steps[end][after] == s.steps[end][state]-1 {
			return after
		}
	}
	return state // not reached: the search came from there
}

// between returns the move from one state to the next.
func (s *hanoiSearch) between(before, after int32) hanoiMove {
	for disk := range s.disks {
		from, to := before%int32(s.pegs), after%int32(s.pegs)
		if from != to {
			return hanoiMove{int8(disk + 1), int8(from + 1), int8(to + 1)}
		}
		before, after = before/int32(s.pegs), after/int32(s.pegs)
	}
	return hanoiMove{} // not reached: the states differ
}

// hanoiPegs is a list of pegs, four bits of list each.
type hanoiPegs struct {
	list uint64
	n    int
}

// and returns the pegs with one more at the end.
func (p hanoiPegs) and(peg int) hanoiPegs { return hanoiPegs{p.list | uint64(peg)<<(4*p.n), p.n + 1} }

// appendTower appends the moves that carry a range of disks from one peg to another, using
// spare pegs.
func appendTower(b []byte, disks, pegs [2]int, spare hanoiPegs) []byte {
	n := disks[1] - disks[0] + 1
	switch n {
	case 0:
		return b
	case 1:
		return appendHanoiMove(b, disks[0], pegs)
	}
	k := hanoiWays()[n][spare.n+2].smaller
	small, large := [2]int{disks[0], disks[0] + k - 1}, [2]int{disks[0] + k, disks[1]}
	aside, others := int(spare.list&15), hanoiPegs{spare.list >> 4, spare.n - 1}
	b = appendTower(b, small, [2]int{pegs[0], aside}, others.and(pegs[1]))
	b = appendTower(b, large, pegs, others)
	return appendTower(b, small, [2]int{aside, pegs[1]}, others.and(pegs[0]))
}
