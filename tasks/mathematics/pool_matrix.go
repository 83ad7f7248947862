package mathematics

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// poolMatrix asks for the pools of a matrix.
var poolMatrix = task.Spec[poolMatrixParams, poolMatrixItem]{
	Name:     "pool_matrix",
	Category: "algorithmic",
	Doc: "Cut a matrix into square blocks, and find the largest number or the average of each. " +
		"The largest number differs from block to block, so that 9 is a poor guess; no block has only one cell, which would change nothing.",
	Source:  "The pooling layers of neural networks; the settings are those of reasoning-gym.",
	Version: 5,
	Default: poolMatrixParams{MinRows: 2, MinCols: 2, MaxRows: 10, MaxCols: 10, MinPoolSize: 1, MaxPoolSize: 3},
	Levels: []poolMatrixParams{
		{MinRows: 2, MinCols: 4, MaxRows: 3, MaxCols: 5, MinPoolSize: 2, MaxPoolSize: 2},
		{MinRows: 4, MinCols: 4, MaxRows: 6, MaxCols: 6, MinPoolSize: 2, MaxPoolSize: 2},
		{MinRows: 6, MinCols: 6, MaxRows: 10, MaxCols: 10, MinPoolSize: 2, MaxPoolSize: 3},
		{MinRows: 10, MinCols: 10, MaxRows: 15, MaxCols: 15, MinPoolSize: 3, MaxPoolSize: 4},
		{MinRows: 18, MinCols: 18, MaxRows: 24, MaxCols: 24, MinPoolSize: 3, MaxPoolSize: 6},
		{MinRows: 30, MinCols: 30, MaxRows: 40, MaxCols: 40, MinPoolSize: 4, MaxPoolSize: 9},
	},
	Make: makePoolMatrix,
}

// poolMatrixParams are the settings of one difficulty.
type poolMatrixParams struct {
	MinRows     int `json:"min_rows" want:"2 to 200"`
	MinCols     int `json:"min_cols" want:"2 to 200"`
	MaxRows     int `json:"max_rows" want:"min_rows to 200"`
	MaxCols     int `json:"max_cols" want:"min_cols to 200"`
	MinPoolSize int `json:"min_pool_size" want:"1 to 200"` // rows and columns of a block; 1 means 2
	MaxPoolSize int `json:"max_pool_size" want:"min_pool_size to 200 and at least 2: blocks of one cell change nothing"`
}

// smallestPool is the least number of rows and columns of a block.
const smallestPool = 2

// poolMatrixItem is one matrix and the size of its blocks.
type poolMatrixItem struct {
	Matrix   matrix             `json:"matrix"`
	PoolType string             `json:"pool_type" oneof:"max average"` // maxPool or averagePool
	PoolSize int                `json:"pool_size" want:"1 or more"`    // rows and columns of a block
	Solution grid.Grid[float64] `json:"solution"`                      // exact
	Rows     int                `json:"rows"`                          // of the matrix
	Cols     int                `json:"cols"`
	Phrasing int                `json:"phrasing,omitempty" want:"0 to 5"`
}

const (
	maxPool     = "max"
	averagePool = "average"
)

// makePoolMatrix draws the sizes, then the cells: those of each block from 0 to a maximum
// of its own. A block is smaller than the matrix if possible.
func makePoolMatrix(p poolMatrixParams, r *rng.Rand) (poolMatrixItem, error) {
	item := poolMatrixItem{
		PoolType: maxPool,
		PoolSize: r.Between(max(smallestPool, p.MinPoolSize), p.MaxPoolSize),
		Rows:     r.Between(p.MinRows, p.MaxRows),
		Cols:     r.Between(p.MinCols, p.MaxCols),
		Phrasing: r.Between(0, len(poolMatrixPhrasings)-1),
	}
	item.PoolSize = max(smallestPool, min(item.PoolSize, max(item.Rows, item.Cols)-1))
	if r.Chance(0.5) {
		item.PoolType = averagePool
	}
	item.Matrix = grid.New[int](item.Rows, item.Cols)
	tops := make([]int, 0, item.Cols/item.PoolSize+1)
	for i, row := range item.Matrix {
		if i%item.PoolSize == 0 {
			tops = tops[:0]
		}
		for j := range row {
			block := j / item.PoolSize
			if block == len(tops) {
				tops = append(tops, r.Between(1, 9))
			}
			row[j] = r.Between(0, tops[block])
		}
	}
	item.Solution = pools(item)
	return item, nil
}

