package mathematics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// advancedGeometry asks for a point, an angle or a length of a triangle.
var advancedGeometry = task.Spec[advancedGeometryParams, advancedGeometryItem]{
	Name:     "advanced_geometry",
	Category: "geometry",
	Doc: "Find the orthocenter, the radius of the incircle or the angle at B of a triangle. Its vertices have whole coordinates. " +
		"Any correct rounding of the value is right.",
	Source:  "Plane analytic geometry; the settings are those of reasoning-gym.",
	Version: 5,
	List:    ", ",
	Default: advancedGeometryParams{MinCoord: -10, MaxCoord: 10, TaskTypes: []string{orthocenter, incircleRadius, angleMeasure}},
	Levels: []advancedGeometryParams{
		{MinCoord: 0, MaxCoord: 3, TaskTypes: []string{angleMeasure}},
		{MinCoord: -5, MaxCoord: 5, TaskTypes: []string{orthocenter, incircleRadius}},
		{MinCoord: -10, MaxCoord: 10, TaskTypes: []string{orthocenter, incircleRadius, angleMeasure}},
		{MinCoord: -100, MaxCoord: 100, TaskTypes: []string{orthocenter, incircleRadius, angleMeasure}},
		{MinCoord: -1000, MaxCoord: 1000, TaskTypes: []string{orthocenter, incircleRadius, angleMeasure}},
		{MinCoord: -10_000, MaxCoord: 10_000, TaskTypes: []string{orthocenter, incircleRadius, angleMeasure}},
	},
	Few: []string{
		"There are few triangles of whole coordinates on a small grid.",
		"There are few triangles of coordinates up to five that differ in more than their place.",
	},
	Make: makeAdvancedGeometry,
}

// The kinds of question.
const (
	orthocenter    = "orthocenter"
	incircleRadius = "incircle_radius"
	angleMeasure   = "angle_measure"
)

// advancedGeometryParams are the settings of one difficulty.
type advancedGeometryParams struct {
	MinCoord  int64    `json:"min_coord" want:"-100000 or more"` // of the corners, both coordinates
	MaxCoord  int64    `json:"max_coord" want:"more than min_coord and at most 100000"`
	TaskTypes []string `json:"task_types" want:"1 or more" oneof:"orthocenter incircle_radius angle_measure, each once"` // equally likely
}

// maxCoord limits the coordinates, so that every number on the way to the orthocenter is an
// int64.
const maxCoord = 100_000

// advancedGeometryItem is one triangle, with the results of its kind.
type advancedGeometryItem struct {
	A        [2]string `json:"A"` // whole coordinates, x and y
	B        [2]string `json:"B"`
	C        [2]string `json:"C"`
	TaskType string    `json:"task_type"`
	Phrasing int       `json:"phrasing,omitempty" want:"0 to 5"`

	Ortho       *[2]string  `json:"ortho,omitempty"` // exact, as fractions
	OrthoApprox *[2]float64 `json:"orthocenter_approx,omitempty"`
	RadiusExact string      `json:"incircle_radius_exact,omitempty"` // twice the area over the perimeter
	Radius      float64     `json:"incircle_radius_approx,omitempty"`
	Angle       float64     `json:"angle_ABC_degrees,omitempty"`
}

// makeAdvancedGeometry draws three corners, not all on one line.
func makeAdvancedGeometry(p advancedGeometryParams, r *rng.Rand) (advancedGeometryItem, error) {
	draw := func() point { return point{r.Between64(p.MinCoord, p.MaxCoord), r.Between64(p.MinCoord, p.MaxCoord)} }
	beside := func(coord int64) int64 { // a neighbour within the range
		if coord < p.MaxCoord {
			return coord + 1
		}
		return coord - 1
	}
	t := triangle{draw(), draw(), draw()}
	if t.a == t.b {
		t.b.x = beside(t.b.x)
	}
	if t.cross() == 0 && t.a.x != t.b.x {
		t.c.y = beside(t.c.y)
	} else if t.cross() == 0 {
		t.c.x = beside(t.c.x)
	}
	item := advancedGeometryItem{
		A: t.a.texts(), B: t.b.texts(), C: t.c.texts(),
		TaskType: rng.Pick(r, p.TaskTypes),
	}
	item.Phrasing = r.Between(0, len(advancedGeometryPhrasings[item.TaskType])-1)
	switch item.TaskType {
	case orthocenter:
		x, y := t.orthocenter()
		item.Ortho = &[2]string{x.text(), y.text()}
		item.OrthoApprox = &[2]float64{x.float(), y.float()}
	case incircleRadius:
		item.RadiusExact, item.Radius = t.exactRadius(), t.radius()
	case angleMeasure:
		item.Angle = t.angle()
	}
	return item, nil
}

