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

// solved solves normal equations by elimination. A little on the diagonal decides between unknowns that the
// equations leave open.
func solved(m [lineInputs][lineInputs + 1]float64) (x [lineInputs]float64) {
	for col := range x {
		m[col][col] += 1e-9 * (1 + m[col][col])
	}
	for col := range x {
		for i := range m {
			if i != col {
				subtract(&m[i], m[i][col]/m[col][col], &m[col])
			}
		}
	}
	for col := range x {
		x[col] = m[col][lineInputs] / m[col][col]
	}
	return x
}

// subtract takes f times another equation from one.
func subtract(from *[lineInputs + 1]float64, f float64, other *[lineInputs + 1]float64) {
	for k := range from {
		from[k] -= float64(f * other[k])
	}
}
