package logic

import (
	"bytes"
	"slices"

	"github.com/quintain-rl/quintain/task"
)

// Canonical implements [task.Canonicalizer]. The values do not matter, so each is named by the
// house where it belongs. Neither do the characteristics, the order of the clues, and the
// direction in which the houses are counted.
func (z zebraItem) Canonical() string {
	if len(z.Clues) == 0 {
		return ""
	}
	asked := z.Asked
	if asked[0] == 0 { // a house is asked for
		asked = z.name()
	}
	lines := make([]zebraLine, len(z.Clues))
	write := func(labels []int, turned bool) string {
		for i, clue := range z.Clues {
			lines[i] = z.line(clue, labels, turned)
		}
		slices.SortFunc(lines, func(a, b zebraLine) int { return bytes.Compare(a[:], b[:]) })
		b := make([]byte, 0, 256)
		b = append(b, '0'+byte(len(z.Houses)), '0'+byte(len(z.Houses[0])), '0'+byte(task.Bit(z.Asked[0] == 0)))
		b = append(b, z.labeled(asked, labels, turned)...)
		for _, line := range lines {
			b = append(b, line[:]...)
		}
		return string(b)
	}
	return min(
		task.Relabeled(len(z.Houses)-1, func(labels []int) string { return write(labels, false) }),
		task.Relabeled(len(z.Houses)-1, func(labels []int) string { return write(labels, true) }),
	)
}

// A zebraLine is a clue with labels: its kind, and its things or its thing and house.
type zebraLine [5]byte

// line writes a clue with labels in place of the characteristics other than the name.
func (z zebraItem) line(c zebraClue, labels []int, turned bool) zebraLine {
	op, a := byte('0'+slices.Index(zebraOps, c.Kind)), z.labeled(c.A, labels, turned)
	if c.unary() {
		house := c.House
		if turned {
			house = len(z.Houses[0]) - 1 - house
		}
		return zebraLine{op, a[0], a[1], '-', '0' + byte(house)}
	}
	b := z.labeled(c.B, labels, turned)
	ordered := c.Kind == zebraLeft || c.Kind == zebraBefore
	if ordered && turned || !ordered && a > b {
		a, b = b, a
	}
	return zebraLine{op, a[0], a[1], b[0], b[1]}
}

// labeled writes a thing as the label of its characteristic and its house.
func (z zebraItem) labeled(t zebraThing, labels []int, turned bool) string {
	house, trait := z.Houses.house(t), byte('*')
	if turned {
		house = len(z.Houses[0]) - 1 - house
	}
	if t[0] > 0 {
		trait = 'a' + byte(labels[t[0]-1])
	}
	return string([]byte{trait, '0' + byte(house)})
}
