package alone

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// plan searches all positions move by move, with everything in them, for the shortest plan.
func plan1(v visit, most int) int {
	seen := map[inside]bool{v.inside: true}
	now := []inside{v.inside}
	for length := 0; length <= most && len(now) > 0; length++ {
		var next []inside
		for _, in := range now {
			at := visit{v.house, in}
			if at.done() {
				return length
			}
			for _, name := range at.moves() {
				if after, _, _ := at.act(name); !seen[after] {
					seen[after] = true
					next = append(next, after)
				}
			}
		}
		now = next
	}
	return far
}

// The outlines leave nothing out that matters for the length of a plan.
func TestRoomsPlansAreAsShortAsCanBe(t *testing.T) {
	sizes := []int{10, 6, 2}
	if scenariotest.Heavy {
		sizes = []int{40, 30, 10, 2}
	}
	for level, n := range sizes {
		for index := range n {
			r := rng.New(1, "plans", fmt.Sprint(level, index))
			h, err := makeRooms(roomsGame.Levels[level], r)
			if err != nil {
				t.Fatal(err)
			}
			if beside := len(h.Boxes) > 0 && index%2 == 0 && h.Items[h.Thing].In != h.Boxes[0].In; beside {
				h.Goal = h.Boxes[0].In // the thing may lie beside its goal, in the box
			}
			m := h.Match(games.Luck{}, new(games.Tables)).(*visiting)
			for range 12 {
				v := m.puzzle.(visit)
				most := 14
				if got, want := v.left(most), plan1(v, most); got != want {
					t.Fatalf("%+v: the shortest plan from %+v has %d moves, want %d", h, v.inside, got, want)
				}
				m.Move(rng.Pick(r, handier(r, v.moves())))
				if m.done() {
					break
				}
			}
		}
	}
}

// handier are, sometimes, only the moves that handle things.
func handier(r *rng.Rand, moves []string) []string {
	some := slices.DeleteFunc(slices.Clone(moves), func(name string) bool {
		return strings.HasPrefix(name, "go") || strings.HasPrefix(name, "drop") || name == "look"
	})
	if len(some) == 0 || r.Chance(0.4) {
		return moves
	}
	return some
}

// What lies in a box beside its goal is not there yet.
func TestRoomsTellABoxFromTheFloor(t *testing.T) {
	h := smallHouse()
	h.Goal = 2 // the floor of the kitchen, where the blue box is
	m := h.Match(games.Luck{}, new(games.Tables)).(*visiting)
	for _, move := range []string{"take green ball", "go east", "open blue box", "put green ball in blue box"} {
		if _, why := m.Move(move); why != "" {
			t.Fatalf("%q: %s", move, why)
		}
	}
	if got := m.Value(); m.done() || got != 3.0/6 || !slices.Equal(m.Best(), []string{"take green ball"}) {
		t.Errorf("the value is %v, done %v, the best moves are %q", got, m.done(), m.Best())
	}
	m.Move("take green ball")
	m.Move("drop green ball")
	if worth, over := m.Over(); worth != 0.5 || !over {
		t.Errorf("in the end it is worth %v, over %v", worth, over)
	}
}

// everyMove is every move of a house that the grammar knows.
func everyMove(h layout) (names []string) {
	for _, side := range sides {
		names = append(names, "go "+side)
	}
	for _, it := range slices.Concat(h.Items, h.Boxes) {
		names = append(names, "take "+it.Name, "drop "+it.Name, "open "+it.Name)
		for _, b := range h.Boxes {
			names = append(names, "put "+it.Name+" in "+b.Name)
		}
	}
	for _, door := range colours {
		for _, key := range colours {
			names = append(names, "unlock "+door+" door with "+key+" key")
		}
	}
	return append(names, "look")
}

// The moves that are listed are those of all that no rule forbids.
func TestRoomsListTheLegalMoves(t *testing.T) {
	for index := range 20 {
		r := rng.New(1, "legal", fmt.Sprint(index))
		h, err := makeRooms(roomsGame.Levels[3], r)
		if err != nil {
			t.Fatal(err)
		}
		h.Hands = 2
		v := visit{&house{layout: h}, (&house{layout: h}).begin()}
		for range 40 {
			var want []string
			for _, name := range everyMove(h) {
				if _, _, why := v.act(name); why == "" {
					want = append(want, name)
				}
			}
			got := v.moves()
			next := rng.Pick(r, got)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v: the moves are %q, want %q", v.inside, got, want)
			}
			v.inside, _, _ = v.act(next)
		}
	}
}

