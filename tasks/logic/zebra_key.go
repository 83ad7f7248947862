package logic

import (
	"fmt"
	"slices"
	"strings"

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
	lines := make([]string, len(z.Clues))
	write := func(labels []int, turned bool) string {
		for i, clue := range z.Clues {
			lines[i] = z.labeled(clue, labels, turned)
		}
		slices.Sort(lines)
		return fmt.Sprint(len(z.Houses), len(z.Houses[0]), lines, z.Asked[0] == 0, z.labeledThing(asked, labels, turned))
	}
	return min(
		task.Relabeled(len(z.Houses)-1, func(labels []int) string { return write(labels, false) }),
		task.Relabeled(len(z.Houses)-1, func(labels []int) string { return write(labels, true) }),
	)
}

// labeled writes a clue with labels in place of the characteristics other than the name.
func (z zebraItem) labeled(c zebraClue, labels []int, turned bool) string {
	if c.unary() {
		house := c.House
		if turned {
			house = len(z.Houses[0]) - 1 - house
		}
		return strings.Join([]string{string(c.Kind), z.labeledThing(c.A, labels, turned), string('0' + rune(house))}, " ")
	}
	a, b := z.labeledThing(c.A, labels, turned), z.labeledThing(c.B, labels, turned)
	ordered := c.Kind == zebraLeft || c.Kind == zebraBefore
	if ordered && turned || !ordered && a > b {
		a, b = b, a
	}
	return strings.Join([]string{string(c.Kind), a, b}, " ")
}

// labeledThing writes a thing as the label of its characteristic and its house.
func (z zebraItem) labeledThing(t zebraThing, labels []int, turned bool) string {
	house, trait := z.Houses.house(t), '*'
	if turned {
		house = len(z.Houses[0]) - 1 - house
	}
	if t[0] > 0 {
		trait = 'a' + rune(labels[t[0]-1])
	}
	return string([]rune{trait, '0' + rune(house)})
}
