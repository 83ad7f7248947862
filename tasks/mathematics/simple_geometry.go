package mathematics

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// simpleGeometry asks for the last interior angle of a polygon.
var simpleGeometry = task.Spec[simpleGeometryParams, simpleGeometryItem]{
	Name:     "simple_geometry",
	Category: "geometry",
	Doc: "Find the missing interior angle of a convex polygon. " +
		"All sets of angles that the settings allow are equally likely; at the hardest levels, they have decimals.",
	Source:  "Euclid's Elements, I.32 and its corollaries; the settings are those of reasoning-gym and decimals.",
	Version: 4,
	Surface: "The angle follows from the sum of the others, and a tree with a leaf for each sum knows the sums that it has seen.",
	Default: simpleGeometryParams{MinSides: 3, MaxSides: 6, MinAngle: 10, MaxAngle: 170},
	Levels: []simpleGeometryParams{
		{MinSides: 3, MaxSides: 3, MinAngle: 20, MaxAngle: 120},
		{MinSides: 3, MaxSides: 5, MinAngle: 15, MaxAngle: 160},
		{MinSides: 4, MaxSides: 8, MinAngle: 10, MaxAngle: 170},
		{MinSides: 8, MaxSides: 14, MinAngle: 8, MaxAngle: 175},
		{MinSides: 14, MaxSides: 20, MinAngle: 5, MaxAngle: 178},
		{MinSides: 40, MaxSides: 60, MinAngle: 3, MaxAngle: 179},
		{MinSides: 80, MaxSides: 100, MinAngle: 3, MaxAngle: 179, Decimals: 2},
		{MinSides: 120, MaxSides: 150, MinAngle: 3, MaxAngle: 179, Decimals: 2},
	},
	Few: []string{
		"There are few triangles with whole angles.",
	},
	Make:  makeSimpleGeometry,
	Match: task.MatchNumber,
}

// simpleGeometryParams are the settings of one difficulty.
type simpleGeometryParams struct {
	MinSides int `json:"min_sides" want:"3 or more"` // of the polygon
	MaxSides int `json:"max_sides" want:"min_sides to 360"`
	MinAngle int `json:"min_angle" want:"1 or more"` // of every angle, the missing one included; degrees
	MaxAngle int `json:"max_angle" want:"more than min_angle and at most 179"`
	Decimals int `json:"decimals" want:"0 to 2"` // of the angles, 0 to 2
}

// Check refuses what no tag does.
func (p simpleGeometryParams) Check() error {
	switch {
	case p.MinAngle*p.MinSides > angleSum(p.MinSides):
		return fmt.Errorf("min_angle is %d, want at most the mean angle of a polygon with %d sides", p.MinAngle, p.MinSides)
	case p.MaxAngle*p.MaxSides < angleSum(p.MaxSides):
		return fmt.Errorf("max_angle is %d, want at least the mean angle of a polygon with %d sides", p.MaxAngle, p.MaxSides)
	}
	return nil
}

// angleSum is the sum of the interior angles of a polygon, in degrees.
func angleSum(sides int) int { return (sides - 2) * 180 }