// A small house for the rules: hall – study in the north, behind a red door; kitchen in the east.
func smallHouse() layout {
	return layout{
		Rooms: []string{"hall", "study", "kitchen"},
		Doors: []door{{From: 0, Side: 0, To: 1, Lock: "red"}, {From: 0, Side: 1, To: 2}},
		Boxes: []item{{"blue box", 2}, {"white box", 0}},
		Items: []item{{"red key", 3}, {"green ball", 0}, {"blue key", 0}},
		Hands: 1, Thing: 1, Goal: 1, Moves: 40,
	}
}

func TestRoomsTellWhichRuleForbidsAMove(t *testing.T) {
	if err := task.Check(smallHouse()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ before, move, told, why string }{
		{"", "go west", "", "there is no door to the west"},
		{"", "go up", "", `"up" is none of north, east, south and west`},
		{"", "go north", "", "the red door to the north is locked"},
		{"", "go east", "You go east.", ""},
		{"", "take red key", "", `you see no "red key" here`},
		{"", "take blue box", "", `you see no "blue box" here`},
		{"", "take white box", "", "boxes cannot be carried"},
		{"take green ball", "take green ball", "", "you already carry the green ball"},
		{"take green ball", "take blue key", "", "your hands are full"},
		{"", "drop green ball", "", `you do not carry "green ball"`},
		{"take green ball; go east", "put green ball in blue box", "", "the blue box is closed"},
		{"take green ball; go east; open blue box", "put green ball in blue box", "You put the green ball in the blue box.", ""},
		{"take green ball; go east; open blue box", "put green ball in white box", "", `there is no "white box" here`},
		{"go east; open blue box", "open blue box", "", "the blue box is already open"},
		{"", "open blue box", "", `there is no box "blue box" here`},
		{"", "unlock red door with red key", "", `you do not carry "red key"`},
		{"take blue key", "unlock red door with blue key", "", "the blue key does not fit the red door"},
		{"", "unlock blue door with blue key", "", `there is no "blue door" here`},
		{"go east; open blue box; take red key; go west", "unlock red door with red key", "You unlock the red door.", ""},
		{"go east; open blue box; take red key; go west; unlock red door with red key", "unlock red door with red key", "", "the red door is not locked"},
		{"", "look", "You look around.", ""},
		{"", "Look", "You look around.", ""},
		{"", "look at blue key", "", `"look at blue key" is not of the forms go, take, drop, open, put … in …, unlock … with … and look`},
		{"", "take the blue key", "", `"take the blue key" is not of the forms go, take, drop, open, put … in …, unlock … with … and look`},
	} {
		m := smallHouse().Match(games.Luck{}, new(games.Tables)).(*visiting)
		for move := range strings.SplitSeq(c.before, "; ") {
			if _, why := m.Move(move); why != "" && move != "" {
				t.Fatalf("%q: %s", move, why)
			}
		}
		before := m.puzzle.(visit).inside
		told, why := m.Move(c.move)
		if told != c.told || why != c.why || why != "" && m.puzzle.(visit).inside != before {
			t.Errorf("after %q, %q is told %q, %q, want %q, %q", c.before, c.move, told, why, c.told, c.why)
		}
	}
}

// With one hand, the plan of the small house fetches the key, and then the ball.
func TestRoomsArePlayedToTheEnd(t *testing.T) {
	m := smallHouse().Match(games.Luck{}, new(games.Tables))
	var moves []string
	for len(moves) < 40 {
		if _, over := m.Over(); over {
			break
		}
		moves = append(moves, m.Best()[0])
		m.Move(m.Best()[0])
	}
	want := []string{"go east", "open blue box", "take red key", "go west", "unlock red door with red key", "drop red key", "take green ball", "go north", "drop green ball"}
	if worth, over := m.Over(); !slices.Equal(moves, want) || worth != 1 || !over {
		t.Errorf("the best play is %q, worth %v, over %v", moves, worth, over)
	}
	m = smallHouse().Match(games.Luck{}, new(games.Tables))
	m.Move("look")
	if got := m.Value(); got != 0.9 {
		t.Errorf("a look around leaves the value %v, want 9 moves of 10", got)
	}
}

