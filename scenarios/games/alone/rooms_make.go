package alone

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// makeRooms draws a house that has a plan of the wanted length.
func makeRooms(p roomsParams, r *rng.Rand) (layout, error) {
	const patience = 500
	for range patience {
		h := drawRooms(p, r)
		if h.Items[h.Thing].In == h.Goal {
			continue
		}
		if n := (&house{layout: h}).shortest(p.Longest); n >= p.Shortest {
			h.Moves = 2*n + 2*p.Rooms + 2 // some to look for things
			return h, nil
		}
	}
	return layout{}, fmt.Errorf("no house of these parameters has a shortest plan of %d to %d moves", p.Shortest, p.Longest)
}

// drawRooms draws a house in which all doors can be opened.
func drawRooms(p roomsParams, r *rng.Rand) layout {
	h := layout{Rooms: rng.Sample(r, roomNames, p.Rooms), Doors: drawDoors(p.Rooms, r), Hands: p.Hands, At: int8(r.Between(0, p.Rooms-1))}
	for _, colour := range rng.Sample(r, colours, p.Boxes) {
		h.Boxes = append(h.Boxes, item{colour + " box", int8(r.Between(0, p.Rooms-1))})
	}
	locked := rng.Sample(r, colours, p.Locks)
	for i, d := range rng.Different(r, p.Locks, 0, int64(len(h.Doors)-1)) {
		h.Doors[d].Lock = locked[i]
	}
	h.hideKeys(r)
	names := rng.Sample(r, allThings(), p.Others+1)
	h.Thing = r.Between(0, p.Others) + len(h.Items)
	for _, name := range names {
		h.Items = append(h.Items, item{name, int8(r.Between(0, p.Rooms+p.Boxes-1))})
	}
	h.Goal = int8(r.Between(0, p.Rooms+p.Boxes-1))
	order := make([]int, len(h.Items)) // so that the place in a list tells nothing
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	items := slices.Clone(h.Items)
	for to, from := range order {
		h.Items[to] = items[from]
	}
	h.Thing = slices.Index(order, h.Thing)
	return h
}

// allThings are the names of the things that are no keys.
func allThings() (names []string) {
	for _, colour := range colours {
		for _, kind := range kinds {
			names = append(names, colour+" "+kind)
		}
	}
	return names
}

// drawDoors draws a tree of rooms on a grid.
func drawDoors(n int, r *rng.Rand) (doors []door) {
	type square struct{ x, y int }
	at := []square{{}}
	for len(at) < n {
		from, side := r.Between(0, len(at)-1), r.Between(0, 3)
		to := at[from]
		to.x += []int{0, 1, 0, -1}[side]
		to.y += []int{-1, 0, 1, 0}[side]
		if !slices.Contains(at, to) {
			doors = append(doors, door{From: int8(from), Side: side, To: int8(len(at))})
			at = append(at, to)
		}
	}
	return doors
}

// hideKeys puts the key of each door on the side of it from where the policy comes.
func (h *layout) hideKeys(r *rng.Rand) {
	open := map[string]bool{"": true}
	for {
		reached := h.reached(open)
		var shut []string
		for _, d := range h.Doors {
			if reached[d.From] != reached[d.To] {
				shut = append(shut, d.Lock)
			}
		}
		if len(shut) == 0 {
			return
		}
		lock := rng.Pick(r, shut)
		open[lock] = true
		var places []int8
		for room := range h.Rooms {
			if reached[int8(room)] {
				places = append(places, int8(room))
			}
		}
		for box, b := range h.Boxes {
			if reached[b.In] {
				places = append(places, int8(len(h.Rooms)+box))
			}
		}
		h.Items = append(h.Items, item{lock + " key", rng.Pick(r, places)})
	}
}

// reached are the rooms that can be reached through doors with these locks.
func (h *layout) reached(open map[string]bool) map[int8]bool {
	in := map[int8]bool{h.At: true}
	for range h.Rooms {
		for _, d := range h.Doors {
			if open[d.Lock] && (in[d.From] || in[d.To]) {
				in[d.From], in[d.To] = true, true
			}
		}
	}
	return in
}

// Canonical implements [games.Start]: names do not matter, nor does where north is, nor in which
// order things are listed.
func (h layout) Canonical() (least string) {
	for turn := range 4 {
		for _, way := range []int{1, 3} {
			if text := h.seen(turn, way); least == "" || text < least {
				least = text
			}
		}
	}
	return fmt.Sprint(least, h.Hands)
}

// seen describes a house, its rooms numbered in the order of a walk that looks at the sides in an
// order of its own.
func (h layout) seen(turn, way int) string {
	number := map[int8]int{}
	behind := map[string]int{} // by lock, the number of the room behind it
	var text strings.Builder
	var walk func(room int8)
	walk = func(room int8) {
		number[room] = len(number)
		for k := range sides {
			door, to := (visit{&house{layout: h}, inside{room: room}}).exit((turn + k*way) % 4)
			if door < 0 {
				continue
			}
			if _, known := number[to]; !known {
				fmt.Fprintf(&text, "%d.%d.%d.%t ", number[room], k, len(number), h.Doors[door].Lock != "")
				behind[h.Doors[door].Lock] = len(number)
				walk(to)
			}
		}
	}
	walk(h.At)
	var things []string
	for room := range h.Rooms {
		things = append(things, fmt.Sprint(number[int8(room)], h.contents(int8(room), behind)))
	}
	for box, b := range h.Boxes {
		things = append(things, fmt.Sprint("box in ", number[b.In], h.contents(int8(len(h.Rooms)+box), behind)))
	}
	slices.Sort(things)
	return text.String() + strings.Join(things, " ")
}

// contents lists what is in a place, by what it is for.
func (h layout) contents(place int8, behind map[string]int) (roles []string) {
	for i, it := range h.Items {
		switch door := h.lockOf(i); {
		case it.In != place:
		case i == h.Thing:
			roles = append(roles, "thing")
		case door >= 0:
			roles = append(roles, fmt.Sprint("key ", behind[h.Doors[door].Lock]))
		default:
			roles = append(roles, "other")
		}
	}
	slices.Sort(roles)
	if place == h.Goal {
		roles = append(roles, "goal")
	}
	return roles
}
