package stats

import (
	"fmt"
	"html"
	"strings"
)

// A Plot is lines of values from 0 to 1 over minutes.
type Plot struct {
	Title string

	lines []line
}

// A line is one line of a plot.
type line struct {
	name   string
	points [][2]float64 // minutes, value
}

// Add adds a point to the named line.
func (p *Plot) Add(name string, minutes, value float64) {
	for i := range p.lines {
		if p.lines[i].name == name {
			p.lines[i].points = append(p.lines[i].points, [2]float64{minutes, value})
			return
		}
	}
	p.lines = append(p.lines, line{name, [][2]float64{{minutes, value}}})
}

// The picture's sizes, in pixels.
const (
	width, height  = 720, 400
	left, top      = 56, 24
	right, bottom  = 536, 344 // of the plot area; the names of lines are to its right
	nameHeight     = 20
	textBelow      = 20
	leastMinutes   = 1
	mostTicks      = 10
	pointRadius    = 3
	firstTickSteps = 0.5
)

// colors holds the colors of the lines, in rotation. Color-blind people can tell them
// apart (Okabe and Ito, Color Universal Design, 2008).
var colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// SVG draws the plot. It marks every point, so a line of one point is visible.
func (p *Plot) SVG() string {
	longest := float64(leastMinutes)
	for _, l := range p.lines {
		for _, point := range l.points {
			longest = max(longest, point[0])
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	p.axes(&b, longest)
	for i := range p.lines {
		p.lines[i].draw(&b, i, longest)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// axes draws the grid, the ticks and the title. longest is in minutes.
func (p *Plot) axes(b *strings.Builder, longest float64) {
	for tenth := 0; tenth <= 10; tenth += 2 {
		y := yOf(float64(tenth) / 10)
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n",
			left, y, right, left-8, y+4, float64(tenth)/10)
	}
	step := firstTickSteps
	for longest/step > mostTicks {
		step *= 2
	}
	for minute := 0.0; minute <= longest; minute += step {
		x := xOf(minute, longest)
		fmt.Fprintf(b, `<path d="M%.1f %dv5" stroke="#666"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
			x, bottom, x, bottom+textBelow, minute)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">minutes</text>`+"\n", (left+right)/2, bottom+2*textBelow)
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", left, top-8, html.EscapeString(p.Title))
}

// draw draws line number i and its name.
func (l *line) draw(b *strings.Builder, i int, longest float64) {
	color := colors[i%len(colors)]
	var points []string
	for _, point := range l.points {
		x, y := xOf(point[0], longest), yOf(point[1])
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>`+"\n", x, y, pointRadius, color)
	}
	if len(points) > 1 {
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), color)
	}
	y := top + nameHeight*(i+1)
	fmt.Fprintf(b, `<path d="M%d %dh20" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s</text>`+"\n",
		right+12, y-4, color, right+38, y, html.EscapeString(l.name))
}

// xOf and yOf return the position of a point, in pixels.
func xOf(minutes, longest float64) float64 { return left + minutes/longest*(right-left) }

func yOf(value float64) float64 { return bottom - value*(bottom-top) }
