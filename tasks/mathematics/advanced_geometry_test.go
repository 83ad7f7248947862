package mathematics

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestOrthocenterScore(t *testing.T) {
	item := advancedGeometryItem{
		A: [2]string{"8", "-8"}, B: [2]string{"-2", "-7"}, C: [2]string{"5", "4"},
		TaskType: orthocenter, Ortho: &[2]string{"158/39", "-214/39"},
	}
	if err := task.Check(item); err != nil {
		t.Error(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"(4.051, -5.487)", 1, ""},
		{"4.051,-5.487", 1, "without brackets"},
		{" ( 4.051 , -5.487 )\n", 1, "with space"},
		{"(4.0513, -5.48718)", 1, "more decimals"},
		{"(4.05, -5.487)", 0, "fewer"},
		{"(4.052, -5.487)", 0, "one thousandth off"},
		{"(4.051, 5.487)", 0, "another sign"},
		{"(-5.487, 4.051)", 0, "exchanged"},
		{"(4.051 -5.487)", 0, "no comma"},
		{"(4.051, -5.487, 9)", 0, "a third coordinate; reasoning-gym leaves it out"},
		{"(158/39, -214/39)", 0, "decimals are asked for"},
		{"[4.051, -5.487]", 0, "other brackets"},
		{"(4.051, -5.487) (4.051, -5.487)", 0, "twice"},
		{"(nan, nan)", 0, ""},
		{"4.051", 0, "one coordinate"},
	})
	tie := advancedGeometryItem{A: [2]string{"1", "8"}, B: [2]string{"-8", "-8"}, C: [2]string{"8", "-8"}, TaskType: orthocenter}
	tasktest.Nears(t, tie.Score, []tasktest.Near{
		{"(1, -4.0625)", 1, ""},
		{"(1, -4.063)", 1, "half-way between two numbers with 3 decimals, both are right"},
		{"(1, -4.062)", 1, ""},
		{"(1, -4.061)", 0, ""},
		{"(1, -4.064)", 0, ""},
	})
}

func TestRadiusAndAngleScore(t *testing.T) {
	radius := advancedGeometryItem{A: [2]string{"0", "0"}, B: [2]string{"3", "0"}, C: [2]string{"0", "4"}, TaskType: incircleRadius, Radius: 1, RadiusExact: "1"}
	angle := advancedGeometryItem{A: [2]string{"-2", "1"}, B: [2]string{"10", "6"}, C: [2]string{"-10", "4"}, TaskType: angleMeasure, Angle: 16.909271810540783}
	for _, item := range []advancedGeometryItem{radius, angle} {
		if err := task.Check(item); err != nil {
			t.Error(err)
		}
	}
	tasktest.Nears(t, radius.Score, []tasktest.Near{
		{"1.000", 1, ""},
		{"1", 1, "the same number"},
		{"1.0004", 1, "more decimals"},
		{"1.001", 0, "one thousandth off"},
		{"1.01", 0, ""},
		{"-1", 0, ""},
		{"12/12", 0, "a formula"},
		{"1.000 units", 0, ""},
	})
	tasktest.Nears(t, angle.Score, []tasktest.Near{
		{"16.91°", 1, ""},
		{"16.91", 1, "the sign is free"},
		{" 16.909 °", 1, "so are space and more decimals"},
		{"16.9°", 0, "fewer decimals"},
		{"16.92°", 0, "one hundredth off"},
		{"163.09°", 0, "the angle outside"},
		{"0.295", 0, "radians"},
		{"16.91 degrees", 0, "a word"},
		{"°", 0, ""},
		{strings.Repeat("16.91 ", 1000), 0, "many numbers"},
	})
}

func TestAdvancedGeometryRecords(t *testing.T) {
	good := advancedGeometryItem{A: [2]string{"0", "0"}, B: [2]string{"4", "0"}, C: [2]string{"0", "2"}, TaskType: angleMeasure, Angle: 26.565051177}
	if err := task.Check(good); err != nil {
		t.Error(err)
	}
	for why, spoil := range map[string]func(*advancedGeometryItem){
		"no number":           func(a *advancedGeometryItem) { a.A[0] = "x" },
		"no number, below":    func(a *advancedGeometryItem) { a.A[1] = "" },
		"too large":           func(a *advancedGeometryItem) { a.B[0] = "100001" },
		"on one line":         func(a *advancedGeometryItem) { a.C = [2]string{"9", "0"} },
		"another angle":       func(a *advancedGeometryItem) { a.Angle++ },
		"another kind":        func(a *advancedGeometryItem) { a.TaskType = "area" },
		"no radius":           func(a *advancedGeometryItem) { a.TaskType = incircleRadius },
		"no orthocenter":      func(a *advancedGeometryItem) { a.TaskType = orthocenter },
		"another wording":     func(a *advancedGeometryItem) { a.Phrasing = 99 },
		"another orthocenter": func(a *advancedGeometryItem) { a.TaskType, a.Ortho = orthocenter, &[2]string{"1", "0"} },
	} {
		bad := good
		spoil(&bad)
		if task.Check(bad) == nil {
			t.Errorf("a record is accepted: %s", why)
		}
	}
}

