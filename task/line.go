package task

import (
	"math"
	"strconv"
)

// lineInputs is the number of inputs of a linear guess: the first and last numbers of a
// prompt, and 1.
const lineInputs = 7

// line answers with the whole number nearest to a linear function of the first and the last
// three numbers of the prompt, by least squares. It gives no answer if few answers are whole
// numbers.
func (l *lessons) line() func(look) string {
	var sums [lineInputs][lineInputs + 1]float64 // the normal equations
	known := 0
	for i, seen := range l.looks {
		y, err := strconv.ParseInt(l.answers[i], 10, 32)
		if err != nil {
			continue
		}
		known++
		x := seen.inputs()
		for j := range x {
			for k := range x {
				sums[j][k] += x[j] * x[k]
			}
			sums[j][lineInputs] += x[j] * float64(y)
		}
	}
	if known <= len(l.looks)/2 {
		return func(look) string { return "" }
	}
	weights := solved(sums)
	return func(seen look) string {
		y := 0.
		for j, x := range seen.inputs() {
			y += weights[j] * x
		}
		return strconv.FormatFloat(math.Round(y)+0, 'f', 0, 64)
	}
}

// inputs returns the inputs of a linear guess.
func (l look) inputs() (x [lineInputs]float64) {
	for i := range lineInputs / 2 {
		x[i], _ = strconv.ParseFloat(l.number(i), 64) // 0 if there is none
		x[lineInputs/2+i], _ = strconv.ParseFloat(l.number(-1-i), 64)
	}
	x[lineInputs-1] = 1
	return x
}

// solved solves linear equations by elimination. Unknowns that the equations leave open are 0.
func solved(m [lineInputs][lineInputs + 1]float64) (x [lineInputs]float64) {
	var pivot [lineInputs]int // row of each unknown, counted from 1; 0: open
	next := 0
	for col := range x {
		row, small := next, 1e-9*(1+m[col][col]) // less than small is rounding
		for i := next; i < lineInputs; i++ {
			if math.Abs(m[i][col]) > math.Abs(m[row][col]) {
				row = i
			}
		}
		if row >= lineInputs || math.Abs(m[row][col]) < small {
			continue
		}
		m[next], m[row] = m[row], m[next]
		for i := range m {
			if i != next {
				subtract(&m[i], m[i][col]/m[next][col], &m[next])
			}
		}
		next++
		pivot[col] = next
	}
	for col, row := range pivot {
		if row > 0 {
			x[col] = m[row-1][lineInputs] / m[row-1][col]
		}
	}
	return x
}

// subtract takes f times another equation from one.
func subtract(from *[lineInputs + 1]float64, f float64, other *[lineInputs + 1]float64) {
	for k := range from {
		from[k] -= float64(f * other[k])
	}
}