// advancedGeometryPhrasings are the wordings of the question, before and after the
// corners, by kind.
var advancedGeometryPhrasings = map[string][][2]string{
	orthocenter: {
		{"A triangle has the vertices ", ". Find its orthocenter, the point where the three altitudes meet."},
		{"Where do the altitudes of the triangle with vertices ", " meet?"},
		{"Let ", " be the corners of a triangle. At which point do its altitudes intersect?"},
		{"Drop a perpendicular from each of the points ", " onto the line through the other two. In which point do the three perpendiculars meet?"},
		{"The orthocenter of a triangle is the point that its altitudes have in common. Where is it if the vertices are ", "?"},
		{"A map shows three towers at ", ". From each, a straight road leads at a right angle to the line through the other two. Where do the roads cross, extended if need be?"},
	},
	incircleRadius: {
		{"A triangle has the vertices ", ". Find the radius of its incircle."},
		{"What is the radius of the circle inscribed in the triangle with vertices ", "?"},
		{"Let ", " be the corners of a triangle. How large is the radius of the circle that touches all three sides from inside?"},
		{"A round table is to fit into a triangular room with the corners ", ". What is the largest radius that it can have?"},
		{"The inradius of a triangle is twice its area, divided by its perimeter. Work it out for the vertices ", "."},
		{"Draw the largest circle inside the triangle with the corners ", ". Give its radius."},
	},
	angleMeasure: {
		{"A triangle has the vertices ", ". Find the interior angle at B."},
		{"In the triangle with vertices ", ", what is the angle ABC in degrees?"},
		{"Let ", " be the corners of a triangle. How large is the angle between the sides BA and BC?"},
		{"Someone stands at B and looks first toward A and then toward C, where ", ". By what angle do the two directions differ?"},
		{"The sides of a triangle with the corners ", " form three angles. Find the one at B."},
		{"Given ", ", compute the size of the angle ABC."},
	},
}

// The forms of the answer, by kind.
const (
	orthocenterForm = " Answer with its coordinates, rounded to 3 decimal places, in the form (x, y), for example (-1.250, 3.000)."
	radiusForm      = " Answer with the number alone, rounded to 3 decimal places, for example 2.718."
	angleForm       = " Answer in degrees, rounded to 2 decimal places, in the form 47.11°."
)

func (a advancedGeometryItem) Prompt() string {
	words := advancedGeometryPhrasings[a.TaskType][a.Phrasing]
	form := angleForm
	switch a.TaskType {
	case orthocenter:
		form = orthocenterForm
	case incircleRadius:
		form = radiusForm
	}
	return words[0] + a.corners() + words[1] + form
}

// corners writes "A = (1, 2), B = (3, 4) and C = (5, 6)".
func (a advancedGeometryItem) corners() string {
	return "A = (" + a.A[0] + ", " + a.A[1] + "), B = (" + a.B[0] + ", " + a.B[1] + ") and C = (" + a.C[0] + ", " + a.C[1] + ")"
}

func (a advancedGeometryItem) Short() string { return a.TaskType + ": " + a.corners() }

// divisor returns the greatest common divisor of two numbers from 0 on.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Canonical implements [task.Canonicalizer]. The order of the corners does not matter, except for
// B in a question about its angle. The triangle may be moved, turned by right angles,
// mirrored and drawn in another scale.
func (a advancedGeometryItem) Canonical() string {
	t, err := a.triangle()
	if err != nil {
		return "" // Check has already refused it
	}
	free := 0 // corners from here on may be exchanged
	if a.TaskType == angleMeasure {
		free = 1
	}
	var best [3]point
	scale := int64(0)
	for turn := range 8 {
		corners := [3]point{t.b, t.a, t.c}
		for i, p := range corners {
			corners[i] = p.turned(turn)
		}
		least := point{min(corners[0].x, corners[1].x, corners[2].x), min(corners[0].y, corners[1].y, corners[2].y)}
		for i, p := range corners {
			corners[i] = p.minus(least)
			scale = divisor(divisor(scale, corners[i].x), corners[i].y)
		}
		slices.SortFunc(corners[free:], point.compare)
		if turn == 0 || slices.CompareFunc(corners[:], best[:], point.compare) < 0 {
			best = corners
		}
	}
	for i := range best {
		best[i] = point{best[i].x / scale, best[i].y / scale}
	}
	return fmt.Sprint(a.TaskType, best)
}

