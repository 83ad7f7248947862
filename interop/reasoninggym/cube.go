package reasoninggym

import (
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/answer"
)

// A sticker is a part of a cube's face: its cubelet, counted from -n+1 to n-1 along each axis
// in steps of 2, the direction that it faces, and its color.
type sticker struct {
	at, facing [3]int
	color      int
}

// newCube returns a solved cube with n layers.
func newCube(n int) (all []sticker) {
	for color := range 6 {
		axis, side := color/2, 2*(color%2)-1
		for cell := range n * n {
			s := sticker{color: color}
			s.facing[axis] = side
			s.at[axis], s.at[(axis+1)%3], s.at[(axis+2)%3] = side*(n-1), 2*(cell/n)-n+1, 2*(cell%n)-n+1
			all = append(all, s)
		}
	}
	return all
}

// solvedCube reports whether each side has one color.
func solvedCube(all []sticker) bool {
	colors := map[[3]int]int{}
	for _, s := range all {
		if c, known := colors[s.facing]; known && c != s.color {
			return false
		}
		colors[s.facing] = s.color
	}
	return true
}

// cubeMove matches a move: a layer, a letter, w for all layers up to it, and ' or a number.
var cubeMove = compiled.Regexp(`^([0-9]*)([LRDUBFMESXYZ])(w?)('?)([0-9]?)$`)

// cubeAxes has the axis of each letter, and the side from which its turn is clockwise.
var cubeAxes = map[string][2]int{
	"R": {0, 1}, "L": {0, -1}, "M": {0, -1}, "X": {0, 1},
	"U": {1, 1}, "D": {1, -1}, "E": {1, -1}, "Y": {1, 1},
	"F": {2, 1}, "B": {2, -1}, "S": {2, 1}, "Z": {2, 1},
}

// turn carries out a move on a cube with n layers, and reports whether it is one.
func turn(all []sticker, n int, text string) bool {
	found := cubeMove().FindStringSubmatch(text)
	if found == nil {
		return false
	}
	axis := cubeAxes[found[2]]
	var first, last int // layers, counted from the side
	switch found[2] {
	case "X", "Y", "Z":
		last = n - 1
	case "M", "E", "S":
		if n%2 == 0 { // there is no middle
			return false
		}
		first, last = n/2, n/2
	default:
		layer, ok := pyReadInt(found[1])
		if found[1] == "" || !ok {
			last = int(part(found[3] != "", 1))
			break
		}
		if !layer.IsInt64() || layer.Int64() < 1 || layer.Int64() > int64(n) {
			return false
		}
		first = int(layer.Int64()) - 1
		last = first
		if found[3] != "" {
			first = 0
		}
	}
	quarters := 1
	if found[5] != "" {
		quarters = int(found[5][0] - '0')
	}
	if found[4] != "" {
		quarters = 3 * quarters
	}
	for i := range all {
		s := &all[i]
		if layer := (n - 1 - axis[1]*s.at[axis[0]]) / 2; layer < first || layer > last {
			continue
		}
		for range quarters % 4 {
			s.rotate(axis)
		}
	}
	return true
}

// rotate turns a sticker around an axis by a quarter, clockwise as seen from a side.
func (s *sticker) rotate(axis [2]int) {
	a, b := (axis[0]+1)%3, (axis[0]+2)%3
	s.at[a], s.at[b] = axis[1]*s.at[b], -axis[1]*s.at[a]
	s.facing[a], s.facing[b] = axis[1]*s.facing[b], -axis[1]*s.facing[a]
}

// repeated matches a move with the number of times it is made.
var repeated = compiled.Regexp(`^(\P{Nd}+)(\p{Nd}*)$`)

// cube makes the moves of a text, and pays a little if they do not solve the cube.
func cube(of *item, got string) float64 {
	var m struct {
		Size  int    `json:"cube_size"`
		Moves string `json:"scramble_moves"`
	}
	if !of.read(&m) {
		return 0
	}
	const largest = 12
	if m.Size < 2 || m.Size > largest {
		return of.spoil("cube_size is not between 2 and 12")
	}
	all := newCube(m.Size)
	for word := range strings.FieldsFuncSeq(m.Moves, answer.Space) {
		if !turn(all, m.Size, word) {
			return of.spoil("scramble_moves has something else than moves")
		}
	}
	for word := range strings.FieldsFuncSeq(got, answer.Space) {
		found := repeated().FindStringSubmatch(word)
		if found == nil {
			continue
		}
		times, ok := int64(1), true
		if found[2] != "" {
			var n *big.Int
			if n, ok = pyReadInt(found[2]); ok && n.Sign() == 0 {
				continue
			}
			if ok {
				times = new(big.Int).Mod(n, big.NewInt(4)).Int64() + 4
			}
		}
		for range times {
			if !ok || !turn(all, m.Size, found[1]) {
				return 0.01
			}
		}
	}
	return oneIf(solvedCube(all), 0.01)
}
