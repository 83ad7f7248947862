package mathematics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// manipulateMatrix asks for a matrix after a list of operations.
var manipulateMatrix = task.Spec[manipulateMatrixParams, manipulateMatrixItem]{
	Name:     "manipulate_matrix",
	Category: "algorithmic",
	Doc: "Apply a list of operations to a matrix: rotate it, mirror it, replace numbers, remove rows and columns. " +
		"As far as the settings allow, every operation changes something, and none makes all numbers equal.",
	Source:  "Composed exercises; the operations and the settings are those of reasoning-gym.",
	Version: 5,
	Default: manipulateMatrixParams{MinRows: 2, MinCols: 2, MaxRows: 10, MaxCols: 10, MinTransforms: 1, MaxTransforms: 10, matrixWeights: evenWeights},
	Levels: []manipulateMatrixParams{
		{MinRows: 2, MinCols: 2, MaxRows: 3, MaxCols: 3, MinTransforms: 1, MaxTransforms: 1, matrixWeights: evenWeights},
		{MinRows: 3, MinCols: 3, MaxRows: 5, MaxCols: 5, MinTransforms: 1, MaxTransforms: 2, matrixWeights: evenWeights},
		{MinRows: 5, MinCols: 5, MaxRows: 8, MaxCols: 8, MinTransforms: 2, MaxTransforms: 4, matrixWeights: evenWeights},
		{MinRows: 8, MinCols: 8, MaxRows: 12, MaxCols: 12, MinTransforms: 4, MaxTransforms: 7, matrixWeights: fewLosses},
		{MinRows: 14, MinCols: 14, MaxRows: 20, MaxCols: 20, MinTransforms: 7, MaxTransforms: 12, matrixWeights: fewLosses},
		{MinRows: 24, MinCols: 24, MaxRows: 32, MaxCols: 32, MinTransforms: 12, MaxTransforms: 20, matrixWeights: fewLosses},
	},
	Make: makeManipulateMatrix,
}

// manipulateMatrixParams are the settings of one difficulty.
type manipulateMatrixParams struct {
	MinRows       int `json:"min_rows" want:"2 to 200"` // at first
	MinCols       int `json:"min_cols" want:"2 to 200"`
	MaxRows       int `json:"max_rows" want:"min_rows to 200"`
	MaxCols       int `json:"max_cols" want:"min_cols to 200"`
	MinTransforms int `json:"min_transforms" want:"1 to 100"` // operations
	MaxTransforms int `json:"max_transforms" want:"min_transforms to 100"`
	matrixWeights
}

// matrixWeights are the relative frequencies of the operations; 0: never.
type matrixWeights struct {
	WRotate            float64 `json:"w_rotate"`
	WHMirror           float64 `json:"w_hmirror"`
	WVMirror           float64 `json:"w_vmirror"`
	WDMirror           float64 `json:"w_dmirror"`
	WCMirror           float64 `json:"w_cmirror"`
	WMap               float64 `json:"w_map"`
	WCrop              float64 `json:"w_crop"`
	WRemoveEveryNthRow float64 `json:"w_remove_every_nth_row"`
	WRemoveEveryNthCol float64 `json:"w_remove_every_nth_col"`
	WZeroDivisible     float64 `json:"w_zero_divisible"`
}

