package boards

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// shiftedLife returns a board of rows of 0 and 1 with other edges, seen from another side.
func shiftedLife(board []string, r *rng.Rand) (moved []string) {
	h, w := len(board), len(board[0])
	down, across, side := r.Between(0, h-1), r.Between(0, w-1), r.Between(0, canon.Sides-1)
	var cells [][]byte
	for i := range h {
		row := board[(i+down)%h]
		cells = append(cells, []byte(row[across:]+row[:across]))
	}
	for _, row := range canon.Seen(cells, side) {
		moved = append(moved, string(row))
	}
	return moved
}

// Of all boards of four rows with up to four live cells (three, unless the tests are heavy), two have one key only if one is the other
// moved or seen from another side.
func TestLifeKeysByTrying(t *testing.T) {
	classes := map[string]string{} // the least of all images, by key
	for code := range 1 << 16 {
		cells := [][]byte{}
		for i := range 4 {
			cells = append(cells, []byte(fmt.Sprintf("%04b", code>>(4*i)&15)))
		}
		if n := len(classes); n > 1000 {
			t.Fatalf("%d classes", n)
		}
		board := []string{string(cells[0]), string(cells[1]), string(cells[2]), string(cells[3])}
		if live(board) > tasktest.Count(4, 3) {
			continue
		}
		least := canon.Least(16*canon.Sides, func(i int) string {
			down, across := i/4%4, i%4
			var shifted [][]byte
			for k := range 4 {
				row := cells[(k+down)%4]
				shifted = append(shifted, append(append([]byte{}, row[across:]...), row[:across]...))
			}
			return fmt.Sprint(canon.Seen(shifted, i/16))
		})
		key := lifeKey(board)
		if other, known := classes[key]; known && other != least {
			t.Fatalf("%v has the key of another board", board)
		}
		classes[key] = least
	}
}

func live(board []string) (n int) {
	for _, row := range board {
		for _, c := range row {
			n += int(c - '0')
		}
	}
	return n
}