// What is in other rooms and in closed boxes cannot be told from the first message.
func TestRoomsShowOneRoom(t *testing.T) {
	one, two := smallHouse(), smallHouse()
	two.Items = append(slices.Clone(two.Items), item{"white hat", 2}, item{"black lamp", 4}, item{"red cup", 1})
	two.Items[0].In = 2
	two.Boxes = []item{{"blue box", 1}, {"white box", 0}}
	two.Rooms = []string{"hall", "study", "cellar"}
	two.Moves = one.Moves
	for wording := range 3 {
		a := one.Rules(wording) + one.Match(games.Luck{}, new(games.Tables)).Show()
		b := two.Rules(wording) + two.Match(games.Luck{}, new(games.Tables)).Show()
		if a != b {
			t.Errorf("two houses that look alike are shown as\n%s\nand\n%s", a, b)
		}
	}
}

// A house has the same key when it is turned, renamed and listed in another order.
func TestRoomsKeys(t *testing.T) {
	one, other := smallHouse(), smallHouse()
	other.Rooms = []string{"pantry", "attic", "cellar"} // the kitchen, the hall and the study
	other.Doors = []door{{From: 1, Side: 2, To: 0}, {From: 2, Side: 1, To: 1, Lock: "black"}}
	other.Boxes = []item{{"red box", 1}, {"blue box", 0}}
	other.Items = []item{{"white hat", 1}, {"green cup", 1}, {"black key", 4}}
	other.At, other.Thing, other.Goal = 1, 1, 2
	if err := task.Check(other); err != nil {
		t.Fatal(err)
	}
	if a, b := one.Canonical(), other.Canonical(); a != b {
		t.Errorf("the keys are\n%s\n%s", a, b)
	}
	other.Items[2].In = 0
	if a, b := one.Canonical(), other.Canonical(); a == b {
		t.Errorf("two houses have the key %s", a)
	}
}

func TestRoomsCheckRecords(t *testing.T) {
	const rest = `"boxes":[{"name":"blue box","in":0}],"items":[{"name":"red cup","in":0}],"hands":1,"goal":1,"moves":9`
	base := layout{Rooms: []string{"hall", "study"}, Boxes: []item{{"blue box", 0}}, Items: []item{{"red cup", 0}}, Hands: 1, Goal: 1, Moves: 9}
	if err := task.Check(base); err != nil {
		t.Errorf("the house that the others begin from: %v", err)
	}
	house := func(text string) string { return `{"start":{` + text + `}}` }
	tasktest.RefusedRecords(t, roomsGame.Game().Task, []string{
		`{"start":{}}`,
		house(`"rooms":["hall"],` + rest),
		house(`"rooms":["hall","hall"],` + rest),
		house(`"rooms":["hall","dungeon"],` + rest),
		house(`"rooms":["hall","study"],"doors":[{"from":0,"side":4,"to":1}],` + rest),
		house(`"rooms":["hall","study"],"doors":[{"from":0,"side":0,"to":2}],` + rest),
		house(`"rooms":["hall","study"],"doors":[{"from":0,"side":0,"to":1},{"from":1,"side":2,"to":0}],` + rest),
		house(`"rooms":["hall","study"],"doors":[{"from":0,"side":0,"to":1,"lock":"oak"}],` + rest),
		house(`"rooms":["hall","study"],"at":2,` + rest),
		house(`"rooms":["hall","study"],"thing":1,` + rest),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"goal":1`, `"goal":0`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"goal":1`, `"goal":3`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"red cup","in":0`, `"red cup","in":3`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"red cup","in":0`, `"red cup","in":-1`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"blue box","in":0`, `"blue box","in":2`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `red cup`, `red rocket`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"hands":1`, `"hands":0`, 1)),
		house(`"rooms":["hall","study"],` + strings.Replace(rest, `"moves":9`, `"moves":900`, 1)),
		house(`"rooms":["hall","study"],"doors":[{"from":0,"side":0,"to":1,"lock":"red"}],` + strings.Replace(rest, `red cup`, `red key`, 1)),
	})
	tasktest.Refused(t, roomsGame.Game().Task, map[string]string{
		`{"rooms":9}`: "rooms", `{"locks":3}`: "locks", `{"boxes":3}`: "boxes", `{"others":7}`: "others", `{"hands":0}`: "hands", `{"shortest":2}`: "shortest",
	})
}
