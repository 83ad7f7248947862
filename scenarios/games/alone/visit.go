package alone

import (
	"fmt"
	"slices"
	"strings"
)

// A house is what does not change, with its plans, which are worked out when they are needed.
type house struct {
	layout
	plans func() plans
}

// carried is the place of what the policy carries.
const carried = -1

// An inside is what changes in a house.
type inside struct {
	room   int8            // of the policy
	places [mostItems]int8 // of the items
	locked uint16          // doors, a bit each
	closed uint8           // boxes
}

// A visit is a position.
type visit struct {
	*house
	inside
}

// begin is how the house is in the beginning.
func (h *house) begin() (in inside) {
	in.room = h.At
	for i, it := range h.Items {
		in.places[i] = it.In
	}
	for i, d := range h.Doors {
		if d.Lock != "" {
			in.locked |= 1 << i
		}
	}
	in.closed = 1<<len(h.Boxes) - 1
	return in
}

// done implements [puzzle].
func (v visit) done() bool { return v.places[v.Thing] == v.Goal }

// held lists the items that are carried.
func (v visit) held() (things []int) {
	for i := range v.Items {
		if v.places[i] == carried {
			things = append(things, i)
		}
	}
	return things
}

// in lists the items in a place.
func (v visit) in(place int8) (things []int) {
	for i := range v.Items {
		if v.places[i] == place {
			things = append(things, i)
		}
	}
	return things
}

// open reports whether a box is open.
func (v visit) open(box int) bool { return v.closed>>box&1 == 0 }

// box is the place in a box.
func (h *house) box(box int) int8 { return int8(len(h.Rooms) + box) }

// here reports whether a thing can be taken: it lies here, or in an open box.
func (v visit) here(thing int) bool {
	for box, b := range v.Boxes {
		if v.places[thing] == v.box(box) {
			return b.In == v.room && v.open(box)
		}
	}
	return v.places[thing] == v.room
}

// exit is the door in a wall of the room, -1 if there is none, and the room behind it.
func (v visit) exit(side int) (door int, to int8) {
	for i, d := range v.Doors {
		switch {
		case d.From == v.room && d.Side == side:
			return i, d.To
		case d.To == v.room && d.Side == (side+2)%4:
			return i, d.From
		}
	}
	return -1, 0
}

// moves implements [puzzle]. They are those that [visit.act] allows.
func (v visit) moves() (names []string) {
	for side, name := range sides {
		door, _ := v.exit(side)
		if door < 0 {
			continue
		}
		lock := v.Doors[door].Lock
		if v.locked>>door&1 == 0 {
			names = append(names, "go "+name)
		} else if key := v.named(lock + " key"); key >= 0 && v.places[key] == carried {
			names = append(names, "unlock "+lock+" door with "+lock+" key")
		}
	}
	var open []string // boxes here
	for box, b := range v.Boxes {
		switch {
		case b.In != v.room:
		case v.open(box):
			open = append(open, b.Name)
		default:
			names = append(names, "open "+b.Name)
		}
	}
	free := len(v.held()) < v.Hands
	for i, it := range v.Items {
		if v.places[i] == carried {
			names = append(names, "drop "+it.Name)
			for _, box := range open {
				names = append(names, "put "+it.Name+" in "+box)
			}
		} else if free && v.here(i) {
			names = append(names, "take "+it.Name)
		}
	}
	return append(names, "look")
}

// move implements [puzzle].
func (v visit) move(name string) (next puzzle, told, why string) {
	after, told, why := v.act(name)
	return visit{v.house, after}, told, why
}

// act makes a move. The grammar is closed: a verb, and names of two words.
func (v visit) act(name string) (after inside, told, why string) {
	words := strings.Fields(name)
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch n := len(words); {
	case verb == "look" && n == 1:
		return v.inside, "You look around.", ""
	case verb == "go" && n == 2:
		return v.walk(words[1])
	case verb == "take" && n == 3:
		return v.take(words[1] + " " + words[2])
	case verb == "drop" && n == 3:
		return v.put(words[1]+" "+words[2], "")
	case verb == "put" && n == 6 && words[3] == "in":
		return v.put(words[1]+" "+words[2], words[4]+" "+words[5])
	case verb == "open" && n == 3:
		return v.unbox(words[1] + " " + words[2])
	case verb == "unlock" && n == 6 && words[2] == "door" && words[3] == "with" && words[5] == "key":
		return v.unlocks(words[1], words[4])
	}
	return v.inside, "", fmt.Sprintf("%q is not of the forms go, take, drop, open, put … in …, unlock … with … and look", name)
}

