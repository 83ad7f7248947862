package boards

import (
	"errors"
	"math/bits"
)

// A lifeBoard is a board of Conway's Game of Life with opposite edges joined. Its cells are
// bits, so that a step works on 64 of them at once.
type lifeBoard struct {
	height, width int
	words         int      // words per row; cell x is bit x%64 of word x/64
	cells         []uint64 // row after row
	low, high     []uint64 // number of live cells among a cell and its neighbors to the left and right, in binary
}

// newLifeBoard returns a board of dead cells, with at least three rows and three columns.
func newLifeBoard(height, width int) *lifeBoard {
	words := (width + 63) / 64
	n := height * words
	room := make([]uint64, 3*n)
	return &lifeBoard{height, width, words, room[:n:n], room[n : 2*n : 2*n], room[2*n:]}
}

func (b *lifeBoard) clear() { clear(b.cells) }

func (b *lifeBoard) set(y, x int) { b.cells[y*b.words+x/64] |= 1 << (x % 64) }

func (b *lifeBoard) alive(y, x int) bool { return b.cells[y*b.words+x/64]>>(x%64)&1 != 0 }

// count returns the number of live cells.
func (b *lifeBoard) count() (n int) {
	for _, word := range b.cells {
		n += bits.OnesCount64(word)
	}
	return n
}

// run makes up to n steps, and stops when no cell is alive. It returns the number of steps
// made.
func (b *lifeBoard) run(n int) int {
	for made := range n {
		if b.empty() {
			return made
		}
		b.step()
	}
	return n
}

// empty reports whether no cell is alive.
func (b *lifeBoard) empty() bool {
	for _, word := range b.cells {
		if word != 0 {
			return false
		}
	}
	return true
}

// step makes one step: a cell lives on with two or three live neighbors, and comes alive
// with three.
func (b *lifeBoard) step() {
	for y := range b.height {
		b.addRow(y * b.words)
	}
	last := len(b.cells) - b.words
	for at := range b.cells {
		above, below := at-b.words, at+b.words
		if above < 0 {
			above += len(b.cells)
		}
		if below >= len(b.cells) {
			below = at - last
		}
		alive := b.cells[at]
		beside := b.low[at] ^ alive // exactly one of the two neighbors in the row is alive
		both := b.high[at] &^ beside
		odd := b.low[above] ^ b.low[below] ^ beside
		carry := b.low[above]&b.low[below] | (b.low[above]|b.low[below])&beside
		// The neighbors are odd + 2(high above + high below + both + carry): two or
		// three of them if exactly one of these four is set.
		one := (b.high[above] ^ b.high[below] ^ both ^ carry) &^ (b.high[above]&b.high[below] | both&carry)
		b.cells[at] = one & (odd | alive)
	}
}

// addRow computes low and high for the row that begins at word from.
func (b *lifeBoard) addRow(from int) {
	row, end := b.cells[from:from+b.words], uint((b.width-1)%64) // bit of the last cell in its word
	last := len(row) - 1
	carry := row[last] >> end & 1
	for i, word := range row {
		left := word<<1 | carry
		carry = word >> 63
		right := word >> 1
		if i < last {
			right |= row[i+1] << 63
		} else {
			right |= row[0] & 1 << end
			left &= 2<<end - 1
		}
		b.low[from+i] = left ^ word ^ right
		b.high[from+i] = left&word | (left|word)&right
	}
}

// rows writes each row as a string of 0 and 1.
func (b *lifeBoard) rows() []string {
	text := make([]byte, b.height*b.width)
	for i := range text {
		text[i] = '0'
		if b.alive(i/b.width, i%b.width) {
			text[i] = '1'
		}
	}
	rows, all := make([]string, b.height), string(text)
	for y := range rows {
		rows[y] = all[y*b.width : (y+1)*b.width]
	}
	return rows
}

// readLifeBoard reads rows of 0 and 1, all of one length.
func readLifeBoard(rows []string) (*lifeBoard, error) {
	if len(rows) < 3 || len(rows[0]) < 3 {
		return nil, errors.New("the board has fewer than three rows or columns")
	}
	b := newLifeBoard(len(rows), len(rows[0]))
	for y, row := range rows {
		if len(row) != b.width {
			return nil, errors.New("the rows of the board differ in length")
		}
		for x, c := range []byte(row) {
			if c != '0' && c != '1' {
				return nil, errors.New("the board has a cell other than 0 and 1")
			}
			if c == '1' {
				b.set(y, x)
			}
		}
	}
	return b, nil
}
