package guess

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// every lists all layouts of mines.
func every(side, mines int) (layouts []uint64) {
	for l := range uint64(1) << (side * side) {
		if bits.OnesCount64(l) == mines {
			layouts = append(layouts, l)
		}
	}
	return layouts
}

// The layouts that fit an opening are those that trying all finds, and so are the safe cells.
func TestLayoutsAreBruteForce(t *testing.T) {
	r := rng.New(1, "fields")
	for range 300 {
		side := r.Between(3, 4)
		count := r.Between(1, side*side/3)
		f, all := newMinefield(side), every(side, count)
		hidden := rng.Pick(r, all)
		var open uint64
		for range r.Between(0, 4) {
			if cell := r.Between(0, side*side-1); hidden>>cell&1 == 0 {
				open = f.opened(open, hidden, cell)
			}
		}
		var want []uint64
		for _, l := range all {
			fits := l&open == 0
			for cell := range cells(open) {
				fits = fits && f.number(cell, l) == f.number(cell, hidden)
			}
			if fits {
				want = append(want, l)
			}
		}
		got := f.layouts(open, hidden, 10_000)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("side %d, mines %x, open %x: layouts %x, want %x", side, hidden, open, got, want)
		}
		if len(want) > 1 && f.layouts(open, hidden, len(want)-1) != nil {
			t.Fatalf("side %d, mines %x, open %x: more layouts than allowed", side, hidden, open)
		}
	}
}

// The best play clears a field as often as is known.
func TestWinsAreKnown(t *testing.T) {
	for _, c := range []struct {
		side, mines, want int
		why               string
	}{
		{3, 2, 24, "the specification: 24 of 36, by search in Python, the first cell may be a mine"},
		{3, 1, 8, "the first cell is no mine in 8 of 9, and then there is always a safe cell"},
	} {
		g := odds{newMinefield(c.side), map[string]int{}}
		if got := g.wins(every(c.side, c.mines)); got != c.want {
			t.Errorf("%d×%d with %d mines is cleared in %d layouts, want %d: %s", c.side, c.side, c.mines, got, c.want, c.why)
		}
	}
}

// The search for the best play finds what plain search finds.
func TestWinsAreBruteForce(t *testing.T) {
	f := newMinefield(3)
	var plain func(open uint64, layouts []uint64) int
	plain = func(open uint64, layouts []uint64) (most int) {
		if len(layouts) == 0 || open == f.all()&^layouts[0] {
			return len(layouts)
		}
		for cell := range cells(f.all() &^ open) {
			wins := 0
			for number := range 9 {
				if left := f.agree(layouts, cell, number); len(left) > 0 {
					wins += plain(open|1<<cell, left)
				}
			}
			most = max(most, wins)
		}
		return most
	}
	r := rng.New(1, "gambles")
	for range 60 {
		all := every(3, r.Between(2, 4))
		layouts := rng.Sample(r, all, r.Between(2, 6))
		g := odds{f, map[string]int{}}
		var open uint64
		for cell := range cells(f.safe(layouts)) { // what is safe may be open already, as far as all agree
			if len(f.agree(layouts, cell, f.number(cell, layouts[0]))) == len(layouts) {
				open |= 1 << cell
			}
		}
		if got, want := g.wins(layouts), plain(open, layouts); got != want {
			t.Fatalf("layouts %x are won in %d, plain search says %d", layouts, got, want)
		}
	}
}

// Where no guess is needed, a guess earns nothing for the cells that it opens, and a mine nothing
// for those that are left.
func TestGuessesEarnNothing(t *testing.T) {
	r := rng.New(1, "guesses")
	seen := map[string]bool{}
	for range 100 {
		start, err := makeMines(minesweeperPlay.Levels[0], r)
		if err != nil {
			t.Fatal(err)
		}
		m := start.Match(games.Luck{}, new(games.Tables))
		closed := func() float64 { return float64(strings.Count(m.Show(), "#") - start.Mines) }
		all, certain, lucky := closed(), 0.0, 0.0
		for over := false; !over; _, over = m.Over() {
			move, left := rng.Pick(r, slices.Concat(m.Best(), m.Allowed())), closed()
			best := slices.Contains(m.Best(), move)
			told, _ := m.Move(move)
			var want float64
			switch hit := strings.HasSuffix(told, "It has a mine."); {
			case hit:
				want = certain / all
				seen["mine"] = true
			case best:
				certain += left - closed()
				want = (all - lucky) / all
			default:
				lucky += left - closed()
				want = (all - lucky) / all
				seen["luck"] = true
			}
			if math.Abs(m.Value()-want) > 1e-9 {
				t.Fatalf("%s The value is %v, want %v", told, m.Value(), want)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("not all cases were seen: %v", seen)
	}
}

// Where a guess is needed, bad luck with the best move costs nothing, and a mine that was not worth
// its risk costs all.
func TestRisksAreJudged(t *testing.T) {
	r := rng.New(1, "risks")
	cases := map[string]int{}
	for range 200 {
		start, err := makeMines(minesweeperPlay.Levels[3], r)
		if err != nil {
			t.Fatal(err)
		}
		m := start.Match(games.Luck{}, new(games.Tables))
		for range start.Turns() {
			if _, over := m.Over(); over {
				break
			}
			before, move := m.Value(), rng.Pick(r, slices.Concat(m.Best(), m.Allowed()))
			best := slices.Contains(m.Best(), move)
			m.Move(move)
			worth, over := m.Over()
			lost := over && worth == 0
			after := m.Value()
			cases[fmt.Sprint("best ", best, ", lost ", lost)]++
			if best && after != before || !best && lost && after != 0 || !best && !lost && !(0 < after && after < before) {
				t.Fatalf("best %v, lost %v: the value goes from %v to %v", best, lost, before, after)
			}
		}
	}
	if len(cases) != 4 {
		t.Errorf("not all cases were seen: %v", cases)
	}
}

// A board and its mirror images have the same key.
func TestTurnedBoardsAreOne(t *testing.T) {
	r := rng.New(1, "turned")
	for range 20 {
		m, err := makeMines(minesweeperPlay.Levels[1], r)
		if err != nil {
			t.Fatal(err)
		}
		for turn := range 8 {
			other := sweep{mineParams: m.mineParams}
			for cell := range cells(m.turned(set(m.At), turn)) {
				other.At = append(other.At, cell)
			}
			for cell := range cells(m.turned(set(m.Open), turn)) {
				other.Open = append(other.Open, cell)
			}
			if err := task.Check(other); err != nil {
				t.Fatal(err)
			}
			if m.Canonical() != other.Canonical() {
				t.Fatalf("%+v has the key %s, and turned %s", m, m.Canonical(), other.Canonical())
			}
		}
	}
}

// Layouts that the drawing cannot tell apart look the same.
func TestMinesAreHidden(t *testing.T) {
	var seen []string
	for _, at := range []int{0, 2} { // beside the open middle and b1
		m := sweep{mineParams: mineParams{Side: 3, Mines: 1, Closed: 1}, At: []int{at}, Open: []int{4}}
		match := m.Match(games.Luck{}, new(games.Tables))
		before := m.Rules(0) + match.Show()
		told, why := match.Move("b1")
		seen = append(seen, before+told+why+match.Show())
	}
	if seen[0] != seen[1] {
		t.Errorf("two layouts look different: %q", seen)
	}
}
