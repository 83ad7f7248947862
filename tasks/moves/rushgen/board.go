package main

import (
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

const (
	side       = 6 // rows and columns of a board
	exitRow    = 2
	mostPieces = 13
	mostWalls  = 3
)

// A piece occupies some cells of a lane: a row or, for an upright piece, a column.
type piece struct {
	upright        bool
	lane, size, at int // at: its first cell in the lane
}

// mask returns a bit for each cell of the piece when its first one is at.
func (p piece) mask(at int) (cells uint64) {
	for i := at; i < at+p.size; i++ {
		cells |= p.cell(i)
	}
	return cells
}

// cell returns the bit of a cell of the piece's lane.
func (p piece) cell(i int) uint64 {
	if p.upright {
		return 1 << (i*side + p.lane)
	}
	return 1 << (p.lane*side + i)
}

// A board has the red car first.
type board struct {
	pieces []piece
	walls  uint64
}

// draw draws a board: a red car, some pieces and perhaps walls.
func draw(r *rng.Rand) board {
	b := board{pieces: []piece{{lane: exitRow, size: 2, at: r.Between(0, 2)}}}
	for range r.Between(3, mostPieces) {
		b = b.withPiece(r)
	}
	for range max(0, r.Between(-2, mostWalls)) {
		b = b.withWall(r)
	}
	return b
}

// taken returns the bits of all nonempty cells.
func (b board) taken() uint64 {
	cells := b.walls
	for _, p := range b.pieces {
		cells |= p.mask(p.at)
	}
	return cells
}

// withPiece returns the board with another piece, if it fits where drawn. No other piece
// lies in the red car's row, where it would stay before or behind the car forever.
func (b board) withPiece(r *rng.Rand) board {
	p := piece{upright: r.Chance(0.5), lane: r.Between(0, side-1), size: 2}
	if r.Chance(0.3) {
		p.size = 3
	}
	p.at = r.Between(0, side-p.size)
	if len(b.pieces) == mostPieces || !p.upright && p.lane == exitRow || b.taken()&p.mask(p.at) != 0 {
		return b
	}
	return board{append(slices.Clone(b.pieces), p), b.walls}
}

// withWall returns the board with another wall, if the drawn cell is empty.
func (b board) withWall(r *rng.Rand) board {
	cell := r.Between(0, side*side-1)
	if cell/side == exitRow || b.taken()&(1<<cell) != 0 {
		return b
	}
	return board{b.pieces, b.walls | 1<<cell}
}

// changed returns the board with a piece or a wall added, removed or replaced.
func (b board) changed(r *rng.Rand) board {
	kind := r.Between(0, 9)
	if kind < 7 && len(b.pieces) > 1 {
		i := r.Between(1, len(b.pieces)-1)
		b.pieces = slices.Delete(slices.Clone(b.pieces), i, i+1)
	}
	if kind > 0 && kind < 9 {
		for range r.Between(1, 2) {
			b = b.withPiece(r)
		}
	}
	if kind == 9 {
		b.walls = 0
		for range max(0, r.Between(-2, mostWalls)) {
			b = b.withWall(r)
		}
	}
	return b
}
