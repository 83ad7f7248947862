package alone

import (
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// Whole tables have the known sizes and the known longest solutions.
func TestSlidingTablesHaveTheKnownFigures(t *testing.T) {
	for _, c := range []struct {
		rows, cols, positions, longest, far int
		why                                 string
	}{
		{2, 3, 360, 21, 1, "6!/2 positions; one takes 21 moves"},
		{3, 3, 181_440, 31, 2, "9!/2 positions; the two hardest of the 8-puzzle take 31 moves"},
	} {
		count := map[byte]int{}
		positions, longest := 0, 0
		for _, moves := range slidesOf(c.rows, c.cols)().tables[0] {
			if moves < 255 {
				positions, longest = positions+1, max(longest, int(moves))
				count[moves]++
			}
		}
		if positions != c.positions || longest != c.longest || count[byte(longest)] != c.far {
			t.Errorf("%d×%d has %d positions, %d of them at the greatest distance, %d: %s", c.rows, c.cols, positions, count[byte(longest)], longest, c.why)
		}
	}
}

// from searches forward, on the tiles alone, for all positions up to a distance.
func positionsNear(s *slides, most int) map[tiles]int {
	seen := map[tiles]int{s.home(): 0}
	now := []tiles{s.home()}
	for moves := 1; moves <= most; moves++ {
		var next []tiles
		for _, at := range now {
			for gap, tile := range at[:s.rows*s.cols] {
				if tile != 0 {
					continue
				}
				for _, to := range []int{gap - s.cols, gap + s.cols, gap - 1, gap + 1} {
					if to < 0 || to >= s.rows*s.cols || to/s.cols != gap/s.cols && to%s.cols != gap%s.cols {
						continue
					}
					after := at
					after[gap], after[to] = after[to], 0
					if _, known := seen[after]; !known {
						seen[after] = moves
						next = append(next, after)
					}
				}
			}
		}
		now = next
	}
	return seen
}

// The search with two tables finds the same lengths as a breadth-first search, and its solutions
// solve.
func TestSlidingSearchFindsShortestSolutions(t *testing.T) {
	s := slides3x4()
	n := 0
	for at, moves := range positionsNear(s, 14) {
		if n++; n > 2000 {
			break
		}
		way, _ := s.solve(at, moves+10)
		if len(way) != moves {
			t.Fatalf("%v is solved in %d moves, want %d", at, len(way), moves)
		}
		end := at
		for _, d := range way {
			end, _, _ = s.slide(end, s.gap(end), d)
		}
		if end != s.home() {
			t.Fatalf("%v: %v leads to %v", at, way, end)
		}
	}
}

// Whole tables say of each position whether it can be solved, and so does the parity.
func TestSlidingParity(t *testing.T) {
	for _, solver := range []*slides{slides2x3(), slides3x3()} {
		r := rng.New(1, "parity")
		for range 2000 {
			at := solver.home()
			rng.Shuffle(r, at[:solver.rows*solver.cols])
			if got, want := solver.solvable(at), solver.least(at) < 255; got != want {
				t.Fatalf("%v is solvable: %v, want %v", at, got, want)
			}
		}
	}
	for at := range positionsNear(slides3x4(), 8) {
		at[0], at[1], at[2] = at[1], at[2], at[0] // an even change, unless the gap moves
		if at[0] > 0 && at[1] > 0 && at[2] > 0 && !slides3x4().solvable(at) {
			t.Fatalf("%v is not solvable", at)
		}
		at[0], at[1] = at[1], at[0]
		if at[0] > 0 && at[1] > 0 && at[2] > 0 && slides3x4().solvable(at) {
			t.Fatalf("%v is solvable", at)
		}
	}
}

func TestSlidingTilesMoveAsTheyAreTold(t *testing.T) {
	start := sliding{Rows: 2, Columns: 3, Tiles: []int8{1, 2, 3, 0, 4, 5}, Moves: 8}
	for _, c := range []struct{ move, shown, told, why string }{
		{"left", "```\n1 2 3\n4 _ 5\n```", "You moved left.", ""},
		{"Left LEFT", "```\n1 2 3\n4 5 _\n```", "You moved left left.", ""},
		{"down", "```\n_ 2 3\n1 4 5\n```", "You moved down.", ""},
		{"down left down", "```\n2 _ 3\n1 4 5\n```", "You moved down left. Then you stopped: no tile can move down, as there is none above the empty cell.", ""},
		{"right", "", "", "no tile can move right, as there is none to the left of the empty cell"},
		{"up left", "", "", "no tile can move up, as there is none below the empty cell"},
		{"north", "", "", `"north" is none of up, down, left and right`},
	} {
		m := start.Match(games.Luck{}, new(games.Tables)).(*walk)
		told, why := m.Move(c.move)
		if told != c.told || why != c.why || why == "" && m.show() != c.shown {
			t.Errorf("%q is told %q, %q and leads to\n%s", c.move, told, why, m.show())
		}
	}
	m := start.Match(games.Luck{}, new(games.Tables)).(*walk)
	m.Move("down up left left")
	if worth, over := m.Over(); worth != 0.5 || !over {
		t.Errorf("4 moves where 2 do are worth %v, over %v", worth, over)
	}
}

// Mirror images at the diagonal share their key, and are as far from the end.
func TestSlidingKeys(t *testing.T) {
	one := sliding{Rows: 3, Columns: 3, Tiles: []int8{1, 2, 3, 4, 5, 6, 0, 7, 8}} // by hand: two moves of the lowest row
	two := sliding{Rows: 3, Columns: 3, Tiles: []int8{1, 2, 0, 4, 5, 3, 7, 8, 6}} // the same of the last column
	if one.Canonical() != two.Canonical() {
		t.Errorf("the keys are %q and %q", one.Canonical(), two.Canonical())
	}
	if a, b := slides3x3().least(one.position()), slides3x3().least(two.position()); a != 2 || b != 2 {
		t.Errorf("the lengths are %d and %d, want 2", a, b)
	}
	r := rng.New(1, "keys")
	keys := map[string]bool{}
	for range 50 {
		s, err := makeSliding(slidingPlay.Levels[3], r)
		if err != nil {
			t.Fatal(err)
		}
		keys[s.Canonical()] = true
	}
	if len(keys) < 45 {
		t.Errorf("50 frames have %d keys", len(keys))
	}
}

func TestSlidingChecksRecords(t *testing.T) {
	tasktest.RefusedRecords(t, slidingPlay.Game().Task, []string{
		`{"start":{}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[],"moves":9}}`,
		`{"start":{"rows":4,"columns":4,"tiles":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,0,15],"moves":9}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[1,2,3,4,5,0],"moves":9}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[2,1,3,4,0,5],"moves":9}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[1,2,3,4,4,0],"moves":9}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[1,2,3,4,0,5,6],"moves":9}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[1,2,3,4,0,5],"moves":0}}`,
		`{"start":{"rows":2,"columns":3,"tiles":[1,2,3,4,0,5],"moves":201}}`,
	})
	tasktest.Refused(t, slidingPlay.Game().Task, map[string]string{
		`{"rows":4}`: "rows", `{"columns":5}`: "columns", `{"shortest":0}`: "shortest", `{"longest":21}`: "longest",
	})
}
