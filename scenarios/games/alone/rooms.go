package alone

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// roomsGame is a house with doors, keys and boxes, of which one sees a room at a time.
var roomsGame = games.Spec[roomsParams, layout]{
	Name: "rooms",
	Doc: "Bring a thing to its place in a house with locked doors, keys and boxes, seeing one room at a time. " +
		"Moves are measured by the shortest plan of somebody who knows the house, so looking for things costs a little.",
	Source:  "Our own; the idea is that of BabyAI and of text adventures.",
	Version: 2,
	Levels: []roomsParams{
		{Rooms: 3, Locks: 0, Boxes: 1, Others: 3, Hands: 2, Shortest: 3, Longest: 5},
		{Rooms: 4, Locks: 1, Boxes: 1, Others: 2, Hands: 2, Shortest: 5, Longest: 9},
		{Rooms: 5, Locks: 1, Boxes: 2, Others: 3, Hands: 2, Shortest: 8, Longest: 13},
		{Rooms: 6, Locks: 2, Boxes: 1, Others: 3, Hands: 1, Shortest: 12, Longest: 20},
		{Rooms: 8, Locks: 3, Boxes: 2, Others: 4, Hands: 1, Shortest: 18, Longest: 35},
	},
	Make:   makeRooms,
	Reward: games.Value,
	Guess:  []float64{0.0456, 0.0151, 0.0024, 0.0003, 0},
}

// The limits of a house.
const (
	mostLocks = 3
	mostItems = 10
)

// roomsParams are the parameters of a level.
type roomsParams struct {
	Rooms    int `json:"rooms" want:"2 to 8"`
	Locks    int `json:"locks" want:"0 or more"`
	Boxes    int `json:"boxes" want:"0 to 2"`
	Others   int `json:"others" want:"0 to 6"` // things that nobody needs
	Hands    int `json:"hands" want:"1 to 4"`  // how much can be carried at once
	Shortest int `json:"shortest" want:"3 or more"`
	Longest  int `json:"longest" want:"shortest to 60"` // of the shortest plan, in moves
}

// Check refuses what no tag does.
func (p roomsParams) Check() error {
	if p.Locks < 0 || p.Locks > min(mostLocks, p.Rooms-1) {
		return fmt.Errorf("locks is %d, want 0 to %d", p.Locks, min(mostLocks, p.Rooms-1))
	}
	return nil
}

// A layout is a house in the beginning. A place is a room or a box: rooms by number, then boxes.
type layout struct {
	Rooms []string `json:"rooms" want:"2 to 8"` // names
	Doors []door   `json:"doors"`
	Boxes []item   `json:"boxes" want:"at most 2"` // all closed
	Items []item   `json:"items" want:"1 to 10"`
	At    int8     `json:"at"` // room of the policy
	Hands int      `json:"hands" want:"1 to 4"`
	Thing int      `json:"thing"`                 // the item that has to be brought
	Goal  int8     `json:"goal"`                  // to this place
	Moves int      `json:"moves" want:"1 to 200"` // most of an episode
}

// A door joins two rooms.
type door struct {
	From int8   `json:"from"`
	Side int    `json:"side"` // of From
	To   int8   `json:"to"`
	Lock string `json:"lock,omitempty"` // colour; empty: there is no lock
}

// An item is a thing or a box.
type item struct {
	Name string `json:"name"` // colour and kind
	In   int8   `json:"in"`   // place
}

// The words of a house.
var (
	sides     = [4]string{"north", "east", "south", "west"}
	roomNames = []string{"kitchen", "hall", "library", "bedroom", "cellar", "attic", "study", "garage", "workshop", "pantry"}
	colours   = []string{"red", "green", "blue", "yellow", "white", "black"}
	kinds     = []string{"ball", "cup", "book", "lamp", "hat"}
)

// Check refuses a record that is no house.
func (h layout) Check() error {
	if err := errors.Join(h.checkNames(), h.checkDoors()); err != nil {
		return err
	}
	for _, b := range h.Boxes {
		if b.In < 0 || int(b.In) >= len(h.Rooms) {
			return fmt.Errorf("the %s is in place %d, want a room", b.Name, b.In)
		}
	}
	for _, i := range h.Items {
		if !h.place(i.In) {
			return fmt.Errorf("the %s is in place %d, want a room or a box", i.Name, i.In)
		}
	}
	switch {
	case h.At < 0 || int(h.At) >= len(h.Rooms):
		return fmt.Errorf("at is %d, want a room", h.At)
	case h.Thing < 0 || h.Thing >= len(h.Items) || h.lockOf(h.Thing) >= 0:
		return fmt.Errorf("thing is %d, want an item that is no key of a door", h.Thing)
	case !h.place(h.Goal) || h.Items[h.Thing].In == h.Goal:
		return fmt.Errorf("goal is %d, want a place where the thing is not yet", h.Goal)
	}
	return nil
}

// place reports whether there is such a place.
func (h layout) place(at int8) bool { return at >= 0 && int(at) < len(h.Rooms)+len(h.Boxes) }

// checkNames refuses names that are unknown, or given twice.
func (h layout) checkNames() error {
	seen := map[string]bool{}
	for _, name := range h.Rooms {
		if !slices.Contains(roomNames, name) || seen[name] {
			return fmt.Errorf("a room is called %.20q, want different names of %s", name, strings.Join(roomNames, ", "))
		}
		seen[name] = true
	}
	for i, it := range slices.Concat(h.Boxes, h.Items) {
		colour, kind, _ := strings.Cut(it.Name, " ")
		known := kind == "box"
		if i >= len(h.Boxes) {
			known = kind == "key" || slices.Contains(kinds, kind)
		}
		if !known || !slices.Contains(colours, colour) || seen[it.Name] {
			return fmt.Errorf("something is called %.20q, want different names, each a colour and a kind", it.Name)
		}
		seen[it.Name] = true
	}
	return nil
}