// walk goes through a door.
func (v visit) walk(name string) (after inside, told, why string) {
	side := slices.Index(sides[:], name)
	if side < 0 {
		return v.inside, "", fmt.Sprintf("%q is none of north, east, south and west", name)
	}
	door, to := v.exit(side)
	switch {
	case door < 0:
		return v.inside, "", "there is no door to the " + name
	case v.locked>>door&1 == 1:
		return v.inside, "", "the " + v.Doors[door].Lock + " door to the " + name + " is locked"
	}
	after = v.inside
	after.room = to
	return after, "You go " + name + ".", ""
}

// take takes a thing.
func (v visit) take(name string) (after inside, told, why string) {
	thing := v.named(name)
	switch {
	case thing >= 0 && v.places[thing] == carried:
		return v.inside, "", "you already carry the " + name
	case slices.ContainsFunc(v.Boxes, func(b item) bool { return b.Name == name && b.In == v.room }):
		return v.inside, "", "boxes cannot be carried"
	case thing < 0 || !v.here(thing):
		return v.inside, "", fmt.Sprintf("you see no %q here", name)
	case len(v.held()) >= v.Hands:
		return v.inside, "", "your hands are full"
	}
	after = v.inside
	after.places[thing] = carried
	return after, "You take the " + name + ".", ""
}

// put puts a thing in a box; without a box, on the floor.
func (v visit) put(name, into string) (after inside, told, why string) {
	thing := v.named(name)
	if thing < 0 || v.places[thing] != carried {
		return v.inside, "", fmt.Sprintf("you do not carry %q", name)
	}
	after = v.inside
	if into == "" {
		after.places[thing] = v.room
		return after, "You drop the " + name + ".", ""
	}
	box := v.boxHere(into)
	switch {
	case box < 0:
		return v.inside, "", fmt.Sprintf("there is no %q here", into)
	case !v.open(box):
		return v.inside, "", "the " + into + " is closed"
	}
	after.places[thing] = v.box(box)
	return after, "You put the " + name + " in the " + into + ".", ""
}

// unbox opens a box.
func (v visit) unbox(name string) (after inside, told, why string) {
	box := v.boxHere(name)
	switch {
	case box < 0:
		return v.inside, "", fmt.Sprintf("there is no box %q here", name)
	case v.open(box):
		return v.inside, "", "the " + name + " is already open"
	}
	after = v.inside
	after.closed &^= 1 << box
	return after, "You open the " + name + ".", ""
}

// unlocks opens a door for ever.
func (v visit) unlocks(colour, key string) (after inside, told, why string) {
	at := -1
	for side := range sides {
		if door, _ := v.exit(side); door >= 0 && v.Doors[door].Lock == colour {
			at = door
		}
	}
	switch thing := v.named(key + " key"); {
	case at < 0:
		return v.inside, "", fmt.Sprintf("there is no %q here", colour+" door")
	case v.locked>>at&1 == 0:
		return v.inside, "", "the " + colour + " door is not locked"
	case thing < 0 || v.places[thing] != carried:
		return v.inside, "", fmt.Sprintf("you do not carry %q", key+" key")
	case key != colour:
		return v.inside, "", "the " + key + " key does not fit the " + colour + " door"
	}
	after = v.inside
	after.locked &^= 1 << at
	return after, "You unlock the " + colour + " door.", ""
}

// named is the number of an item, -1 if there is none.
func (h *house) named(name string) int {
	return slices.IndexFunc(h.Items, func(it item) bool { return it.Name == name })
}

// boxHere is the number of a box in the room, -1 if there is none.
func (v visit) boxHere(name string) int {
	return slices.IndexFunc(v.Boxes, func(b item) bool { return b.Name == name && b.In == v.room })
}

// show implements [puzzle].
func (v visit) show() string {
	var seen, exits []string
	for box, b := range v.Boxes {
		switch {
		case b.In != v.room:
		case !v.open(box):
			seen = append(seen, "a "+b.Name+" (closed)")
		default:
			seen = append(seen, "a "+b.Name+" (open, with "+v.list(v.in(v.box(box)))+" in it)")
		}
	}
	if lying := v.in(v.room); len(lying) > 0 || len(seen) == 0 {
		seen = append(seen, v.list(lying))
	}
	for side, name := range sides {
		switch door, _ := v.exit(side); {
		case door < 0:
		case v.locked>>door&1 == 1:
			exits = append(exits, name+" ("+v.Doors[door].Lock+" door, locked)")
		case v.Doors[door].Lock != "":
			exits = append(exits, name+" ("+v.Doors[door].Lock+" door, open)")
		default:
			exits = append(exits, name)
		}
	}
	return fmt.Sprintf("You are in the %s.\nYou see: %s.\nExits: %s.\nYou carry: %s.", v.Rooms[v.room], strings.Join(seen, ", "), strings.Join(exits, ", "), v.list(v.held()))
}

// list names things.
func (v visit) list(things []int) string {
	if len(things) == 0 {
		return "nothing"
	}
	var names []string
	for _, i := range things {
		names = append(names, "a "+v.Items[i].Name)
	}
	return strings.Join(names, ", ")
}