// compare orders points by x, then by y.
func (p point) compare(q point) int { return cmp.Or(cmp.Compare(p.x, q.x), cmp.Compare(p.y, q.y)) }

// turned returns the point after one of the eight symmetries of a square around 0.
func (p point) turned(turn int) point {
	if turn&1 != 0 {
		p.x = -p.x
	}
	if turn&2 != 0 {
		p.y = -p.y
	}
	if turn&4 != 0 {
		p.x, p.y = p.y, p.x
	}
	return p
}

// Check refuses a record without a triangle, or with a wrong result.
func (a advancedGeometryItem) Check() error {
	t, err := a.triangle()
	if err != nil {
		return err
	}
	x, y := t.orthocenter()
	switch a.TaskType {
	case orthocenter:
		if want := [2]string{x.text(), y.text()}; a.Ortho == nil || *a.Ortho != want {
			return fmt.Errorf("ortho is %v, want %v", a.Ortho, want)
		}
	case incircleRadius:
		if want := t.radius(); !(math.Abs(a.Radius-want) <= 1e-6*want) {
			return fmt.Errorf("incircle_radius_approx is %v, want %v", a.Radius, want)
		}
	case angleMeasure:
		if want := t.angle(); !(math.Abs(a.Angle-want) <= 1e-4) {
			return fmt.Errorf("angle_ABC_degrees is %v, want %v", a.Angle, want)
		}
	default:
		return fmt.Errorf("task_type is %q, want %s, %s or %s", a.TaskType, orthocenter, incircleRadius, angleMeasure)
	}
	return nil
}

// triangle reads the corners.
func (a advancedGeometryItem) triangle() (t triangle, err error) {
	corners, read := [...][2]string{a.A, a.B, a.C}, [...]*point{&t.a, &t.b, &t.c}
	for i, corner := range corners {
		x, err := strconv.ParseInt(corner[0], 10, 64)
		if err != nil {
			return t, err
		}
		y, err := strconv.ParseInt(corner[1], 10, 64)
		if err != nil {
			return t, err
		}
		if max(x, -x, y, -y) > maxCoord {
			return t, fmt.Errorf("%c is %v, want coordinates from %d to %d", 'A'+i, corner, -maxCoord, maxCoord)
		}
		*read[i] = point{x, y}
	}
	if t.cross() == 0 {
		return t, errors.New("the corners A, B and C are on one line")
	}
	return t, nil
}

func (a advancedGeometryItem) Solve() string {
	t, err := a.triangle()
	if err != nil {
		return "" // Check has already refused it
	}
	switch a.TaskType {
	case orthocenter:
		x, y := t.orthocenter()
		return "(" + rounded(x.float(), 3) + ", " + rounded(y.float(), 3) + ")"
	case incircleRadius:
		return rounded(t.radius(), 3)
	}
	return rounded(t.angle(), 2) + "°"
}

// rounded writes a number with the given number of decimals, and zero without a sign.
func rounded(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

func (a advancedGeometryItem) Score(text string) quintain.Verdict {
	t, err := a.triangle()
	if err != nil {
		return quintain.Malformed(err.Error()) // Check has already refused it
	}
	switch a.TaskType {
	case orthocenter:
		return t.scoreOrthocenter(text)
	case incircleRadius:
		return scoreNumber(text, t.radius(), 3)
	}
	return scoreNumber(strings.ReplaceAll(text, "°", ""), t.angle(), 2)
}

// scoreOrthocenter reads two numbers separated by a comma, with or without round brackets.
func (t triangle) scoreOrthocenter(text string) quintain.Verdict {
	left, right, found := strings.Cut(answer.Trim(text), ",")
	if !found {
		return quintain.Malformed("the answer does not have the form (x, y)")
	}
	x, y := t.orthocenter()
	if v := scoreNumber(strings.TrimLeft(left, "("), x.float(), 3); v.Score < 1 {
		return v
	}
	return scoreNumber(strings.TrimRight(right, ")"), y.float(), 3)
}

// scoreNumber reads one number. It is right if it rounds to want; if want is halfway
// between two numbers with that many decimals, either is right.
func scoreNumber(text string, want float64, decimals int) quintain.Verdict {
	got, ok := answer.ReadFloat(text)
	if !ok {
		return quintain.Malformed(fmt.Sprintf("%.40q is not a number", text))
	}
	unit, rounding := math.Pow10(-decimals), rounded(got, decimals)
	near, _ := strconv.ParseFloat(rounding, 64)
	if rounding == rounded(want, decimals) || math.Abs(near-want) <= (0.5+1e-6)*unit {
		return quintain.Right()
	}
	return quintain.Wrong("want " + rounded(want, decimals))
}

// A point has whole coordinates up to maxCoord.
type point struct{ x, y int64 }

func (p point) texts() [2]string {
	return [2]string{strconv.FormatInt(p.x, 10), strconv.FormatInt(p.y, 10)}
}

// minus returns the vector from q to p.
func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }

