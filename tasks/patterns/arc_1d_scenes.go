package patterns

import (
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// A scenery draws rows of a size, for a rule with parameter k.
type scenery struct {
	r    *rng.Rand
	size int
	k    int
}

// A runPlan limits the number of runs and their lengths: from the first number to the
// second.
type runPlan struct{ runs, lengths [2]int }

// runs draws runs on the background, with gaps between them. color draws their colors.
func (d scenery) runs(p runPlan, color func() int) []int {
	cells := make([]int, d.size)
	lengths, free := make([]int, 0, 16), d.size+1
	for range min(16, d.r.Between(p.runs[0], p.runs[1])) {
		if length := d.r.Between(p.lengths[0], p.lengths[1]); length+1 <= free {
			lengths = append(lengths, length)
			free -= length + 1
		}
	}
	at := 0
	for i, length := range lengths {
		gap := d.r.Between(0, min(free, 2*free/(len(lengths)+1-i)))
		at, free = at+gap, free-gap
		for c := color(); length > 0; length-- {
			cells[at] = c
			at++
		}
		at++
	}
	return cells
}

// anyColor draws a color for each run.
func (d scenery) anyColor() int { return d.r.Between(1, 9) }

// oneOf returns a function that draws one of n colors for each run.
func (d scenery) oneOf(n int) func() int {
	palette := rng.Sample(d.r, rowColors, n)
	return func() int { return rng.Pick(d.r, palette) }
}

// few is the plan of a simple row, many that of a full one.
func (d scenery) few() runPlan { return runPlan{[2]int{1, 2}, [2]int{1, max(3, d.size/6)}} }
func (d scenery) many() runPlan {
	return runPlan{[2]int{2, max(3, d.size/5)}, [2]int{1, max(4, d.size/6)}}
}

func oneRun(d scenery) []int        { return d.runs(runPlan{[2]int{1, 1}, [2]int{2, d.size / 3}}, d.anyColor) }
func fewRuns(d scenery) []int       { return d.runs(d.few(), d.anyColor) }
func manyRuns(d scenery) []int      { return d.runs(d.many(), d.anyColor) }
func manyRunsAlike(d scenery) []int { return d.runs(d.many(), d.oneOf(1)) }
func twoColors(d scenery) []int     { return d.runs(d.many(), d.oneOf(2)) }

func longRuns(d scenery) []int {
	return d.runs(runPlan{[2]int{1, max(2, d.size/8)}, [2]int{3, max(5, d.size/6)}}, d.anyColor)
}

func looseRuns(d scenery) []int {
	return d.runs(runPlan{[2]int{1, max(2, d.size/8)}, [2]int{1, 3}}, d.anyColor)
}

// dots draws single cells of two or three colors.
func dots(d scenery) []int {
	return d.runs(runPlan{[2]int{2, max(4, d.size/4)}, [2]int{1, 1}}, d.oneOf(d.r.Between(2, 3)))
}

// pairs draws single cells; neighbors often share a color.
func pairs(d scenery) []int {
	last := 0
	return d.runs(runPlan{[2]int{2, max(4, d.size/4)}, [2]int{1, 1}}, func() int {
		if last == 0 || d.r.Chance(0.5) {
			last = d.anyColor()
		}
		return last
	})
}

// runsAndSingles draws runs and single cells.
func runsAndSingles(d scenery) []int {
	cells := d.runs(d.many(), d.anyColor)
	for i := range cells {
		if cells[i] == 0 && (i == 0 || cells[i-1] == 0) && (i == d.size-1 || cells[i+1] == 0) && d.r.Chance(0.2) {
			cells[i] = d.anyColor()
		}
	}
	return cells
}

// runsAtBorders draws runs that often begin or end the row.
func runsAtBorders(d scenery) []int {
	cells := d.runs(d.many(), d.anyColor)
	for _, i := range []int{0, d.size - 1} {
		if d.r.Chance(0.5) {
			cells[i] = d.anyColor()
		}
	}
	return cells
}

// runsWithColor draws runs in two or three colors, the rule's color among them.
func runsWithColor(d scenery) []int {
	other := d.oneOf(2)
	return d.runs(d.many(), func() int {
		if d.r.Chance(0.5) {
			return d.k
		}
		return other()
	})
}

// blockAndMark draws a run and, away from it, a single cell of another color.
func blockAndMark(d scenery) []int {
	cells := make([]int, d.size)
	colors := rng.Sample(d.r, rowColors, 2)
	length := d.r.Between(2, max(3, d.size/4))
	from := d.r.Between(0, d.size-length-2)
	for i := range length {
		cells[from+i] = colors[0]
	}
	cells[d.r.Between(from+length+1, d.size-1)] = colors[1]
	if d.r.Chance(0.5) {
		slices.Reverse(cells)
	}
	return cells
}

// motley draws pieces with a random color for each cell.
func motley(d scenery) []int {
	cells := d.runs(runPlan{[2]int{1, max(2, d.size/8)}, [2]int{2, 5}}, d.anyColor)
	for i, c := range cells {
		if c != 0 {
			cells[i] = d.anyColor()
		}
	}
	return cells
}

// leftRuns draws runs in the left half only.
func leftRuns(d scenery) []int {
	half := d
	half.size = d.size / 2
	return append(half.runs(runPlan{[2]int{1, 3}, [2]int{1, 3}}, d.anyColor), make([]int, d.size-half.size)...)
}

// firstPiece draws a few colors at the beginning.
func firstPiece(d scenery) []int {
	cells := make([]int, d.size)
	for i := range d.r.Between(2, min(6, d.size/3)) {
		cells[i] = d.anyColor()
	}
	return cells
}

// broken draws runs that lack some of their inner cells.
func broken(d scenery) []int {
	cells := d.runs(runPlan{[2]int{1, max(2, d.size/8)}, [2]int{3, 7}}, d.oneOf(2))
	for i := 1; i < d.size-1; i++ {
		if cells[i-1] != 0 && cells[i-1] == cells[i+1] && d.r.Chance(0.4) {
			cells[i] = 0
		}
	}
	return cells
}

// spoiled draws long runs, with wrong colors in single cells inside and beside them.
func spoiled(d scenery) []int {
	cells := d.runs(runPlan{[2]int{1, max(2, d.size/10)}, [2]int{4, max(6, d.size/4)}}, d.anyColor)
	for i := 2; i < d.size-2; i++ {
		if cells[i-2] == cells[i-1] && cells[i-1] == cells[i] && cells[i] == cells[i+1] && cells[i+1] == cells[i+2] && d.r.Chance(0.3) {
			cells[i] = d.anyColor()
		}
	}
	return cells
}

// dense draws cells of a few colors, with little background.
func dense(d scenery) []int {
	cells, color := make([]int, d.size), d.oneOf(d.r.Between(2, 4))
	for i := range cells {
		if !d.r.Chance(0.2) {
			cells[i] = color()
		}
	}
	return cells
}

// legend draws runs of a few colors, after two cells: a color, and another.
func legend(d scenery) []int {
	rest, colors := d, rng.Sample(d.r, rowColors, 3)
	rest.size = d.size - 3
	row := rest.runs(d.many(), func() int { return rng.Pick(d.r, []int{colors[0], colors[0], colors[2]}) })
	return append([]int{colors[0], colors[1], 0}, row...)
}
