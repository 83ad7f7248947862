package office

import (
	"fmt"
	"math/bits"
	"slices"
)

// An agenda is when people and rooms are busy, and when they are there at all, in bits of half hours.
type agenda struct {
	week
	who  map[string]int // index of a person or a room
	work []uint64       // by index
	busy [][weekDays]uint64
}

// newAgenda returns the agenda of a week without its meetings.
func newAgenda(w week) *agenda {
	a := &agenda{week: w, who: map[string]int{}}
	for _, one := range w.People {
		a.who[one.Name] = len(a.work)
		a.work = append(a.work, span(one.From, one.To-one.From))
	}
	for _, room := range w.Rooms {
		a.who[room] = len(a.work)
		a.work = append(a.work, span(0, daySlots))
	}
	a.busy = make([][weekDays]uint64, len(a.work))
	return a
}

// span is the bits of so many half hours from one on.
func span(start, length int) uint64 { return (1<<length - 1) << start }

// members returns the indices of those in a meeting: people, and a room.
func (a *agenda) members(people []string, room string) (all []int) {
	for _, name := range people {
		all = append(all, a.who[name])
	}
	if room != "" {
		all = append(all, a.who[room])
	}
	return all
}

// clash says why a meeting cannot be where it is; empty: it can.
func (a *agenda) clash(m meeting) string {
	at := span(m.Start, m.Length)
	for _, i := range a.members(m.People, m.Room) {
		name := append(names(a.People), a.Rooms...)[i]
		switch {
		case a.work[i]&at != at:
			return fmt.Sprintf("%s is beyond the working hours of %s", m.Title, name)
		case a.busy[i][m.Day]&at != 0:
			return fmt.Sprintf("%s has two meetings at once, one of them %s", name, m.Title)
		}
	}
	return ""
}

// add adds a meeting.
func (a *agenda) add(m meeting) {
	for _, i := range a.members(m.People, m.Room) {
		a.busy[i][m.Day] |= span(m.Start, m.Length)
	}
}

// A plan is how a wish is met.
type plan struct {
	day, start int
	moved      []shift
}

// A shift is a meeting that is moved within its day.
type shift struct {
	index, start int
}

// solve returns the best way to meet a wish: the fewest moves, then the earliest start. It reports whether
// there is one.
func (w week) solve(of wish) (best plan, can bool) {
	s := newSearch(w)
	for moves := range of.Moves + 1 {
		for _, day := range of.Days {
			if best, can = s.earliest(of, day, moves); can {
				return best, true
			}
		}
	}
	return best, false
}

// earliest returns the way to meet a wish on a day with the earliest start, within a number of moves.
func (s *search) earliest(of wish, day, moves int) (plan, bool) {
	for start := of.From; start+of.Length <= of.To; start++ {
		if moved, can := s.fits(of, day, start, moves); can {
			return plan{day, start, moved}, true
		}
	}
	return plan{}, false
}

// A search knows which meetings are where.
type search struct {
	*agenda           // with the fixed meetings
	day     [][]int   // the movable meetings of each day, by index
	with    [][]int   // of each meeting, its members
	movable []uint64  // of each meeting, its half hours; 0: it is fixed
	places  []meeting // as they are
}

func newSearch(w week) *search {
	s := &search{agenda: newAgenda(w), day: make([][]int, weekDays), with: make([][]int, len(w.Meetings)), movable: make([]uint64, len(w.Meetings)), places: w.Meetings}
	for i, m := range w.Meetings {
		if s.with[i] = s.members(m.People, m.Room); m.Movable {
			s.day[m.Day] = append(s.day[m.Day], i)
			s.movable[i] = span(m.Start, m.Length)
		} else {
			s.add(m)
		}
	}
	return s
}