var cornerRE = regexp.MustCompile(`\((-?\d+), (-?\d+)\)`)

// The second solver reads the prompt and works with the lengths of the sides: Heron's
// formula for the radius, the law of cosines for the angle. The line from the orthocenter
// to each corner must be perpendicular to the opposite side.
func TestAdvancedGeometrySecond(t *testing.T) {
	tasktest.Second(t, advancedGeometry.Task(), 1200, func(item advancedGeometryItem, prompt, got string) error {
		var x, y [3]float64
		for i, corner := range cornerRE.FindAllStringSubmatch(prompt, 3) {
			x[i], _ = strconv.ParseFloat(corner[1], 64)
			y[i], _ = strconv.ParseFloat(corner[2], 64)
		}
		a, b, c := math.Hypot(x[1]-x[2], y[1]-y[2]), math.Hypot(x[0]-x[2], y[0]-y[2]), math.Hypot(x[0]-x[1], y[0]-y[1])
		switch {
		case strings.Contains(prompt, "°"):
			want := math.Acos((a*a+c*c-b*b)/(2*a*c)) * 180 / math.Pi
			return near(strings.TrimSuffix(got, "°"), want, 0.0051)
		case strings.Contains(prompt, "radius"):
			s := (a + b + c) / 2
			want := math.Sqrt((s - a) * (s - b) * (s - c) / s)
			return near(got, want, 0.00051)
		}
		var hx, hy float64
		if n, err := fmt.Sscanf(got, "(%f, %f)", &hx, &hy); n != 2 {
			return err
		}
		for i := range 3 {
			j, k := (i+1)%3, (i+2)%3
			off := (hx-x[i])*(x[j]-x[k]) + (hy-y[i])*(y[j]-y[k])
			if length := math.Hypot(x[j]-x[k], y[j]-y[k]); math.Abs(off) > 0.00072*length {
				return fmt.Errorf("the way from (%v, %v) to corner %d is not perpendicular", hx, hy, i)
			}
		}
		return nil
	})
}

// near returns an error unless got is within most of want.
func near(got string, want, most float64) error {
	if v, err := strconv.ParseFloat(got, 64); err != nil || !(math.Abs(v-want) <= most) {
		return fmt.Errorf("solution %s, want %v", got, want)
	}
	return nil
}

// Small grids have many points on one line.
func TestTrianglesOfTheSmallestGrid(t *testing.T) {
	own, err := advancedGeometry.Task().With([]byte(`{"min_coord":0,"max_coord":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		p, err := own.Problem(quintain.Draw{Index: i})
		if err != nil {
			t.Fatal(err)
		}
		if item, ok := p.Instance.Value().(advancedGeometryItem); !ok || task.Check(item) != nil {
			t.Errorf("%s: %v", p.Instance, task.Check(item))
		}
	}
}

func TestAdvancedGeometryKeys(t *testing.T) {
	tasktest.Variant(t, advancedGeometry.Task(), "moved, turned and mirrored", func(a *advancedGeometryItem, r *rng.Rand) func(string) string {
		turn, by := r.Between(0, 7), point{r.Between64(-9, 9), r.Between64(-9, 9)}
		of, err := a.triangle()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*point{&of.a, &of.b, &of.c} {
			*p = p.turned(turn).minus(by)
		}
		a.A, a.B, a.C = of.a.texts(), of.b.texts(), of.c.texts()
		if a.TaskType != orthocenter {
			return nil
		}
		x, y := of.orthocenter()
		a.Ortho = &[2]string{x.text(), y.text()}
		return func(string) string { return a.Solve() }
	})
	tasktest.Other(t, advancedGeometry.Task(), "another corner", func(a *advancedGeometryItem) {
		if of, err := a.triangle(); err == nil && a.TaskType == orthocenter {
			of.a.x += 1000
			if of.cross() == 0 {
				return
			}
			x, y := of.orthocenter()
			a.A, a.Ortho = of.a.texts(), &[2]string{x.text(), y.text()}
		}
	})
	tasktest.Same(t, advancedGeometry.Task(), "the other corners of a triangle may be exchanged", func(a *advancedGeometryItem) { a.A, a.C = a.C, a.A })
	tasktest.Same(t, advancedGeometry.Task(), "in other questions, all corners may be exchanged", func(a *advancedGeometryItem) {
		if a.TaskType != angleMeasure {
			a.A, a.B, a.C = a.B, a.C, a.A
		}
	})
}

// The angle agrees with package math to a few units in the last place.
func TestDegrees(t *testing.T) {
	for _, over := range []int64{1, 2, 3, 999, 1e6, 1e12} {
		for _, under := range []int64{0, 1, 2, 7, 1e3, 1e6, 1e12} {
			want := math.Atan2(float64(over), float64(under)) * 180 / math.Pi
			if got := degrees(over, under); math.Abs(got-want) > 2e-15*want {
				t.Errorf("degrees(%d, %d) = %v, want %v", over, under, got, want)
			}
		}
	}
}
