package cards

import "math/big"

// A solution is that of a matrix game in which the first wins pay[row][column] of the second.
type solution struct {
	value         *big.Rat
	rows, columns mix // the best of both
}

// solve solves a matrix game by the simplex method in whole numbers. The columns' mix y solves: the
// greatest sum of y such that no row of the matrix, made positive, pays more than 1; the rows' mix
// solves the dual. Pays are from -mostPay to mostPay, in 5 rows and columns at most, so that all
// numbers, which are minors of the tableau, and their products fit into 64 bits.
func solve(pay [][]int) solution {
	const shift = mostPay + 1
	t := tableau(pay, shift)
	for enter := t.enters(); enter >= 0; enter = t.enters() {
		t.pivot(t.leaves(enter), enter)
	}
	goal := t.of[len(pay)]
	sum := goal[len(goal)-1]
	s := solution{value: big.NewRat(t.unit-shift*sum, sum), rows: goal[t.columns : len(goal)-1], columns: make(mix, t.columns)}
	for i, variable := range t.basis {
		if variable < t.columns {
			s.columns[variable] = t.of[i][len(goal)-1]
		}
	}
	return s
}

// A linear is a tableau: a row for each constraint, then the goal; a column for each variable, for
// the slack of each constraint, and for the right side.
type linear struct {
	of      [][]int64
	unit    int64 // what stands for 1
	basis   []int // the variable of each constraint
	columns int   // of the game
}

func tableau(pay [][]int, shift int64) *linear {
	t := &linear{unit: 1, columns: len(pay[0])}
	for i := range len(pay) + 1 {
		row := make([]int64, t.columns+len(pay)+1)
		t.of = append(t.of, row)
		for j := range t.columns {
			if row[j] = -1; i < len(pay) {
				row[j] = int64(pay[i][j]) + shift
			}
		}
		if i < len(pay) {
			row[t.columns+i], row[len(row)-1] = 1, 1
			t.basis = append(t.basis, t.columns+i)
		}
	}
	return t
}

// enters returns the first variable that improves the goal, by Bland's rule; -1: none.
func (t *linear) enters() int {
	goal := t.of[len(t.basis)]
	for j, x := range goal[:len(goal)-1] {
		if x < 0 {
			return j
		}
	}
	return -1
}

// leaves returns the constraint that binds first if a variable grows; of several, that of the first
// variable. There is one, since the matrix is positive.
func (t *linear) leaves(enter int) int {
	best := -1
	for i, variable := range t.basis {
		row := t.of[i]
		if row[enter] <= 0 {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		least := t.of[best]
		one, two := row[len(row)-1]*least[enter], least[len(row)-1]*row[enter]
		if one < two || one == two && variable < t.basis[best] {
			best = i
		}
	}
	return best
}

// pivot puts a variable into the basis in the place of a constraint's. It keeps whole numbers: all
// divisions are without a rest, by Sylvester's identity for minors.
func (t *linear) pivot(at, enter int) {
	t.basis[at] = enter
	by := t.of[at][enter]
	for i, row := range t.of {
		if i == at {
			continue
		}
		times := row[enter]
		for j, x := range row {
			row[j] = (x*by - times*t.of[at][j]) / t.unit
		}
	}
	t.unit = by
}