// checkDoors refuses doors that do not fit.
func (h layout) checkDoors() error {
	type wall struct {
		room int8
		side int
	}
	locks, seen := 0, map[any]bool{}
	for _, d := range h.Doors {
		if d.From < 0 || d.To < 0 || int(max(d.From, d.To)) >= len(h.Rooms) || d.From == d.To || d.Side < 0 || d.Side > 3 {
			return fmt.Errorf("a door leads from room %d to room %d, side %d, want two of %d rooms and a side of 0 to 3", d.From, d.To, d.Side, len(h.Rooms))
		}
		one, other := wall{d.From, d.Side}, wall{d.To, (d.Side + 2) % 4}
		if seen[one] || seen[other] {
			return fmt.Errorf("two doors are in one wall of room %d or %d", d.From, d.To)
		}
		seen[one], seen[other] = true, true
		if d.Lock == "" {
			continue
		}
		if locks++; locks > mostLocks || !slices.Contains(colours, d.Lock) || seen[d.Lock] {
			return fmt.Errorf("a lock is %.20q, want up to %d locks of different colours", d.Lock, mostLocks)
		}
		seen[d.Lock] = true
	}
	return nil
}

// lockOf is the number of the door that an item is the key of, -1 if there is none.
func (h layout) lockOf(thing int) int {
	colour, kind, _ := strings.Cut(h.Items[thing].Name, " ")
	if kind != "key" {
		return -1
	}
	return slices.IndexFunc(h.Doors, func(d door) bool { return d.Lock == colour })
}

// Rules implements [games.Start].
func (h layout) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"You are in a house with %d rooms, and see the room that you are in. %s The episode is won as soon as that is so, and lost when your moves are used up. You can carry %s at once. " +
			"These are the moves, with examples of names: go north; take red cup; drop red cup; open green box; put red cup in green box; unlock blue door with blue key; look. " +
			"A locked door is opened by the key of its colour, which you must carry. Boxes cannot be carried, and show what is in them once they are open. %s",
		"The house has %d rooms; you only see the one where you are. %s You win at the moment when this is done, and have a limited number of moves. You can hold %s at a time. You can write: go and a direction " +
			"(go west), take and a thing (take red cup), drop and a thing, open and a box (open green box), put a thing in an open box (put red cup in green box), unlock a door with a key that you carry " +
			"(unlock blue door with blue key; the colours must match), or look. Boxes stay where they are. %s",
		"There are %d rooms, and you see what is in yours. %s Then you have won; if you run out of moves, you have lost. Your hands hold %s. Moves are: go DIRECTION, take THING, drop THING, open BOX, put THING in BOX, " +
			"unlock DOOR with KEY, look; for example: go east, take red cup, open green box, put red cup in green box, unlock blue door with blue key. A key fits the door of its colour. " +
			"You find out what is in a box by opening it, and cannot take it with you. %s",
	}[wording], len(h.Rooms), h.wish(wording), counted1(h.Hands), byPlan[wording])
}

// counted1 counts things.
func counted1(n int) string {
	if n == 1 {
		return "one thing"
	}
	return fmt.Sprintf("%d things", n)
}

// wish says what is to be done.
func (h layout) wish(wording int) string {
	where := "on the floor of the %s"
	if int(h.Goal) >= len(h.Rooms) {
		where = "in the %s"
	}
	return fmt.Sprintf([]string{"Your goal: the %s is %s.", "Your task is done when the %s is %s.", "See to it that the %s is %s."}[wording], h.Items[h.Thing].Name, fmt.Sprintf(where, h.nameOf(h.Goal)))
}

// nameOf is the name of a place.
func (h layout) nameOf(place int8) string {
	if n := int(place) - len(h.Rooms); n >= 0 {
		return h.Boxes[n].Name
	}
	return h.Rooms[place]
}

// byPlan say what a win is worth.
var byPlan = [3]string{
	"A win is worth the length of the shortest plan of somebody who knows the house, divided by the number of your moves.",
	"The fewer moves you need, the more a win is worth: the moves of a shortest plan made with full knowledge of the house, divided by yours.",
	"If you win with the fewest moves that are possible in this house, you get 1, and with twice as many one half.",
}

// Example implements [games.Start].
func (h layout) Example() string { return "go north" }

// Turns implements [games.Start]: there is room for one reply without a legal move.
func (h layout) Turns() int { return h.Moves + 1 }

// Match implements [games.Start].
func (h layout) Match(_ games.Luck, tables *games.Tables) games.Match {
	house := &house{layout: h}
	house.plans = sync.OnceValue(func() plans { return games.Table(tables, fmt.Sprint(h), house.solve) })
	return &visiting{trail{puzzle: visit{house, house.begin()}, limit: h.Moves}}
}

// A visiting is an episode.
type visiting struct{ trail }

// Show implements [games.Match].
func (v *visiting) Show() string {
	return fmt.Sprintf("%s\nMoves made: %d of at most %d.", v.show(), v.used, v.limit)
}

// Move implements [games.Match].
func (v *visiting) Move(text string) (told, why string) { return v.step(strings.ToLower(text)) }
