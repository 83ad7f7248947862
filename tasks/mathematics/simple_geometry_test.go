package mathematics

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSimpleGeometryScore(t *testing.T) {
	item := simpleGeometryItem{NSides: 4, KnownAngles: []float64{100, 90, 160}, MissingRaw: 10, MissingRounded: 10}
	tasktest.Nears(t, simpleGeometry.Scorer(item), []tasktest.Near{
		{"10", 1, ""},
		{"10°", 2. / 3, "the sign is not asked for"},
		{"100", 0, "reasoning-gym pays for any text that contains the answer"},
		{" 10", 1, "another spelling"},
		{"10.0", 1, "another spelling"},
		{"1", 0, "a digit short"},
		{"11", 0, "one off"},
		{"350", 0, "the sum of the others"},
		{"-10", 0, ""},
		{"ten", 0, "a word"},
	})
	half := simpleGeometryItem{NSides: 3, KnownAngles: []float64{60.25, 60.25}, MissingRaw: 59.5, MissingRounded: 59.5}
	tasktest.Nears(t, simpleGeometry.Scorer(half), []tasktest.Near{{"59.5", 1, "a fraction"}})
	for _, bad := range []simpleGeometryItem{
		{NSides: 2, KnownAngles: []float64{1}, MissingRounded: -1},
		{NSides: 4, KnownAngles: []float64{60, 60}, MissingRounded: 60},
		{NSides: 3, KnownAngles: []float64{60, 60}, MissingRounded: 61},
		{NSides: 3, KnownAngles: []float64{60.01, 60}, MissingRounded: 60},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestSimpleGeometryParams(t *testing.T) {
	tasktest.Refused(t, simpleGeometry.Task(), map[string]string{
		`{"min_sides":2}`:                   "min_sides",
		`{"min_sides":7}`:                   "max_sides",
		`{"max_sides":361}`:                 "max_sides",
		`{"min_angle":0}`:                   "min_angle",
		`{"min_angle":61}`:                  "min_angle",
		`{"max_angle":180}`:                 "max_angle",
		`{"max_angle":119}`:                 "max_angle",
		`{"max_sides":60}`:                  "max_angle",
		`{"min_angle":60,"max_angle":60}`:   "max_angle",
		`{"min_sides":3.5}`:                 "min_sides",
		`{"decimals":-1}`:                   "decimals",
		`{"decimals":3}`:                    "decimals",
		`{"max_sides":361,"max_angle":179}`: "max_sides",
	})
}

// Every triangle with whole angles is equally likely, in every order.
func TestAnglesAreUniform(t *testing.T) {
	p := simpleGeometryParams{MinAngle: 58, MaxAngle: 62}
	r, seen := rng.New(1, "angles"), map[string]int{}
	const draws = 19_000
	for range draws {
		seen[fmt.Sprint(p.appendAngles(nil, 3, r))]++
	}
	if len(seen) != 19 {
		t.Errorf("%d triangles, want 19", len(seen))
	}
	for angles, n := range seen {
		if n < 870 || n > 1130 { // 4 standard deviations are 123
			t.Errorf("%s came %d times in %d, want about 1000", angles, n, draws)
		}
	}
}

var angleRE = regexp.MustCompile(`(\d+)(?:\.(\d{1,2}))?°`)
var sidesRE = regexp.MustCompile(`(\d+) (?:sides|corners)`)

// The second solver reads the prompt and walks around the polygon: the turns by the
// exterior angles, in hundredths of a degree, add up to one full turn.
func TestSimpleGeometrySecond(t *testing.T) {
	tasktest.Second(t, simpleGeometry.Task(), 1200, func(item simpleGeometryItem, prompt, got string) error {
		turn, corners := 36_000, 1
		for _, angle := range angleRE.FindAllStringSubmatch(prompt, -1) {
			n, err := strconv.Atoi(angle[1] + (angle[2] + "00")[:2])
			if err != nil || n <= 0 || n >= 18_000 {
				return fmt.Errorf("angle %s: %v", angle[0], err)
			}
			turn -= 18_000 - n
			corners++
		}
		if sides := sidesRE.FindStringSubmatch(prompt); sides == nil || sides[1] != strconv.Itoa(corners) {
			return fmt.Errorf("%d corners, %v", corners, sides)
		}
		whole, fraction := (18_000-turn)/100, (18_000-turn)%100
		want := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%02d", whole, fraction), "0"), ".")
		if got != want || turn <= 0 || turn >= 18_000 {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		if !strings.Contains(item.Short(), strconv.Itoa(corners)) {
			return fmt.Errorf("short form %q", item.Short())
		}
		return nil
	})
}

func TestSimpleGeometryKeys(t *testing.T) {
	tasktest.Variant(t, simpleGeometry.Task(), "the angles in another order", func(s *simpleGeometryItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, s.KnownAngles)
		return nil
	})
	tasktest.Same(t, simpleGeometry.Task(), "the angles may be in any order", func(s *simpleGeometryItem) { slices.Reverse(s.KnownAngles) })
}
