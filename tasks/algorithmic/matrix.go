package algorithmic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/rng"
)

// mostCells is the most rows, and the most columns, of a matrix in a question.
const mostCells = 200

// A matrix is whole numbers in rows, all of one length.
type matrix [][]int

// newMatrix returns a matrix of zeros.
func newMatrix(rows, cols int) matrix {
	cells, m := make([]int, rows*cols), make(matrix, rows)
	for i := range m {
		m[i] = cells[i*cols : (i+1)*cols : (i+1)*cols]
	}
	return m
}

// drawDigits returns a matrix of numbers from 0 to 9.
func drawDigits(rows, cols int, r *rng.Rand) matrix {
	m := newMatrix(rows, cols)
	for _, row := range m {
		for j := range row {
			row[j] = r.Between(0, 9)
		}
	}
	return m
}

// append appends the rows of m to b, one a line, with a space between numbers.
func (m matrix) append(b []byte) []byte {
	for i, row := range m {
		if i > 0 {
			b = append(b, '\n')
		}
		for j, n := range row {
			if j > 0 {
				b = append(b, ' ')
			}
			if n >= 0 && n <= 9 {
				b = append(b, byte('0'+n))
			} else {
				b = strconv.AppendInt(b, int64(n), 10)
			}
		}
	}
	return b
}

// String returns the rows of m, one a line, with a space between numbers.
func (m matrix) String() string {
	if len(m) == 0 {
		return ""
	}
	return string(m.append(make([]byte, 0, 3*len(m)*len(m[0]))))
}

// check refuses what has no cells, rows of different lengths, or a number outside
// of least to most.
func (m matrix) check(least, most int) error {
	if len(m) == 0 || len(m[0]) == 0 {
		return errors.New("matrix has no cells")
	}
	for i, row := range m {
		if len(row) != len(m[0]) {
			return fmt.Errorf("matrix has %d numbers in row %d, want %d as in the first", len(row), i+1, len(m[0]))
		}
		for _, n := range row {
			if n < least || n > most {
				return fmt.Errorf("matrix holds %d, want %d to %d", n, least, most)
			}
		}
	}
	return nil
}

// equal reports whether m and other are the same.
func (m matrix) equal(other matrix) bool {
	return slices.EqualFunc(m, other, slices.Equal[[]int])
}

// turned returns m turned clockwise by so many quarters, 0 or more.
func (m matrix) turned(quarters int) matrix {
	rows, cols := len(m), len(m[0])
	var out matrix
	switch quarters % 4 {
	case 0:
		return m
	case 2:
		out = newMatrix(rows, cols)
	default:
		out = newMatrix(cols, rows)
	}
	for i, row := range m {
		for j, n := range row {
			switch quarters % 4 {
			case 1:
				out[j][rows-1-i] = n
			case 2:
				out[rows-1-i][cols-1-j] = n
			case 3:
				out[cols-1-j][i] = n
			}
		}
	}
	return out
}

var pythonList = strings.NewReplacer("'", `"`, "(", "[", ")", "]")

// listOf reads a list as JSON or Python writes it: in square brackets or round
// ones, with texts in quotation marks of either kind. Nothing in it is worked out.
func listOf(text string) (list []any, is bool) {
	v, err := answer.ReadJSON(pythonList.Replace(text))
	if err != nil {
		return nil, false
	}
	list, is = v.([]any)
	return list, is
}

// spaced joins the numbers and texts of a list with a space between them. It is
// false where the list holds anything else.
func spaced(list []any) (line string, plain bool) {
	parts := make([]string, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case string:
			parts[i] = item
		case json.Number:
			parts[i] = item.String()
		default:
			return "", false
		}
	}
	return strings.Join(parts, " "), true
}
