package watch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/watch/words"
)

// Sizes of charts in pixels.
const (
	chartHigh  = 240
	chartTop   = 16
	chartFoot  = 24  // for the labels below
	mostMarks  = 60  // of a chart
	forestWide = 160 // of a chart in a table
	forestHigh = 16
)

// A drawing is an SVG of our own numbers.
type drawing struct{ strings.Builder }

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.Builder, format, args...) }

// scoresOver draws the scores of evaluations over versions, each with its interval. All but
// the text scales with the page: places across are shares of the width.
func scoresOver(all []heldOut) template.HTML {
	marks := thinned(all)
	if len(marks) == 0 {
		return ""
	}
	low, high, step := scaleOf(marks)
	first, last := marks[0].Version, marks[len(marks)-1].Version
	x := func(version int) float64 { return 7 + 89*float64(version-first)/float64(max(1, last-first)) }
	y := func(v float64) float64 {
		return chartTop + (chartHigh-chartTop-chartFoot)*(high-min(high, max(low, v)))/(high-low)
	}
	d := &drawing{}
	d.printf(`<svg class="intervals" width="100%%" height="%d" role="img" aria-label="Mean score on held-out problems: %.3f at version %s, %.3f at version %s">`,
		chartHigh, marks[0].Mean, words.Count(first), marks[len(marks)-1].Mean, words.Count(last))
	for i := 0; low+float64(i)*step < high+step/2; i++ {
		v := low + float64(i)*step
		d.printf(`<line class="grid" x1="0" x2="100%%" y1="%.1f" y2="%.1f"/><text x="0" y="%.1f">%.1f</text>`, y(v), y(v), y(v)-3, v)
	}
	for i := range marks {
		m := &marks[i]
		if i > 0 {
			d.printf(`<line class="path" x1="%.2f%%" x2="%.2f%%" y1="%.1f" y2="%.1f"/>`, x(marks[i-1].Version), x(m.Version), y(marks[i-1].Mean), y(m.Mean))
		}
		if m.Within != nil {
			d.printf(`<line class="within" x1="%[1]f%%" x2="%[1]f%%" y1="%.1[2]f" y2="%.1[3]f"/>`, x(m.Version), y(m.Within.Low), y(m.Within.High))
		}
	}
	for i := range marks {
		d.printf(`<circle cx="%.2f%%" cy="%.1f" r="4"><title>version %s: %s</title></circle>`, x(marks[i].Version), y(marks[i].Mean), words.Count(marks[i].Version), marks[i].Words)
	}
	d.printf(`<text x="%.1f%%" y="%d">version %s</text>`, x(first), chartHigh-6, words.Count(first))
	if last > first {
		d.printf(`<text class="end" x="%.1f%%" y="%d">version %s</text>`, x(last), chartHigh-6, words.Count(last))
	}
	d.WriteString("</svg>")
	return template.HTML(d.String())
}

// words are the score and its interval.
func (h *heldOut) words() string {
	if h.Within == nil {
		return fmt.Sprintf("%.3f", h.Mean)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", h.Mean, h.Within.Low, h.Within.High)
}

// thinned are at most [mostMarks] of the evaluations, evenly, the first and the last among
// them.
func thinned(all []heldOut) (some []heldOut) {
	n := min(len(all), mostMarks)
	for i := range n {
		some = append(some, all[i*(len(all)-1)/max(1, n-1)])
	}
	return some
}

// scaleOf is a scale for scores with their intervals, with lines step apart.
func scaleOf(marks []heldOut) (low, high, step float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range marks {
		m := &marks[i]
		low, high = min(low, m.Mean), max(high, m.Mean)
		if m.Within != nil {
			low, high = min(low, m.Within.Low), max(high, m.Within.High)
		}
	}
	low, high = math.Floor(10*low-0.001)/10, math.Ceil(10*high+0.001)/10
	step = 0.1
	for (high-low)/step > 6.5 {
		step *= 2
	}
	return low, high, step
}

// forest draws a number with its interval on a span, and a line at zero; a nil interval is
// unknown.
func forest(class string, v float64, within *stats.Interval, span stats.Interval) template.HTML {
	x := func(v float64) string {
		share := (min(span.High, max(span.Low, v)) - span.Low) / (span.High - span.Low)
		return strconv.FormatFloat(5+(forestWide-10)*share, 'f', 1, 64)
	}
	d := &drawing{}
	d.printf(`<svg class="forest %s" width="%d" height="%d" aria-hidden="true"><line class="grid" x1="%s" x2="%s" y1="0" y2="%d"/>`, class, forestWide, forestHigh, x(0), x(0), forestHigh)
	if within != nil {
		d.printf(`<line class="within" x1="%s" x2="%s" y1="%d" y2="%d"/>`, x(within.Low), x(within.High), forestHigh/2, forestHigh/2)
	}
	d.printf(`<circle cx="%s" cy="%d" r="4"/></svg>`, x(v), forestHigh/2)
	return template.HTML(d.String())
}
