package boards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/canon"
)

// lifeNear is the distance, by rows and by columns, up to which a live cell looks at others.
const lifeNear = 6

// mostLifeKey limits the live cells of a board whose key leaves out edges and sides: large boards have
// no twins.
const mostLifeKey = 1024

// lifeKey returns a key of a board of 0 and 1 with opposite edges joined: the sum of what its live
// cells see around them. It does not depend on where the edges are, nor on the side from which the board
// is seen.
func lifeKey(board []string) string {
	h, w := len(board), len(board[0])
	plain := strings.Join(board, " ")
	live := strings.Count(plain, "1")
	if live > mostLifeKey {
		return plain
	}
	var sums [canon.Sides]uint64
	places := lifePlacesOf(h, w)
	for at := range h * w {
		if board[at/w][at%w] == '1' {
			for side, seen := range places.around(board, at/w, at%w) {
				sums[side] += canon.Mixed(seen)
			}
		}
	}
	sides := sums[:] // those that leave the shorter side the height
	switch {
	case h < w:
		sides = sums[:4]
	case h > w:
		sides = sums[4:]
	}
	return fmt.Sprint(min(h, w), max(h, w), live, slices.Min(sides))
}

// A lifePlaces is a number for each place near a cell and each side from which a board is seen.
type lifePlaces [2*lifeNear + 1][2*lifeNear + 1][canon.Sides]uint64

// lifePlacesOf returns the numbers for a board of a size.
func lifePlacesOf(h, w int) *lifePlaces {
	var places lifePlaces
	for dy := range places {
		for dx := range places[dy] {
			down, across := dy-lifeNear, dx-lifeNear
			addPlace(&places[dy][dx], [2]int{down, across}, [2]int{2*down - h, 2*across - w})
		}
	}
	return &places
}

// around returns, for each side from which a board is seen, the sum of the places of live cells near a
// cell.
func (p *lifePlaces) around(board []string, y, x int) (seen [canon.Sides]uint64) {
	h, w := len(board), len(board[0])
	for dy := -min(lifeNear, (h-1)/2); dy <= min(lifeNear, h/2); dy++ {
		row := board[(y+dy+h)%h]
		for dx := -min(lifeNear, (w-1)/2); dx <= min(lifeNear, w/2); dx++ {
			if row[(x+dx+w)%w] != '1' {
				continue
			}
			for side, place := range &p[dy+lifeNear][dx+lifeNear] {
				seen[side] += place
			}
		}
	}
	return seen
}

// addPlace adds a place near a cell, as seen from each side. A distance that is half the way round, where
// half is 0, is as far in both directions.
func addPlace(seen *[canon.Sides]uint64, place, half [2]int) {
	for side := range seen {
		down, across := place[0], place[1]
		if side&1 != 0 && half[0] != 0 {
			down = -down
		}
		if side&2 != 0 && half[1] != 0 {
			across = -across
		}
		if side&4 != 0 {
			down, across = across, down
		}
		seen[side] += canon.Mixed(uint64((down+lifeNear)*(2*lifeNear+1) + across + lifeNear))
	}
}
