package cards

import (
	"fmt"
	"math/big"
	"strings"
)

// A mix is a weight for each row of a matrix; only their ratios count.
type mix []int64

// String is the text of a mix, such as "A 5, C 8".
func (m mix) String() string {
	by := m.factor()
	var parts []string
	for i, w := range m {
		if w > 0 {
			parts = append(parts, fmt.Sprintf("%c %d", 'A'+i, w/by))
		}
	}
	return strings.Join(parts, ", ")
}

// factor is the greatest common factor of the weights.
func (m mix) factor() (by int64) {
	for _, w := range m {
		for w != 0 {
			by, w = w, by%w
		}
	}
	return by
}

// readMix reads a mix of so many rows from a text, or says what is wrong with it.
func readMix(text string, rows int) (m mix, why string) {
	m = make(mix, rows)
	named := map[int]bool{}
	for part := range strings.SplitSeq(text, ",") {
		fields := strings.Fields(part)
		if len(fields) != 2 || len(fields[0]) != 1 {
			return nil, fmt.Sprintf("%.20q is not a letter and a weight, such as A 2", strings.TrimSpace(part))
		}
		row := int(fields[0][0]|0x20) - 'a'
		weight, ok := readWeight(fields[1])
		switch {
		case row < 0 || row >= rows:
			return nil, fmt.Sprintf("you have no move %.20q", fields[0])
		case named[row]:
			return nil, fmt.Sprintf("%s has two weights", fields[0])
		case !ok:
			return nil, fmt.Sprintf("the weight %.20q is not a number such as 2 or 0.25, with six digits at most before and after the point", fields[1])
		}
		named[row], m[row] = true, weight
	}
	if m.sum() == 0 {
		return nil, "all weights are 0"
	}
	return m, ""
}

// readWeight reads a number, 0 or more, in millionths.
func readWeight(text string) (weight int64, ok bool) {
	const digits = 6
	whole, part, point := strings.Cut(text, ".")
	if len(whole) > digits || len(part) > digits || whole == "" || point && part == "" {
		return 0, false
	}
	for _, d := range []byte(whole + part + strings.Repeat("0", digits-len(part))) {
		if d < '0' || d > '9' {
			return 0, false
		}
		weight = 10*weight + int64(d-'0')
	}
	return weight, true
}

// sum is that of the weights.
func (m mix) sum() (sum int64) {
	for _, w := range m {
		sum += w
	}
	return sum
}

// guaranteed is what a mix wins against the worst column, on average.
func (m mix) guaranteed(pay [][]int) *big.Rat { return big.NewRat(m.worst(pay), m.sum()) }

// worst is what a mix wins against the worst column, times the sum of its weights.
func (m mix) worst(pay [][]int) (worst int64) {
	for j := range pay[0] {
		var won int64
		for i, w := range m {
			won += w * int64(pay[i][j])
		}
		if j == 0 || won < worst {
			worst = won
		}
	}
	return worst
}

// fourths lists the mixes whose shares are fourths.
func fourths(rows int) (all []mix) {
	var fill func(m mix, left int64)
	fill = func(m mix, left int64) {
		if len(m) == rows-1 {
			all = append(all, append(m[:len(m):len(m)], left))
			return
		}
		for w := range left + 1 {
			fill(append(m[:len(m):len(m)], w), left-w)
		}
	}
	fill(nil, 4)
	return all
}
