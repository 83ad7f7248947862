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

// A crate is a position of Sokoban as a second reader of the picture keeps it.
type crate struct{ picture string }

// after is the picture after a step, worked out on the text alone.
func (c crate) after(name string, cols int) (crate, bool) {
	me := strings.IndexAny(c.picture, "@+")
	step := map[string]int{"left": -1, "right": 1, "up": -cols, "down": cols}[name]
	cells := []byte(c.picture)
	leave, enter := map[byte]byte{'@': '-', '+': '.', '$': '-', '*': '.'}, func(at int, on, onGoal byte) bool {
		switch cells[at] {
		case '-':
			cells[at] = on
		case '.':
			cells[at] = onGoal
		default:
			return false
		}
		return true
	}
	if to := cells[me+step]; to == '$' || to == '*' {
		cells[me+step] = leave[to]
		if !enter(me+2*step, '$', '*') {
			return c, false
		}
	}
	if !enter(me+step, '@', '+') {
		return c, false
	}
	cells[me] = leave[cells[me]]
	return crate{string(cells)}, true
}

// shortest searches forward for the shortest solution; far: there is none.
func (c crate) shortest(cols int) int {
	seen := map[crate]bool{c: true}
	now := []crate{c}
	for length := 0; len(now) > 0; length++ {
		var next []crate
		for _, at := range now {
			if !strings.Contains(at.picture, "$") {
				return length
			}
			for _, name := range directions {
				if to, can := at.after(name, cols); can && !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		now = next
	}
	return far
}

// Lengths are those of a forward search, and steps those of a second program that reads pictures.
func TestSokobanIsSolvedAsByASecondProgram(t *testing.T) {
	sizes := []int{20, 10, 2}
	if scenariotest.Heavy {
		sizes = []int{200, 100, 30, 5, 1}
	}
	for level, boards := range sizes {
		p := sokobanPlay.Levels[level]
		dead := 0
		for index := range boards {
			r := rng.New(1, "second", fmt.Sprint(level, index))
			s, err := makeSokoban(p, r)
			if err != nil {
				t.Fatal(err)
			}
			m := s.Match(games.Luck{}, new(games.Tables)).(*walk)
			if want := (s.Steps - 4) / 2; m.left(mostAway) != want || want < p.Shortest || want > p.Longest {
				t.Fatalf("%v is %d steps from its end, want %d", s.Rows, m.left(mostAway), want)
			}
			for range 12 {
				at := crate{strings.Join(m.puzzle.(pushing).text(m.puzzle.(pushing).stand), "")}
				if got, want := m.left(mostAway), at.shortest(p.Size); got != want {
					t.Fatalf("%q is %d steps from its end, want %d", at.picture, got, want)
				}
				if m.left(mostAway) == far {
					dead++
					break
				}
				name := rng.Pick(r, directions[:])
				after, can := at.after(name, p.Size)
				_, why := m.Move(name)
				if got := strings.Join(m.puzzle.(pushing).text(m.puzzle.(pushing).stand), ""); got != after.picture || can != (why == "") {
					t.Fatalf("%s from %q leads to %q (%q), want %q", name, at.picture, got, why, after.picture)
				}
				if m.done() {
					break
				}
			}
		}
		if dead == 0 && level < 3 && (level < 2 || scenariotest.Heavy) {
			t.Errorf("level %d: no box was ever stuck", level)
		}
	}
}

func TestSokobanTellsWhatBlocksAStep(t *testing.T) {
	start := sokoban{Rows: []string{
		"#######",
		"#@$$-.#",
		"#-$--.#",
		"#-.---#",
		"#######",
	}, Steps: 30}
	if err := task.Check(start); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ move, told, why string }{
		{"up", "", "you cannot go up, as a wall is in the way"},
		{"right down", "", "you cannot go right, as another box is behind the box"},
		{"down up up left", "You moved down up. Then you stopped: you cannot go up, as a wall is in the way.", ""},
		{"DOWN down RIGHT up", "You moved down down right. Then you stopped: you cannot go up, as another box is behind the box.", ""},
		{"down down right right up right right right right", "", "it has 9 steps, want 1 to 8"},
		{"down, down", "", `"down," is none of up, down, left and right`},
		{"", "", "it has 0 steps, want 1 to 8"},
		{"down right right", "You moved down right right.", ""},
	} {
		m := start.Match(games.Luck{}, new(games.Tables))
		if told, why := m.Move(c.move); told != c.told || why != c.why {
			t.Errorf("%q is told %q, %q, want %q, %q", c.move, told, why, c.told, c.why)
		}
	}
}

// A stuck box costs everything at once, and the steps run out.
func TestSokobanEnds(t *testing.T) {
	start := sokoban{Rows: []string{"#####", "#-$.#", "#-@-#", "#---#", "#####"}, Steps: 14} // the box is at the upper wall, as is the goal
	m := start.Match(games.Luck{}, new(games.Tables))
	if told, _ := m.Move("left up right right"); told != "You moved left up right." {
		t.Errorf("the move that solves it is told as %q", told)
	}
	if worth, over := m.Over(); worth != 1 || !over {
		t.Errorf("the shortest solution is worth %v, over %v", worth, over)
	}
	start = sokoban{Rows: []string{"######", "#-$-.#", "#-@--#", "######"}, Steps: 10}
	m = start.Match(games.Luck{}, new(games.Tables))
	m.Move("right left") // there and back costs 2 of 4 more
	if got := m.Value(); got != 4.0/6 {
		t.Errorf("two wasted steps leave the value %v", got)
	}
	m.Move("right up left")
	if got := m.Value(); got != 0 {
		t.Errorf("a box in a corner leaves the value %v", got)
	}
	m.Move("right left right left right left")
	if worth, over := m.Over(); worth != 0 || !over {
		t.Errorf("after all steps, the episode is worth %v, over %v", worth, over)
	}
}

func TestSokobanKeysAreThoseOfThePicture(t *testing.T) {
	rows := []string{"#####", "#-$.#", "#-@-#", "#--##", "#####", "#####"}
	want := sokoban{Rows: rows}.Canonical()
	for range 4 {
		rows = turned(rows)
		mirrored := slices.Clone(rows)
		slices.Reverse(mirrored)
		for _, other := range [][]string{rows, mirrored} {
			if got := (sokoban{Rows: other}).Canonical(); got != want {
				t.Errorf("%v has the key %q, want %q", other, got, want)
			}
		}
	}
	if other := (sokoban{Rows: []string{"#####", "#-$.#", "#--@#", "#--##", "#####", "#####"}}).Canonical(); other == want {
		t.Errorf("another board has the same key %q", other)
	}
}

func TestSokobanChecksRecords(t *testing.T) {
	tasktest.RefusedRecords(t, sokobanPlay.Game().Task, []string{
		`{"start":{"rows":[],"steps":9}}`,
		`{"start":{"rows":["####","#@$.","###"],"steps":9}}`,
		`{"start":{"rows":["#####","#@x.#","#####"],"steps":9}}`,
		`{"start":{"rows":["#####","#@@$.#","#####"],"steps":9}}`,
		`{"start":{"rows":["######","#@-$-#","######"],"steps":9}}`,
		`{"start":{"rows":["######","#-@-*#","######"],"steps":9}}`,
		`{"start":{"rows":["######","#-@$.#","######"],"steps":0}}`,
		`{"start":{"rows":["######","#-@$.#","######"],"steps":255}}`,
		`{"start":{"rows":["######","#-@$.#","######"],"steps":9},"wording":3}`,
		`{"start":{"rows":["----------","----------","--@$.-----","----------","----------"],"steps":9}}`,
	})
	tasktest.Refused(t, sokobanPlay.Game().Task, map[string]string{
		`{"size":9}`: "size", `{"boxes":4}`: "boxes", `{"walls":51}`: "walls", `{"shortest":9,"longest":8}`: "shortest",
	})
}