// pools computes the solution. A block at the lower or right edge has fewer cells.
func pools(p poolMatrixItem) grid.Grid[float64] {
	size := p.PoolSize
	rows, cols := (len(p.Matrix)+size-1)/size, (len(p.Matrix[0])+size-1)/size
	return grid.Build(rows, cols, func(k, l int) float64 {
		return p.pool(p.Matrix[k*size:min((k+1)*size, len(p.Matrix))], l*size)
	})
}

// pool returns the largest number or the average of the block that begins at column left in
// a band of rows.
func (p poolMatrixItem) pool(band matrix, left int) float64 {
	most, sum := math.MinInt, int64(0)
	right := min(left+p.PoolSize, len(band[0]))
	for _, row := range band {
		for _, n := range row[left:right] {
			most = max(most, n)
			sum += int64(n)
		}
	}
	if p.PoolType == maxPool {
		return float64(most)
	}
	return float64(sum) / float64(len(band)*(right-left))
}

// poolMatrixPhrasings are the wordings of the question, before and after the kind of
// pooling; %d stands for the size of a block.
var poolMatrixPhrasings = [][2]string{
	{"Do ", " pooling on this matrix, with a kernel of %d by %d and a stride of %d:"},
	{"Apply ", " pooling to the matrix below. The window has %d rows and %d columns and moves on by %d cells each time."},
	{"What does ", " pooling make of the following matrix, if it takes squares of %d by %d that touch but do not overlap, so that the stride is %d?"},
	{"Shrink this matrix by ", " pooling over blocks of %d rows and %d columns, one beginning every %d cells:"},
	{"A layer of a neural network does ", " pooling with windows of %d by %d and a step of %d. What is its output for the following input?"},
	{"For ", " pooling, the matrix below is covered by squares of %d by %d cells, which begin every %d cells, and each square gives one number. Find all of these numbers."},
}

func (p poolMatrixItem) Prompt() string {
	words, size := poolMatrixPhrasings[p.Phrasing], strconv.Itoa(p.PoolSize)
	b := make([]byte, 0, task.PromptRoom)
	b = append(append(append(b, words[0]...), p.PoolType...), strings.ReplaceAll(words[1], "%d", size)...)
	b = grid.AppendInts(append(b, "\n\n"...), p.Matrix)
	b = append(b, "\n\nA window that extends beyond the right or the lower edge has only the cells inside the matrix. "...)
	if p.PoolType == averagePool {
		b = append(b, "Round averages to 2 decimal places. "...)
	}
	return string(append(b, "Answer with the matrix of the results: a line for each row, with one space between numbers."...))
}

// Canonical implements [task.Canonicalizer]. The side from which the matrix is seen does not matter, as
// far as its blocks stay the same.
func (p poolMatrixItem) Canonical() string {
	sides := make([]int, canon.Sides)
	for side := range sides {
		sides[side] = p.fitting(side)
	}
	return fmt.Sprintf("%s %d\n%s", p.PoolType, p.PoolSize, grid.Ints(canon.Front(p.Matrix, sides...)))
}

// fitting returns a side without the mirrors that would cut the matrix into other blocks.
func (p poolMatrixItem) fitting(side int) int {
	if len(p.Matrix)%p.PoolSize != 0 {
		side &^= 1
	}
	if len(p.Matrix[0])%p.PoolSize != 0 {
		side &^= 2
	}
	return side
}

