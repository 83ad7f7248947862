package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newPlot(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "plot FOLDER…",
		Short: "Draw the learning curves of runs as SVG",
		Long: `Plot draws how the mean score of held-out problems went over the minutes of runs, a
line for each data folder, and prints the picture as SVG. The points are those of
examinations.jsonl in the folders.`,
		Example: `  quintain plot quintain-data > curve.svg
  quintain plot --tasks quintain-data > tasks.svg`,
		Args: cobra.MinimumNArgs(1),
	}
	tasks := c.Flags().Bool("tasks", false, "draw a line for each task of a folder")
	c.RunE = func(_ *cobra.Command, folders []string) error {
		var p plot
		for _, folder := range folders {
			if err := p.addFolder(folder, *tasks); err != nil {
				return err
			}
		}
		_, err := w.stdout.Write([]byte(p.svg()))
		return err
	}
	return c
}

// A plot is lines of scores from 0 to 1 over minutes.
type plot struct{ lines []plotLine }

// A plotLine is one line of a plot.
type plotLine struct {
	name   string
	points [][2]float64 // minutes, score
}

// addFolder adds the line of a data folder, or one for each of its tasks.
func (p *plot) addFolder(folder string, byTask bool) error {
	path := filepath.Join(folder, examLogName)
	lines, err := readLineLog[examLine](path)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no %s: is %s the data folder of a run with examinations?", path, folder)
	}
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return usagef("%s has no line yet", path)
	}
	for _, line := range lines {
		if !byTask {
			p.add(filepath.Base(folder), line.Seconds/60, line.Mean)
		}
		for _, name := range slices.Sorted(maps.Keys(line.Tasks)) {
			if byTask {
				p.add(name, line.Seconds/60, line.Tasks[name])
			}
		}
	}
	return nil
}

// add adds a point to the line of a name.
func (p *plot) add(name string, minutes, score float64) {
	for i := range p.lines {
		if p.lines[i].name == name {
			p.lines[i].points = append(p.lines[i].points, [2]float64{minutes, score})
			return
		}
	}
	p.lines = append(p.lines, plotLine{name, [][2]float64{{minutes, score}}})
}

// The picture's sizes, in pixels.
const (
	plotWidth, plotHeight         = 720, 400
	plotLeft, plotTop             = 56, 24
	plotRight, plotBottom         = 536, 344 // of the area of the lines; names stand right of it
	plotNameHeight, plotTextBelow = 20, 20
)

// plotColors are the colors of the lines, which come again after the last. They
// can be told apart by the color-blind (Okabe and Ito, 2008).
func plotColors() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
}

// svg draws the plot.
func (p *plot) svg() string {
	longest := 0.0
	for _, line := range p.lines {
		for _, point := range line.points {
			longest = max(longest, point[0])
		}
	}
	longest = max(longest, 1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	for tenth := 0; tenth <= 10; tenth += 2 {
		y := plotY(float64(tenth) / 10)
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n",
			plotLeft, y, plotRight, plotLeft-8, y+4, float64(tenth)/10)
	}
	for _, minute := range plotTicks(longest) {
		x := plotX(minute, longest)
		fmt.Fprintf(&b, `<path d="M%.1f %dv5" stroke="#666"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
			x, plotBottom, x, plotBottom+plotTextBelow, minute)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">minutes</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+2*plotTextBelow)
	fmt.Fprintf(&b, `<text x="%d" y="%d">mean score of held-out problems</text>`+"\n", plotLeft, plotTop-8)
	colors := plotColors()
	for i, line := range p.lines {
		color := colors[i%len(colors)]
		var points []string
		for _, point := range line.points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", plotX(point[0], longest), plotY(point[1])))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), color)
		y := plotTop + plotNameHeight*(i+1)
		fmt.Fprintf(&b, `<path d="M%d %dh20" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s</text>`+"\n",
			plotRight+12, y-4, color, plotRight+38, y, html.EscapeString(line.name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// plotX and plotY place a point.
func plotX(minutes, longest float64) float64 {
	return plotLeft + minutes/longest*(plotRight-plotLeft)
}

func plotY(score float64) float64 { return plotBottom - score*(plotBottom-plotTop) }

// plotTicks returns at most ten minutes to mark, at even distances.
func plotTicks(longest float64) (ticks []float64) {
	step := 0.5
	for longest/step > 10 {
		step *= 2
	}
	for minute := 0.0; minute <= longest; minute += step {
		ticks = append(ticks, minute)
	}
	return ticks
}
