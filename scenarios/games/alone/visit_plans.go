package alone

import "slices"

// mostOutlines bounds a search: what lies beyond is as good as out of reach.
const mostOutlines = 100_000

// An outline is what matters of a position. Of keys that have done their work, and of things that
// nobody needs, only their number in the hands does; what is in an open box might as well lie beside
// it, unless the goal is there or in the same room; and boxes without anything needed might as well
// be open.
type outline struct {
	at     int8
	thing  int8            // place
	keys   [mostLocks]int8 // place of each; gone: not needed any more
	locked uint16          // doors
	closed uint8           // boxes
	burden int8            // things in the hands that are not needed
}

// gone is the place of a key whose door is open.
const gone = -2

// Plans are the lengths of the shortest plans, by outline.
type plans map[outline]int16

// keyDoors lists the doors with a lock and a key.
func (h *house) keyDoors() (doors, keys []int) {
	for i := range h.Items {
		if d := h.lockOf(i); d >= 0 {
			doors, keys = append(doors, d), append(keys, i)
		}
	}
	return doors, keys
}

// outline returns what matters of a position.
func (v visit) outline() (o outline) {
	o = outline{at: v.room, thing: v.places[v.Thing], locked: v.locked, closed: v.closed, keys: [mostLocks]int8{gone, gone, gone}}
	o.burden = int8(len(v.held()))
	if o.thing == carried {
		o.burden--
	}
	doors, keys := v.keyDoors()
	for k, key := range keys {
		if v.locked>>doors[k]&1 == 1 {
			o.keys[k] = v.places[key]
			if o.keys[k] == carried {
				o.burden--
			}
		}
	}
	return v.plain(o)
}

// plain leaves out what does not matter of the boxes.
func (h *house) plain(o outline) outline {
	for box, b := range h.Boxes {
		place := h.box(box)
		needed := o.thing == place || slices.Contains(o.keys[:], place)
		if !needed && place != h.Goal {
			o.closed &^= 1 << box
		}
		if o.closed>>box&1 == 1 {
			continue
		}
		for k := range o.keys {
			if o.keys[k] == place {
				o.keys[k] = b.In
			}
		}
		if o.thing == place && !h.aim(box) {
			o.thing = b.In
		}
	}
	return o
}

// aim reports whether it matters if the thing is in a box: that is the goal, or beside it.
func (h *house) aim(box int) bool { return h.box(box) == h.Goal || h.Boxes[box].In == h.Goal }

// left implements [puzzle].
func (v visit) left(most int) int {
	if v.done() {
		return 0
	}
	if n, known := v.plans()[v.outline()]; known && int(n) <= most {
		return int(n)
	}
	return far
}

// solve works out the shortest plans from all positions: forward all that can be reached, then
// backwards from the goal.
func (h *house) solve() plans {
	all := []outline{visit{h, h.begin()}.outline()}
	number := map[outline]int32{all[0]: 0}
	before := [][]int32{nil} // the numbers of the positions before each
	doors, _ := h.keyDoors()
	for at := 0; at < len(all); at++ {
		h.after(all[at], doors, func(next outline) {
			n, known := number[next]
			if !known {
				if len(all) == mostOutlines {
					return
				}
				n = int32(len(all))
				number[next] = n
				all, before = append(all, next), append(before, nil)
			}
			before[n] = append(before[n], int32(at))
		})
	}
	out := plans{}
	var reached []int32
	for n, o := range all {
		if o.thing == h.Goal {
			out[o] = 0
			reached = append(reached, int32(n))
		}
	}
	for k := 0; k < len(reached); k++ {
		length := out[all[reached[k]]]
		for _, n := range before[reached[k]] {
			if _, known := out[all[n]]; !known {
				out[all[n]] = length + 1
				reached = append(reached, n)
			}
		}
	}
	return out
}

// shortest is the length of the shortest plan, 0 if there is none within most moves.
func (h *house) shortest(most int) int {
	doors, _ := h.keyDoors()
	now := []outline{visit{h, h.begin()}.outline()}
	seen := map[outline]bool{now[0]: true}
	for length := 1; length <= most && len(now) > 0 && len(seen) < mostOutlines; length++ {
		var next []outline
		found := false
		for _, o := range now {
			h.after(o, doors, func(to outline) {
				found = found || to.thing == h.Goal
				if useless := to.burden > o.burden && to.locked == o.locked; !useless && !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			})
		}
		if found {
			return length
		}
		now = next
	}
	return 0
}

// after yields the outlines after each move that may be of use, and after taking what is of none.
func (h *house) after(o outline, doors []int, yield func(outline)) {
	h.afterDoors(o, doors, yield)
	for box, b := range h.Boxes {
		if b.In == o.at && o.closed>>box&1 == 1 {
			next := o
			next.closed &^= 1 << box
			yield(h.plain(next))
		}
	}
	held := o.burden
	for _, place := range append(o.keys[:len(doors):len(doors)], o.thing) {
		if place == carried {
			held++
		}
	}
	if int(held) < h.Hands {
		o.burden++
		yield(o)
		o.burden--
	}
	if o.burden > 0 {
		o.burden--
		yield(o)
		o.burden++
	}
	for k := range doors {
		next := o
		if next.keys[k] = o.handled(o.keys[k], int(held) < h.Hands); next != o {
			yield(next)
		}
	}
	next := o
	if next.thing = o.handled(o.thing, int(held) < h.Hands); next != o {
		yield(next)
	}
	for box, b := range h.Boxes {
		switch place := h.box(box); {
		case b.In != o.at || o.closed>>box&1 == 1 || !h.aim(box):
		case o.thing == carried:
			next.thing = place
			yield(next)
		case o.thing == place && int(held) < h.Hands:
			next.thing = carried
			yield(next)
		}
	}
}

// afterDoors yields the outlines after going and unlocking.
func (h *house) afterDoors(o outline, doors []int, yield func(outline)) {
	for i, d := range h.Doors {
		if d.From != o.at && d.To != o.at {
			continue
		}
		next := o
		if o.locked>>i&1 == 0 {
			next.at = d.From + d.To - o.at
			yield(next)
			continue
		}
		for k, door := range doors {
			if door == i && o.keys[k] == carried {
				next.locked &^= 1 << i
				next.keys[k] = gone
				next.burden++
				yield(next)
			}
		}
	}
}

// handled is the place of a thing after it is taken, or dropped; the same if neither can be.
func (o outline) handled(place int8, free bool) int8 {
	switch {
	case place == carried:
		return o.at
	case free && place == o.at:
		return carried
	}
	return place
}
