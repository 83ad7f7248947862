package moves

import (
	"compress/gzip"
	_ "embed" // the boards
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

const (
	rushSide   = 6            // rows and columns of a board
	rushRow    = 2            // the red car's row, from 0
	rushExit   = rushSide - 2 // the first column of the red car at the exit
	rushPieces = 26           // limit of pieces: one letter each
	rushEmpty  = 'o'          // an empty cell in a written board
	rushWall   = 'x'          // a wall
	rushCells  = rushSide * rushSide
)

// A rushPiece is a car or a truck. It stays in its row or column.
type rushPiece struct {
	at   int // its first cell: row times rushSide plus column
	size int // in cells
	step int // from a cell to the next: 1, or rushSide if vertical
}

// place returns the number of cells before the piece in its row or column.
func (p rushPiece) place() int {
	if p.step == 1 {
		return p.at % rushSide
	}
	return p.at / rushSide
}

// A rushBoard is a position of the game. The pieces are in the order of their letters; the
// red car comes first.
type rushBoard struct {
	pieces [rushPieces]rushPiece
	n      int             // number of pieces
	taken  [rushCells]bool // occupied by a piece or a wall
}

// readRush reads a board, row by row: a letter for each cell of a piece, o for an empty
// cell, x for a wall.
func readRush(cells string) (*rushBoard, error) {
	if len(cells) != rushCells {
		return nil, fmt.Errorf("board_config has %d cells, want %d", len(cells), rushCells)
	}
	b := new(rushBoard)
	var byLetter [rushPieces]rushPiece
	for at := range rushCells {
		c := cells[at]
		switch {
		case c == rushEmpty || c == '.':
			continue
		case 'A' <= c && c <= 'Z':
			p := &byLetter[c-'A']
			switch p.size++; p.size {
			case 1:
				p.at = at
			case 2:
				p.step = at - p.at
			}
			if p.size > 1 && at != p.at+(p.size-1)*p.step {
				return nil, fmt.Errorf("board_config: piece %c is not straight", c)
			}
		case c != rushWall:
			return nil, fmt.Errorf("board_config has a cell %q, want o, x or a capital letter", c)
		}
		b.taken[at] = true
	}
	for i, p := range byLetter {
		if p.size == 0 {
			continue
		}
		if p.size == 1 || p.step != 1 && p.step != rushSide || p.place()+p.size > rushSide {
			return nil, fmt.Errorf("board_config: piece %c is not straight, or too short", 'A'+i)
		}
		b.pieces[b.n] = p
		b.n++
	}
	if red := b.pieces[0]; byLetter[0].size != 2 || red.step != 1 || red.at/rushSide != rushRow {
		return nil, fmt.Errorf("board_config has no car A of two cells in row %d", rushRow+1)
	}
	return b, nil
}

// slide moves a piece by n cells, to the right or down, or, if n is negative, to the left
// or up. If the way is blocked, it reports false and moves nothing.
func (b *rushBoard) slide(piece, n int) bool {
	p := &b.pieces[piece]
	if to := p.place() + n; to < 0 || to+p.size > rushSide {
		return false
	}
	front, step := p.at+(p.size-1)*p.step, p.step
	if n < 0 {
		front, step = p.at, -p.step
	}
	for k := 1; k <= max(n, -n); k++ {
		if b.taken[front+k*step] {
			return false
		}
	}
	b.mark(*p, false)
	p.at += n * p.step
	b.mark(*p, true)
	return true
}

// mark sets whether the cells of a piece are taken.
func (b *rushBoard) mark(p rushPiece, taken bool) {
	for i := range p.size {
		b.taken[p.at+i*p.step] = taken
	}
}

// out reports whether the red car is at the exit.
func (b *rushBoard) out() bool { return b.pieces[0].place() == rushExit }

// A rushMove slides a piece by a number of cells.
type rushMove struct{ piece, by int }

// A rushGame is a board and the moves of a shortest solution.
type rushGame struct {
	cells string
	moves string // such as " B+1 A+3", in the letters of cells
}

// long returns the number of moves.
func (g rushGame) long() int { return strings.Count(g.moves, " ") }

// all returns the moves. Each is a space, a letter, a sign and a digit.
func (g rushGame) all() []rushMove {
	const size = len(" B+1")
	moves := make([]rushMove, 0, len(g.moves)/size)
	for at := 0; at < len(g.moves); at += size {
		by := int(g.moves[at+3] - '0')
		if g.moves[at+2] == '-' {
			by = -by
		}
		moves = append(moves, rushMove{int(g.moves[at+1] - 'A'), by})
	}
	return moves
}

//go:embed rush_boards.txt.gz
var rushFile string

// rushGames holds the games of rush_boards.txt.gz, made by tasks/moves/rushgen, those with the
// fewest moves first. The file is part of the program: an unreadable one is our own fault.
var rushGames = sync.OnceValue(func() []rushGame {
	z, err := gzip.NewReader(strings.NewReader(rushFile))
	if err != nil {
		panic("moves: rush_boards.txt.gz: " + err.Error())
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("moves: rush_boards.txt.gz: " + err.Error())
	}
	var games []rushGame
	for line := range strings.Lines(string(text)) {
		games = append(games, rushGame{line[:rushCells], strings.TrimSuffix(line[rushCells:], "\n")})
	}
	return games
})

// rushFrom returns the games with at least the given number of moves.
func rushFrom(moves int) []rushGame {
	games := rushGames()
	at, _ := slices.BinarySearchFunc(games, moves, func(g rushGame, moves int) int { return g.long() - moves })
	return games[at:]
}
