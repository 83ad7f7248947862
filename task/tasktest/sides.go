package tasktest

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/canon"
)

// SeenMoves returns what translates moves on a board into those on the board as [canon.Seen] shows it
// from a side. The names are those of the moves up, down, left and right.
func SeenMoves(side int, names [4]string) func(string) string {
	steps := [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	var pairs []string
	for i, step := range steps {
		row, col := canon.Place(side, [2]int{3, 3}, 1+step[0], 1+step[1])
		for k, to := range steps {
			if to == [2]int{row - 1, col - 1} {
				pairs = append(pairs, names[i], names[k])
			}
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