// Check refuses a record with a wrong solution.
func (p poolMatrixItem) Check() error {
	if err := grid.CheckInts(p.Matrix, -1e6, 1e6); err != nil {
		return err
	}
	want := pools(p)
	if len(p.Solution) != len(want) {
		return fmt.Errorf("solution has %d rows, want %d", len(p.Solution), len(want))
	}
	for i, row := range want {
		if len(p.Solution[i]) != len(row) {
			return fmt.Errorf("solution has %d numbers in row %d, want %d", len(p.Solution[i]), i+1, len(row))
		}
		for j, n := range row {
			if math.Abs(p.Solution[i][j]-n) > 1e-6*(1+math.Abs(n)) {
				return fmt.Errorf("solution has %v in row %d, want %v", p.Solution[i][j], i+1, n)
			}
		}
	}
	return nil
}

// twoDecimals rounds to 2 decimals.
func twoDecimals(n float64) float64 { return math.RoundToEven(100*n) / 100 }

func (p poolMatrixItem) Solve() string {
	return string(p.Solution.Append(make([]byte, 0, 256), func(b []byte, n float64) []byte {
		return strconv.AppendFloat(b, twoDecimals(n), 'f', -1, 64)
	}))
}

// Score implements [task.Scorer]. Each number must be in its place, rounded correctly, to
// at least 2 decimals. A single row may be written as a column, and vice versa.
func (p poolMatrixItem) Score(text string) quintain.Verdict {
	rows, err := numberTable(text, len(p.Solution)*len(p.Solution[0]))
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	if got, want := tableShape(rows), tableShape(p.Solution); got != want {
		return quintain.Wrong(fmt.Sprintf("there are %d rows of %d numbers, want %d of %d", len(rows), len(rows[0]), len(p.Solution), len(p.Solution[0])))
	}
	cols := len(p.Solution[0])
	for k := range len(p.Solution) * cols {
		got, want := rows[k/len(rows[0])][k%len(rows[0])], p.Solution[k/cols][k%cols]
		if !closePool(got, want) {
			return quintain.Wrong(fmt.Sprintf("number %d of row %d is not %v", k%cols+1, k/cols+1, twoDecimals(want)))
		}
	}
	return quintain.Right()
}

// closePool reports whether got is want, or want rounded to 2 decimals or more, either way
// if it is halfway.
func closePool(got, want float64) bool {
	const inexact = 1e-9
	off := math.Abs(want - got)
	for scale := 100.; scale < 1/inexact; scale *= 10 {
		if math.Abs(math.Round(got*scale)-got*scale) < inexact*scale {
			return off <= 0.5/scale+inexact
		}
	}
	return off <= inexact
}

// tableShape returns the rows and columns of a table; a single column counts as a single
// row.
func tableShape(rows [][]float64) [2]int {
	if len(rows[0]) == 1 {
		return [2]int{1, len(rows)}
	}
	return [2]int{len(rows), len(rows[0])}
}

// numberTable reads lines of numbers, all of one length, up to most numbers in all. Like
// NumPy, it ignores empty lines and everything after a #.
func numberTable(text string, most int) (rows [][]float64, err error) {
	const longest = 64 // limit of a number in bytes
	for line := range strings.FieldsFuncSeq(text, lineBreak) {
		var row []float64
		for word := range strings.FieldsFuncSeq(line, answer.Space) {
			n, err := strconv.ParseFloat(word[:min(longest, len(word))], 64)
			if err != nil || len(word) > longest || strings.ContainsAny(word, "xX_iInN") {
				return nil, fmt.Errorf("%.20q is not a number", word)
			}
			if row, most = append(row, n), most-1; most < 0 {
				return nil, errors.New("there are too many numbers")
			}
		}
		if len(row) == 0 {
			continue
		}
		if rows = append(rows, row); len(row) != len(rows[0]) {
			return nil, errors.New("the rows have different lengths")
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("there are no numbers")
	}
	return rows, nil
}

// lineBreak reports whether Python's str.splitlines ends a line at c.
func lineBreak(c rune) bool {
	return c >= '\n' && c <= '\r' || c >= 0x1c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}