var (
	evenWeights = matrixWeights{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	fewLosses   = matrixWeights{2, 2, 2, 2, 2, 2, 1, 1, 1, 1}
)

// list returns the weights in the order of the fields.
func (w matrixWeights) list() [10]float64 {
	return [10]float64{w.WRotate, w.WHMirror, w.WVMirror, w.WDMirror, w.WCMirror, w.WMap, w.WCrop, w.WRemoveEveryNthRow, w.WRemoveEveryNthCol, w.WZeroDivisible}
}

// check refuses weights that are negative, too large or all 0.
func (w matrixWeights) check() error {
	sum := 0.
	for _, weight := range w.list() {
		if !(weight >= 0 && weight <= 1e9) {
			return fmt.Errorf("a weight w_… is %v, want 0 to 1e9", weight)
		}
		sum += weight
	}
	if sum == 0 {
		return errors.New("all weights w_… are 0")
	}
	return nil
}

// Check refuses what no tag does.
func (p manipulateMatrixParams) Check() error {
	return p.matrixWeights.check()
}

// manipulateMatrixItem is one matrix with its operations.
type manipulateMatrixItem struct {
	Matrix        matrix            `json:"matrix"`
	Solution      matrix            `json:"solution"`
	Operations    []matrixOperation `json:"operations"`
	Rows          int               `json:"rows"` // of Matrix
	Cols          int               `json:"cols"`
	NumTransforms int               `json:"num_transforms"`
	Phrasing      int               `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeManipulateMatrix draws the matrix and the operations. It redraws an operation, a few
// times, until it is worthwhile. It refuses a result that is a part of the text of the
// first matrix, since copying that text would earn partial credit.
func makeManipulateMatrix(p manipulateMatrixParams, r *rng.Rand) (manipulateMatrixItem, error) {
	const tries = 20
	rows, cols := r.Between(p.MinRows, p.MaxRows), r.Between(p.MinCols, p.MaxCols)
	item := manipulateMatrixItem{
		Matrix: drawDigits(rows, cols, r), Rows: rows, Cols: cols,
		NumTransforms: r.Between(p.MinTransforms, p.MaxTransforms),
		Phrasing:      r.Between(0, len(manipulateMatrixPhrasings)-1),
	}
	item.Matrix[0][0] = (item.Matrix[rows-1][cols-1] + r.Between(1, 9)) % 10
	item.Operations = make([]matrixOperation, item.NumTransforms)
	now, text := item.Matrix, grid.Ints(item.Matrix)
	for i := range item.Operations {
		var op matrixOperation
		var next matrix
		for range tries {
			op = drawOperation(p.matrixWeights, now, r)
			next = op.apply(now)
			last := i == len(item.Operations)-1
			if worthwhile(next, now, item.Matrix) && !(last && strings.Contains(text, grid.Ints(next))) {
				break
			}
		}
		op.Instruction = op.words()
		item.Operations[i], now = op, next
	}
	item.Solution = now
	return item, nil
}

// worthwhile reports whether a step from now to next is worth asking for. Its result must
// differ from both now and the first matrix, keep two rows and two columns if there are
// any, and two different numbers.
func worthwhile(next, now, first matrix) bool {
	if len(next) < min(2, len(now)) || len(next[0]) < min(2, len(now[0])) || grid.Equal(next, now) || grid.Equal(next, first) {
		return false
	}
	for _, row := range next {
		for _, n := range row {
			if n != next[0][0] {
				return true
			}
		}
	}
	return false
}

// manipulateMatrixPhrasings are the wordings of the question, before the matrix and
// before the operations.
var manipulateMatrixPhrasings = [][2]string{
	{"Here is a matrix:\n\n", "Do the following to it, one step after the other:\n"},
	{"Start with this matrix:\n\n", "Apply these operations, each to the result of the one before:\n"},
	{"Take the matrix below.\n\n", "What does it become after these steps, taken in order?\n"},
	{"A program reads this matrix:\n\n", "It then carries out the following commands in order. What does it print at the end?\n"},
	{"Consider the following rows of numbers.\n\n", "Change them as listed, from the first line of the list to the last:\n"},
	{"The matrix at the start is\n\n", "Find the matrix at the end, after all of these changes in turn:\n"},
}

func (m manipulateMatrixItem) Prompt() string {
	words := manipulateMatrixPhrasings[m.Phrasing]
	b := make([]byte, 0, task.PromptRoom)
	b = grid.AppendInts(append(b, words[0]...), m.Matrix)
	b = append(append(b, "\n\n"...), words[1]...)
	for _, op := range m.Operations {
		b = append(append(b, op.Instruction...), '\n')
	}
	return string(append(b, "Rows and columns are counted from 1. Answer with the final matrix alone: a line for each row, with one space between numbers."...))
}

// Canonical implements [task.Canonicalizer]. The wording of the operations does not matter, nor from which
// side all is seen; if rows or columns are counted, which of them are called rows.
func (m manipulateMatrixItem) Canonical() string {
	sides := []int{0, 1, 2, 3, 4, 5, 6, 7}
	if slices.ContainsFunc(m.Operations, matrixOperation.counts) {
		sides = []int{0, 4}
	}
	return canon.Least(len(sides), func(i int) string {
		b := grid.AppendInts(nil, canon.Seen(m.Matrix, sides[i]))
		for _, op := range m.Operations {
			if op.Transform == "rotate" {
				degrees, _ := strconv.Atoi(op.Degrees)
				op.Degrees = strconv.Itoa(degrees % 360)
			}
			b = append(append(b, '\n'), op.seen(sides[i]).words()...)
		}
		return string(b)
	})
}

// counts reports whether an operation names rows or columns by their numbers.
func (op matrixOperation) counts() bool {
	return op.Transform == "crop" || strings.HasPrefix(op.Transform, "remove_every_nth")
}

// seen returns the operation that does to a matrix as [canon.Seen] shows it what op does to the matrix.
func (op matrixOperation) seen(side int) matrixOperation {
	if side&1 != side>>1&1 { // in a mirror
		switch op.Transform {
		case "rotate":
			op = op.transposed()
		case "dmirror":
			op.Transform = "cmirror"
		case "cmirror":
			op.Transform = "dmirror"
		}
	}
	if side >= 4 {
		return op.transposed()
	}
	return op
}

// transposed returns the operation that does to a matrix with rows as columns what op does to the matrix.
func (op matrixOperation) transposed() matrixOperation {
	switch op.Transform {
	case "rotate":
		degrees, _ := strconv.Atoi(op.Degrees)
		op.Degrees = strconv.Itoa((360 - degrees%360) % 360)
	case "hmirror":
		op.Transform = "vmirror"
	case "vmirror":
		op.Transform = "hmirror"
	case "crop":
		op.RowStart, op.RowEnd, op.ColStart, op.ColEnd = op.ColStart, op.ColEnd, op.RowStart, op.RowEnd
	case "remove_every_nth_row":
		op.Transform = "remove_every_nth_col"
	case "remove_every_nth_col":
		op.Transform = "remove_every_nth_row"
	}
	return op
}

// Check refuses a record with a wrong solution.
func (m manipulateMatrixItem) Check() error {
	if err := grid.CheckInts(m.Matrix, -1e6, 1e6); err != nil {
		return err
	}
	now := m.Matrix
	for i, op := range m.Operations {
		if err := op.check(now); err != nil {
			return fmt.Errorf("operation %d: %w", i+1, err)
		}
		now = op.apply(now)
	}
	if !grid.Equal(m.Solution, now) {
		return errors.New("solution is not the result of the operations")
	}
	return nil
}

func (m manipulateMatrixItem) Solve() string { return grid.Ints(m.Solution) }

// Score implements [task.Scorer]. It ignores space at the ends of lines, and extra space
// between numbers.
func (m manipulateMatrixItem) Score(text string) quintain.Verdict {
	return task.Match(strings.TrimSpace(answer.Squeeze(text)), m.Solve())
}

// A matrixOperation is one step. Its numbers count from 1.
type matrixOperation struct {
	Transform   string `json:"transform"`
	Instruction string `json:"instruction"`         // in words
	Degrees     string `json:"degrees,omitempty"`   // rotate: clockwise, a multiple of 90
	From        *int   `json:"from,omitempty"`      // map: the number to replace
	To          *int   `json:"to,omitempty"`        // map: its replacement
	RowStart    int    `json:"row_start,omitempty"` // crop: the first row to keep
	RowEnd      int    `json:"row_end,omitempty"`   // crop: the last row to keep
	ColStart    int    `json:"col_start,omitempty"`
	ColEnd      int    `json:"col_end,omitempty"`
	N           int    `json:"n,omitempty"` // remove_every_nth_…: n
	K           int    `json:"k,omitempty"` // zero_divisible: the divisor
}

// The transforms, in the order of the weights.
var matrixTransforms = [10]string{"rotate", "hmirror", "vmirror", "dmirror", "cmirror", "map", "crop", "remove_every_nth_row", "remove_every_nth_col", "zero_divisible"}

// drawOperation draws a transform by the weights, and its numbers.
func drawOperation(w matrixWeights, m matrix, r *rng.Rand) matrixOperation {
	weights, sum, kind := w.list(), 0., 0
	for _, weight := range weights {
		sum += weight
	}
	at := r.Float() * sum
	for k, weight := range weights {
		if weight > 0 {
			if kind = k; at < weight {
				break
			}
		}
		at -= weight
	}
	op := matrixOperation{Transform: matrixTransforms[kind]}
	rows, cols := len(m), len(m[0])
	switch op.Transform {
	case "rotate":
		op.Degrees = [...]string{"90", "180", "270"}[r.Between(0, 2)]
	case "map":
		from := m[r.Between(0, rows-1)][r.Between(0, cols-1)]
		to := r.Between(0, 9)
		op.From, op.To = &from, &to
	case "crop":
		op.RowStart, op.RowEnd = drawWindow(rows, r)
		op.ColStart, op.ColEnd = drawWindow(cols, r)
	case "remove_every_nth_row":
		op.N = r.Between(2, max(2, rows))
	case "remove_every_nth_col":
		op.N = r.Between(2, max(2, cols))
	case "zero_divisible":
		op.K = r.Between(2, 9)
	}
	return op
}

// drawWindow draws a range within 1 to n that covers at least two thirds of it.
func drawWindow(n int, r *rng.Rand) (first, last int) {
	size := r.Between((2*n+2)/3, n)
	first = r.Between(1, n-size+1)
	return first, first + size - 1
}

// words describes the operation.
func (op matrixOperation) words() string {
	switch op.Transform {
	case "rotate":
		return "- Rotate the matrix clockwise by " + op.Degrees + " degrees."
	case "hmirror":
		return "- Mirror the matrix top to bottom: the first row becomes the last."
	case "vmirror":
		return "- Mirror the matrix left to right: the first column becomes the last."
	case "dmirror":
		return "- Mirror the matrix along its main diagonal: rows become columns."
	case "cmirror":
		return "- Mirror the matrix along its other diagonal, from the lower left to the upper right: the last row, read backward, becomes the first column."
	case "map":
		return "- Replace every " + strconv.Itoa(*op.From) + " with " + strconv.Itoa(*op.To) + "."
	case "crop":
		return "- Keep only rows " + strconv.Itoa(op.RowStart) + " to " + strconv.Itoa(op.RowEnd) +
			", and of these only columns " + strconv.Itoa(op.ColStart) + " to " + strconv.Itoa(op.ColEnd) + "."
	case "remove_every_nth_row":
		return "- Remove every row whose number is a multiple of " + strconv.Itoa(op.N) + "."
	case "remove_every_nth_col":
		return "- Remove every column whose number is a multiple of " + strconv.Itoa(op.N) + "."
	}
	return "- Replace every number that is divisible by " + strconv.Itoa(op.K) + " with 0."
}

// check refuses an operation that does not fit m.
func (op matrixOperation) check(m matrix) error {
	switch op.Transform {
	case "hmirror", "vmirror", "dmirror", "cmirror":
		return nil
	case "rotate":
		if degrees, err := strconv.Atoi(op.Degrees); err != nil || degrees < 0 || degrees%90 != 0 || degrees > math.MaxInt32 {
			return fmt.Errorf("degrees is %q, want a multiple of 90", op.Degrees)
		}
	case "map":
		if op.From == nil || op.To == nil {
			return errors.New("from or to is missing")
		}
	case "crop":
		if op.RowStart < 1 || op.RowEnd < op.RowStart || op.RowEnd > len(m) || op.ColStart < 1 || op.ColEnd < op.ColStart || op.ColEnd > len(m[0]) {
			return fmt.Errorf("a crop to rows %d to %d, columns %d to %d of a matrix of %d rows and %d columns",
				op.RowStart, op.RowEnd, op.ColStart, op.ColEnd, len(m), len(m[0]))
		}
	case "remove_every_nth_row", "remove_every_nth_col":
		if op.N < 2 {
			return fmt.Errorf("n is %d, want 2 or more", op.N)
		}
	case "zero_divisible":
		if op.K < 1 {
			return fmt.Errorf("k is %d, want 1 or more", op.K)
		}
	default:
		return fmt.Errorf("transform is %q, want one of %v", op.Transform, matrixTransforms)
	}
	return nil
}

// apply returns the result of the operation on m, and leaves m unchanged.
func (op matrixOperation) apply(m matrix) matrix {
	rows, cols := len(m), len(m[0])
	switch op.Transform {
	case "rotate":
		degrees, _ := strconv.Atoi(op.Degrees)
		return m.Turned(degrees / 90)
	case "hmirror":
		return grid.Build(rows, cols, func(i, j int) int { return m[rows-1-i][j] })
	case "vmirror":
		return grid.Build(rows, cols, func(i, j int) int { return m[i][cols-1-j] })
	case "dmirror":
		return grid.Build(cols, rows, func(i, j int) int { return m[j][i] })
	case "cmirror":
		return grid.Build(cols, rows, func(i, j int) int { return m[rows-1-j][cols-1-i] })
	case "map":
		return grid.Build(rows, cols, func(i, j int) int {
			if m[i][j] == *op.From {
				return *op.To
			}
			return m[i][j]
		})
	case "crop":
		return grid.Build(op.RowEnd-op.RowStart+1, op.ColEnd-op.ColStart+1, func(i, j int) int { return m[op.RowStart-1+i][op.ColStart-1+j] })
	case "remove_every_nth_row": // n-1 of n rows stay: those before every n-th one
		return grid.Build(rows-rows/op.N, cols, func(i, j int) int { return m[i+i/(op.N-1)][j] })
	case "remove_every_nth_col":
		return grid.Build(rows, cols-cols/op.N, func(i, j int) int { return m[i][j+j/(op.N-1)] })
	}
	return grid.Build(rows, cols, func(i, j int) int {
		if m[i][j]%op.K == 0 {
			return 0
		}
		return m[i][j]
	})
}
