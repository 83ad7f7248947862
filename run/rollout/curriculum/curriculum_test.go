package curriculum

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// adaptive returns settings of the mode curriculum.
func adaptive(by Controller) Settings {
	s := Default()
	s.Mode, s.Controller = Adaptive, by
	return s
}

// open returns a curriculum over a course of 3 levels and one of 5.
func open(t *testing.T, s Settings) *Curriculum {
	t.Helper()
	c, err := New(s, 7, []Course{{"short", 3, 1}, {"long", 5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Scores of a group of four.
var (
	wrong  = []float64{0, 0, 0, 0}
	half   = []float64{0, 1, 0, 1}
	most   = []float64{1, 1, 1, 0}
	solved = []float64{1, 1, 1, 1}
)

// play makes draws and notes the scores that each rung gives. It returns the number of
// draws per rung.
func play(c *Curriculum, draws int, scores func(rung int) []float64) [8]int {
	var count [8]int
	for range draws {
		rung := c.Choose()
		count[rung]++
		c.Note(rung, scores(rung))
	}
	return count
}

func TestLevelMixesTheTwoLevelsNextToAPlace(t *testing.T) {
	r := rng.New(1, "levels")
	for _, test := range []struct {
		complexity float64
		n          int
		want       map[int]float64 // share of each level
		why        string
	}{
		{0, 6, map[int]float64{0: 1}, "the easiest alone"},
		{1, 6, map[int]float64{5: 1}, "the hardest alone"},
		{0.4, 6, map[int]float64{2: 1}, "exactly at a level"},
		{0.45, 6, map[int]float64{2: 0.75, 3: 0.25}, "a quarter of the way to the next"},
		{0.01, 6, map[int]float64{0: 0.95, 1: 0.05}, "even the smallest complexity changes something"},
		{0.5, 4, map[int]float64{1: 0.5, 2: 0.5}, "between two"},
		{0.7, 1, map[int]float64{0: 1}, "there is only one"},
	} {
		const draws = 20_000
		count := map[int]int{}
		for range draws {
			count[Level(r, test.complexity, test.n)]++
		}
		for level := range test.n {
			if got := float64(count[level]) / draws; math.Abs(got-test.want[level]) > 0.015 {
				t.Errorf("complexity %v of %d levels: level %d has the share %.3f, want %v: %s", test.complexity, test.n, level, got, test.want[level], test.why)
			}
		}
	}
}

func TestRandomPlaysAllLevelsAndKeepsTheWeights(t *testing.T) {
	s := Default()
	s.Mode = Random
	c := open(t, s)
	count := play(c, 30_000, func(int) []float64 { return solved })
	want := [8]float64{1. / 12, 2. / 12, 1. / 12, 2. / 24, 4. / 24, 4. / 24, 4. / 24, 2. / 24} // the outer levels are half of one gap, the inner ones of two
	for rung, n := range count {
		if got := float64(n) / 30_000; math.Abs(got-want[rung]) > 0.01 {
			t.Errorf("rung %d has the share %.3f, want %.3f", rung, got, want[rung])
		}
	}
	for _, one := range c.Standings() {
		if one.Complexity != 0.5 || one.PassRate != 1 || one.Moved || one.Target != 0 {
			t.Errorf("standing %+v", one)
		}
	}
}

func TestTeachingGoesUpAndComesDown(t *testing.T) {
	c := open(t, adaptive(Teaching))
	if rung := c.Choose(); rung != 0 && rung != 3 {
		t.Errorf("the first draw is of rung %d, want an easiest level", rung)
	}
	can := func(levels int) func(int) []float64 { // the policy can do that many levels, and half of the next
		return func(rung int) []float64 {
			level := rung
			if rung >= 3 {
				level -= 3
			}
			switch {
			case level < levels:
				return solved
			case level == levels:
				return half
			}
			return wrong
		}
	}
	for _, test := range []struct {
		levels int
		want   [2]float64 // complexity of each course
		why    string
	}{
		{0, [2]float64{0, 0}, "it begins at the easiest level"},
		{1, [2]float64{0.5, 0.25}, "it goes up when a level is solved"},
		{2, [2]float64{1, 0.5}, "and again"},
		{4, [2]float64{1, 1}, "to the top"},
		{1, [2]float64{0.5, 0.25}, "and comes down when nothing is right there any more"},
		{-1, [2]float64{0.15, 0.1}, "down to the easiest level, if nothing is right at all"},
	} {
		play(c, 3000, can(test.levels))
		for i, one := range c.Standings() {
			if one.Moved != (one.Complexity > 0.05) || one.Target != 0 {
				t.Errorf("with %d levels solved, %+v", test.levels, one)
			}
			if math.Abs(one.Complexity-test.want[i]) > 0.05 {
				t.Errorf("with %d levels solved, %s has the complexity %.3f, want about %v: %s", test.levels, one.Name, one.Complexity, test.want[i], test.why)
			}
		}
	}
}

// While nothing is right, harder levels are tried, but the easiest is played.
func TestTeachingStaysDownWhileNothingIsRight(t *testing.T) {
	c := open(t, adaptive(Teaching))
	total := [8]int{}
	for range 100 {
		for rung, n := range play(c, 20, func(int) []float64 { return wrong }) {
			total[rung] += n
		}
		for _, one := range c.Standings() {
			if one.Complexity > 0.35 {
				t.Fatalf("after draws %v, standing %+v: want the easiest levels", total, one)
			}
		}
	}
	if easiest := total[0] + total[3]; easiest < 1400 {
		t.Errorf("of 2000 draws, the rungs got %v: want seven tenths of the easiest", total)
	}
}

// A level that is never solved does not keep the policy from those above it.
func TestTeachingPassesAHopelessLevel(t *testing.T) {
	c := open(t, adaptive(Teaching))
	count := play(c, 40, func(rung int) []float64 {
		if rung == 0 || rung == 3 {
			return wrong
		}
		return half
	})
	if count[0]+count[3] > 8 {
		t.Errorf("of 40 draws, the rungs got %v: want few of the easiest", count)
	}
}

func TestTeachingMovesShareAndGivesNothingUp(t *testing.T) {
	for _, test := range []struct {
		short []float64 // scores of the course that does not teach
		why   string
	}{{wrong, "hopeless"}, {solved, "solved"}} {
		c := open(t, adaptive(Teaching))
		scores := func(rung int) []float64 {
			if rung < 3 {
				return test.short
			}
			return half
		}
		play(c, 500, scores)
		count := play(c, 5000, scores)
		n := count[0] + count[1] + count[2]
		if n < 5000*3/100/3 || n > 500 {
			t.Errorf("%s: %d of 5000 draws, want a few", test.why, n)
		}
		if test.why == "solved" && (count[0] == 0 || count[1] == 0) {
			t.Errorf("%s: its levels were drawn %v times: none is given up", test.why, count[:3])
		}
		all := c.Standings()
		if share := all[0].Share; math.Abs(share-float64(n)/5000) > 0.03 || math.Abs(share+all[1].Share-1) > 1e-9 {
			t.Errorf("%s: the share is said to be %.3f, and %d of 5000 were drawn", test.why, share, n)
		}
		back := play(c, 1000, func(int) []float64 { return most })
		if n := back[0] + back[1] + back[2]; n < 250 {
			t.Errorf("%s: %d of 1000 draws once it teaches again, want a third", test.why, n)
		}
	}
}

// The numbers are worked out by hand from Atropos' rules.
func TestAtroposMovesAsItsEnvironmentDoes(t *testing.T) {
	for _, test := range []struct {
		why    string
		level  float64 // before
		scores []float64
		want   float64
	}{
		{"two groups are too few", 0.3, []float64{1, 1}, 0.3},
		{"the third moves it, by the fast path", 0.3, []float64{1, 1, 1}, 0.4},
		{"far above the middle there is no fast path up", 0.6, []float64{1, 1, 1}, 0.65},
		{"it does not pass 1", 0.98, []float64{1, 1, 1}, 1},
		{"fast down from above the middle", 0.6, []float64{0, 0, 0}, 0.5},
		{"slowly down from below it", 0.4, []float64{0, 0, 0}, 0.35},
		{"it does not pass 0", 0.02, []float64{0, 0, 0}, 0},
		{"near the target it stays", 0.3, []float64{0.7, 0.7, 0.7}, 0.3},
		{"unstable scores make the step smaller", 0.6, []float64{0, 0, 0.9}, 0.6 - 0.05*(1-math.Sqrt(0.18))},
		{"but no less than half of it", 0.6, []float64{0, 0, 1.5}, 0.6 - 0.05*0.5},
	} {
		c := climb{Level: test.level}
		for _, score := range test.scores {
			c.note(score, 0.7)
		}
		if math.Abs(c.Level-test.want) > 1e-12 {
			t.Errorf("%s: from %v to %v, want %v", test.why, test.level, c.Level, test.want)
		}
	}
}

// A killed process resumes from its state: the next 1,000 draws are those of an
// uninterrupted one.
func TestACurriculumGoesOnFromItsState(t *testing.T) {
	random := Default()
	random.Mode = Random
	for _, s := range []Settings{random, adaptive(Atropos), adaptive(Teaching)} {
		c, r := open(t, s), rng.New(3, "scores")
		for range 100 {
			play(c, 7, func(rung int) []float64 { return []float64{r.Float(), float64(r.Between(0, 1)), 1 / float64(rung+1)} })
			kept, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			again := open(t, s)
			if err := json.Unmarshal(kept, again); err != nil {
				t.Fatal(err)
			}
			if same, _ := json.Marshal(again); string(same) != string(kept) {
				t.Fatalf("%s: kept as %s, and again as %s", s.Controller, kept, same)
			}
			if r.Chance(0.9) {
				c = again
				continue
			}
			scores := func(rung int) []float64 { return []float64{0, 1 / float64(rung+1), 0.5} }
			for i := range 1000 {
				a, b := c.Choose(), again.Choose()
				if a != b {
					t.Fatalf("%s, %s: draw %d is %d, want %d", s.Mode, s.Controller, i, b, a)
				}
				c.Note(a, scores(a))
				again.Note(b, scores(b))
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		courses []Course
		want    string
	}{
		{nil, "no course"},
		{[]Course{{"a", 1, 1}, {"a", 1, 1}}, "course a is listed twice"},
		{[]Course{{"a", 0, 1}}, "course a: levels is 0"},
		{[]Course{{"a", 1, 0}}, "course a: weight is 0"},
		{[]Course{{"a", 1, math.NaN()}}, "course a: weight is NaN"},
	} {
		if _, err := New(Default(), 1, test.courses); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one that says %q", test.courses, err, test.want)
		}
	}
}

// states are stored states, good and bad.
var states = []struct {
	text, want string // want: part of the error; empty: none
	why        string
}{
	{`{}`, "", "a curriculum that was never used"},
	{`{"draws":3,"courses":{"short":{"rungs":[{"groups":1,"scores":1,"spread":0},{},{}],"climb":{"level":0.3}},"gone":{"climb":{"level":1}}}}`, "", "a course that is no longer there"},
	{`{"courses":{"short":{"rungs":[{}],"climb":{"level":0.3}}}}`, "", "another number of levels"},
	{`{"draws":-1}`, "draws is -1", "a negative count"},
	{`{"courses":{"short":{"rungs":[{"groups":1,"spread":2}]}}}`, "course short: level 0", "more spread than groups"},
	{`{"courses":{"short":{"rungs":[{"groups":1e200}]}}}`, "course short: level 0", "numbers that overflow"},
	{`{"courses":{"short":{"climb":{"level":1.5}}}}`, "course short: climb", "a complexity above 1"},
	{`{"courses":{"short":{"climb":{"level":0.5,"last":[1,1,1,1,1,1]}}}}`, "course short: climb", "more groups than are kept"},
	{`[]`, "cannot unmarshal", "no object"},
}

func TestInvalidStatesAreRefused(t *testing.T) {
	for _, test := range states {
		c := open(t, adaptive(Teaching))
		before := fmt.Sprint(c.Standings())
		err := json.Unmarshal([]byte(test.text), c)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one that says %q", test.why, err, test.want)
		}
		if err != nil && fmt.Sprint(c.Standings()) != before {
			t.Errorf("%s: the curriculum has changed", test.why)
		}
	}
}

func FuzzState(f *testing.F) {
	for _, s := range states {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := open(t, adaptive(Teaching))
		if json.Unmarshal([]byte(text), c) != nil {
			return
		}
		play(c, 20, func(int) []float64 { return half })
		if _, err := json.Marshal(c); err != nil {
			t.Errorf("after %s: %v", text, err)
		}
	})
}