// fits reports whether a wish is met by a start, within a number of moves, and returns the moves.
func (s *search) fits(of wish, day, start, moves int) ([]shift, bool) {
	members := s.members(of.People, of.Room)
	at := span(start, of.Length)
	locked := make([]uint64, len(s.work))
	for i := range locked {
		locked[i] = s.busy[i][day]
	}
	if !s.open(members, at, locked) {
		return nil, false
	}
	for _, i := range members {
		locked[i] |= at
	}
	return s.resolve(moving{day: day, pending: s.conflicts(day, members, at, nil), locked: locked, left: moves})
}

// open reports whether all members are at work and not locked.
func (s *search) open(members []int, at uint64, locked []uint64) bool {
	for _, i := range members {
		if s.work[i]&at != at || locked[i]&at != 0 {
			return false
		}
	}
	return true
}

// conflicts returns the movable meetings of a day that are in the way of members, but not those in
// known, which are moved anyway.
func (s *search) conflicts(day int, members []int, at uint64, known []int) (all []int) {
	for _, m := range s.day[day] {
		if s.movable[m]&at == 0 || slices.Contains(known, m) {
			continue
		}
		if slices.ContainsFunc(s.with[m], func(i int) bool { return slices.Contains(members, i) }) {
			all = append(all, m)
		}
	}
	return all
}

// A moving is a day on which meetings are moved.
type moving struct {
	day     int
	pending []int    // the meetings that must still be moved
	moved   []shift  // those that were
	locked  []uint64 // by member, what must stay free of them
	left    int      // moves that are left
}

// resolve moves the pending meetings, and those that are in their way.
func (s *search) resolve(on moving) ([]shift, bool) {
	if len(on.pending) == 0 {
		return on.moved, true
	}
	if len(on.pending) > on.left {
		return nil, false
	}
	m, rest := on.pending[0], on.pending[1:]
	known := slices.Clone(on.pending)
	for _, one := range on.moved {
		known = append(known, one.index)
	}
	for start := range daySlots - s.places[m].Length + 1 {
		at := span(start, s.places[m].Length)
		if !s.open(s.with[m], at, on.locked) {
			continue
		}
		more := s.conflicts(on.day, s.with[m], at, known)
		if len(rest)+len(more) >= on.left {
			continue
		}
		then := moving{on.day, slices.Concat(rest, more), append(slices.Clone(on.moved), shift{m, start}), slices.Clone(on.locked), on.left - 1}
		for _, i := range s.with[m] {
			then.locked[i] |= at
		}
		if all, can := s.resolve(then); can {
			return all, true
		}
	}
	return nil, false
}

// without returns the wish without the conditions that are not in a set of their bits.
func (w wish) without(kept uint) wish {
	for i, c := range w.conditions() {
		if kept>>i&1 == 0 {
			c.drop(&w)
		}
	}
	return w
}

// blames reports whether a condition, by its number from 1 on, is in a minimal conflict: some other
// conditions can be met, and not together with it.
func (w week) blames(number int) bool {
	n := len(w.Wish.conditions())
	if number < 1 || number > n {
		return false
	}
	own := uint(1) << (number - 1)
	var met, unmet []uint // sets that are known; their parts, or what contains them, are alike
	can := func(kept uint) bool {
		switch {
		case slices.ContainsFunc(met, func(set uint) bool { return set&kept == kept }):
			return true
		case slices.ContainsFunc(unmet, func(set uint) bool { return set&kept == set }):
			return false
		}
		_, can := w.solve(w.Wish.without(kept))
		if can {
			met = append(met, kept)
		} else {
			unmet = append(unmet, kept)
		}
		return can
	}
	for kept := range uint(1) << n {
		if kept&own == 0 && !can(kept|own) && can(kept) {
			return true
		}
	}
	return false
}

// blame returns the number of a condition in a minimal conflict, found by dropping conditions while the
// others cannot be met: that of a person, if there is one in the conflict.
func (w week) blame() int {
	n := len(w.Wish.conditions())
	kept := uint(1)<<n - 1
	for i := n - 1; i >= 0; i-- {
		if _, can := w.solve(w.Wish.without(kept &^ (1 << i))); !can {
			kept &^= 1 << i
		}
	}
	return bits.TrailingZeros(kept) + 1
}