// simpleGeometryItem is one polygon. Angles are in degrees.
type simpleGeometryItem struct {
	NSides           int       `json:"n_sides" want:"3 to 1000000"`
	KnownAngles      []float64 `json:"known_angles"` // all but one
	SumOfKnown       float64   `json:"sum_of_known_angles"`
	MissingRaw       float64   `json:"missing_angle_raw"`
	MissingRounded   float64   `json:"missing_angle_rounded"` // the answer
	TotalInteriorSum int       `json:"total_interior_sum"`
	Phrasing         int       `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeSimpleGeometry draws the angles.
func makeSimpleGeometry(p simpleGeometryParams, r *rng.Rand) (simpleGeometryItem, error) {
	sides := r.Between(p.MinSides, p.MaxSides)
	angles := p.appendAngles(make([]int, 0, 16), sides, r)
	item := simpleGeometryItem{
		NSides: sides, TotalInteriorSum: angleSum(sides),
		KnownAngles: make([]float64, sides-1),
		Phrasing:    r.Between(0, len(simpleGeometryPhrasings)-1),
	}
	parts, sum := float64(p.parts()), 0
	for i, angle := range angles[1:] {
		item.KnownAngles[i] = float64(angle) / parts
		sum += angle
	}
	item.SumOfKnown = float64(sum) / parts
	item.MissingRaw, item.MissingRounded = float64(angles[0])/parts, float64(angles[0])/parts
	return item, nil
}

// parts is the number of units of the angles in a degree.
func (p simpleGeometryParams) parts() int { return [...]int{1, 10, 100}[p.Decimals] }

// appendAngles draws the angles of a convex polygon, in units of 1/parts degrees. It starts with equal angles and
// redistributes the sum of two of them, many times: the Gibbs sampler of the uniform
// distribution over all angles with the right sum.
func (p simpleGeometryParams) appendAngles(angles []int, sides int, r *rng.Rand) []int {
	least, most := p.MinAngle*p.parts(), p.MaxAngle*p.parts()
	rest := angleSum(sides) * p.parts()
	for i := range sides {
		angles = append(angles, rest/(sides-i))
		rest -= angles[i]
	}
	const rounds = 4
	for range rounds {
		for i := range angles {
			j := r.Between(0, sides-2)
			if j >= i {
				j++
			}
			sum := angles[i] + angles[j]
			angles[i] = r.Between(max(least, sum-most), min(most, sum-least))
			angles[j] = sum - angles[i]
		}
	}
	return angles
}

// simpleGeometryPhrasings are the wordings of the question, around the number of
// sides and the angles.
var simpleGeometryPhrasings = [][3]string{
	{"A convex polygon has ", " sides. All of its interior angles but one are known: ", ". How large is the remaining one?"},
	{"Someone measured the interior angles of a convex polygon with ", " sides and forgot one of them. The others are ", ". Find the forgotten angle."},
	{"What is the remaining interior angle of a convex polygon with ", " sides if the others are ", "?"},
	{"In a convex polygon with ", " corners, the interior angles at all corners but one are ", ". What is the angle at that corner?"},
	{"The interior angles of a convex polygon with ", " sides have a fixed sum. All but one of them are ", ". Which angle makes up the rest of the sum?"},
	{"A surveyor walked around a convex field with ", " corners and noted the interior angles ", ". The note of the last one is lost. How large was it?"},
}

func (s simpleGeometryItem) Prompt() string {
	words := simpleGeometryPhrasings[s.Phrasing]
	b := make([]byte, 0, 512)
	b = strconv.AppendInt(append(b, words[0]...), int64(s.NSides), 10)
	b = append(b, words[1]...)
	for i, angle := range s.KnownAngles {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendDegrees(b, angle), "°"...)
	}
	b = append(append(b, words[2]...), " Answer with the number of degrees alone, without a degree sign."...)
	return string(b)
}

func (s simpleGeometryItem) Short() string {
	b := append([]byte("missing angle: "), strconv.Itoa(s.NSides)...)
	for _, angle := range s.KnownAngles {
		b = appendDegrees(append(b, ' '), angle)
	}
	return string(b)
}

// appendDegrees appends an angle, a whole one without a point.
func appendDegrees(b []byte, angle float64) []byte {
	if whole := int64(angle); float64(whole) == angle && whole != 0 {
		return strconv.AppendInt(b, whole, 10)
	}
	return strconv.AppendFloat(b, angle, 'f', -1, 64)
}

// Canonical implements [task.Canonicalizer]. The order of the angles does not matter.
func (s simpleGeometryItem) Canonical() string {
	return fmt.Sprint(s.NSides, slices.Sorted(slices.Values(s.KnownAngles)))
}

// Check refuses a record with angles that do not add up. They need not be those of a convex
// polygon: reasoning-gym has others.
func (s simpleGeometryItem) Check() error {
	const rounding = 0.0051 // of two decimals, and of a float64
	if s.NSides != len(s.KnownAngles)+1 {
		return fmt.Errorf("n_sides is %d, want one more than there are known_angles (%d)", s.NSides, len(s.KnownAngles))
	}
	missing := float64(angleSum(s.NSides))
	for _, angle := range s.KnownAngles {
		missing -= angle
	}
	if !(math.Abs(missing-s.MissingRounded) <= rounding) {
		return fmt.Errorf("missing_angle_rounded is %v, want %v", s.MissingRounded, missing)
	}
	return nil
}

func (s simpleGeometryItem) Solve() string { return string(appendDegrees(nil, s.MissingRounded)) }