// dot returns the inner product.
func (p point) dot(q point) int64 { return p.x*q.x + p.y*q.y }

// A triangle has its corners in any order.
type triangle struct{ a, b, c point }

// cross returns twice the signed area, 0 if the corners are on one line.
func (t triangle) cross() int64 {
	b, c := t.b.minus(t.a), t.c.minus(t.a)
	return b.x*c.y - b.y*c.x
}

// orthocenter returns the point H with HA perpendicular to BC, and HB to AC.
func (t triangle) orthocenter() (x, y ratio) {
	b, c := t.b.minus(t.a), t.c.minus(t.a)
	dot, cross := b.dot(c), t.cross()
	return newRatio(t.a.x*cross+dot*(c.y-b.y), cross), newRatio(t.a.y*cross+dot*(b.x-c.x), cross)
}

// radius returns the radius of the incircle, twice the area over the perimeter.
func (t triangle) radius() float64 {
	perimeter := 0.0
	for _, side := range t.sides() {
		perimeter += math.Sqrt(float64(side))
	}
	return math.Abs(float64(t.cross())) / perimeter
}

// exactRadius writes the radius as a formula.
func (t triangle) exactRadius() string {
	s, cross := t.sides(), t.cross()
	return fmt.Sprintf("%d/(sqrt(%d) + sqrt(%d) + sqrt(%d))", max(cross, -cross), s[0], s[1], s[2])
}

// sides returns the squared lengths of the sides.
func (t triangle) sides() [3]int64 {
	ab, bc, ca := t.b.minus(t.a), t.c.minus(t.b), t.a.minus(t.c)
	return [3]int64{ab.dot(ab), bc.dot(bc), ca.dot(ca)}
}

// angle returns the angle at B in degrees.
func (t triangle) angle() float64 {
	cross, dot := t.cross(), t.a.minus(t.b).dot(t.c.minus(t.b))
	cross = max(cross, -cross)
	if dot < 0 {
		return 180 - degrees(cross, -dot)
	}
	return degrees(cross, dot)
}

// degrees returns the angle with the tangent over/under, up to 90 degrees. It gives the
// same bits on every machine, as package math does not: no product is fused with a sum. It
// halves the angle until the first terms of the arctangent's series suffice.
func degrees(over, under int64) float64 {
	const halvings, terms = 4, 12
	x, y := float64(under), float64(over)
	tangent := y / (x + math.Sqrt(float64(x*x)+float64(y*y))) // of half the angle
	for range halvings - 1 {
		tangent /= 1 + math.Sqrt(1+float64(tangent*tangent))
	}
	sum, square := 0., float64(tangent*tangent)
	for k := terms; k >= 0; k-- {
		sum = 1/float64(2*k+1) - float64(square*sum)
	}
	return tangent * sum * (1 << halvings) * 180 / math.Pi
}

// A ratio is over/under in lowest terms, with under above 0.
type ratio struct{ over, under int64 }

// newRatio returns over/under; under must not be 0.
func newRatio(over, under int64) ratio {
	a, b := over, under
	for b != 0 {
		a, b = b, a%b
	}
	if (a < 0) != (under < 0) {
		a = -a
	}
	return ratio{over / a, under / a}
}

// text writes the ratio, a whole number without a denominator.
func (r ratio) text() string {
	if r.under == 1 {
		return strconv.FormatInt(r.over, 10)
	}
	return strconv.FormatInt(r.over, 10) + "/" + strconv.FormatInt(r.under, 10)
}

// float returns the nearest float64.
func (r ratio) float() float64 {
	const exact = 1 << 53
	if max(r.over, -r.over, r.under) <= exact {
		return float64(r.over) / float64(r.under)
	}
	v, _ := big.NewRat(r.over, r.under).Float64()
	return v
}
