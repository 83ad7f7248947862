package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func Example() {
	var c Curve
	for i := range 1000 {
		c.Add(float64(i) / 1000)
	}
	fmt.Println(Spark(c.Points(), 16))
	// Output: ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██
}

func TestCurveKeepsTheMean(t *testing.T) {
	t.Parallel()
	var c Curve
	sum := 0.0
	for i := range 10_000 {
		v := float64(i%100) / 100
		c.Add(v)
		sum += v
		if len(c.points) > mostPoints || len(c.points) == 0 {
			t.Fatalf("%d points after %d values", len(c.points), i+1)
		}
		got, n := 0.0, 0
		for k, p := range c.points {
			weight := c.each
			if k == len(c.points)-1 {
				weight = c.filled
			}
			got, n = got+p*float64(weight), n+weight
		}
		if n != i+1 || math.Abs(got-sum) > 1e-6*float64(i+1) {
			t.Fatalf("after %d values the points hold %d with the sum %v, want %v", i+1, n, got, sum)
		}
	}
	if spark := Spark(c.Points(), 20); utf8.RuneCountInString(spark) != 20 {
		t.Errorf("drawn as %q", spark)
	}
}

func TestSpark(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		points []float64
		width  int
		want   string
	}{
		{nil, 10, ""},
		{[]float64{0, 0.5, 1, 2, -1}, 10, "▁▅██▁"},
		{[]float64{0, 1, 0, 1}, 2, "▅▅"},
		{[]float64{1}, 0, ""},
		{[]float64{1}, -1, ""},
	} {
		if got := Spark(test.points, test.width); got != test.want {
			t.Errorf("%v in %d characters are drawn as %q, want %q", test.points, test.width, got, test.want)
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	p := Plot{Title: "mean score"}
	p.Add("a<b", 0, 0.5)
	p.Add("c", 0, 0)
	p.Add("c", 10, 1)
	svg := p.SVG()
	for _, want := range []string{
		"<svg ", ">mean score<", ">a&lt;b</text>", `<circle cx="56.0" cy="184.0"`, `<polyline points="56.0,344.0 536.0,24.0"`, ">minutes<", "</svg>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing in\n%s", want, svg)
		}
	}
	if strings.Count(svg, "<polyline") != 1 {
		t.Error("a single point is drawn as an invisible line")
	}
}
