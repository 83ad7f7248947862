package programs

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A bfWriter writes a BF program, and the same in the style of C beside it.
type bfWriter struct {
	r      *rng.Rand
	code   []byte
	source []byte
	depth  int // depth of loops here
	at     int // cell of the pointer
	free   int // the first unused cell
}

// line writes a line of the source.
func (w *bfWriter) line(format string, args ...any) {
	w.source = append(w.source, strings.Repeat("  ", w.depth)...)
	w.source = fmt.Appendf(w.source, format+"\n", args...)
}

// repeat writes a command n times.
func (w *bfWriter) repeat(command byte, n int) {
	w.code = append(w.code, bytes.Repeat([]byte{command}, n)...)
}

// to moves the pointer.
func (w *bfWriter) to(cell int) {
	w.repeat('>', max(0, cell-w.at))
	w.repeat('<', max(0, w.at-cell))
	w.at = cell
}

// cell returns a cell that is 0.
func (w *bfWriter) cell() int {
	w.free++
	return w.free - 1
}

// add adds n to a cell.
func (w *bfWriter) add(cell, n int) {
	if n == 0 {
		return
	}
	w.to(cell)
	w.repeat('+', max(0, n))
	w.repeat('-', max(0, -n))
	w.line("c%d += %d;", cell, n)
}

// loop runs body while a cell is not 0. Afterwards the pointer is at that cell.
func (w *bfWriter) loop(cell int, body func()) {
	w.to(cell)
	w.code = append(w.code, '[')
	w.line("while (c%d) {", cell)
	w.depth++
	body()
	w.to(cell)
	w.code = append(w.code, ']')
	w.depth--
	w.line("}")
}

// times runs body as often as a cell says, leaving it 0.
func (w *bfWriter) times(cell int, body func()) {
	w.loop(cell, func() {
		body()
		w.add(cell, -1)
	})
}

// print prints a cell.
func (w *bfWriter) print(cell int) {
	w.to(cell)
	w.code = append(w.code, '.')
	w.line("putchar(c%d);", cell)
}

// value returns a cell with a value from 20 to 130, made by a multiplication.
func (w *bfWriter) value(v int) int { return w.multiple(v, w.r.Between(5, 12)) }

// multiple returns a cell with a value, made by multiplying with by.
func (w *bfWriter) multiple(v, by int) int {
	counter, cell := w.cell(), w.cell()
	w.add(counter, by)
	w.times(counter, func() { w.add(cell, v/by) })
	w.add(cell, v%by)
	return cell
}

// small returns a cell with a small value, made of plus signs.
func (w *bfWriter) small(v int) int {
	cell := w.cell()
	w.add(cell, v)
	return cell
}

// letter draws a letter with at least room letters after it.
func (w *bfWriter) letter(room int) int {
	first := 'A'
	if w.r.Chance(0.5) {
		first = 'a'
	}
	return int(first) + w.r.Between(0, 25-room)
}

// start prints four letters. The first is one of A to I, made from 8 × 8.
func (w *bfWriter) start() { w.letters(w.multiple('@', 8), '@', 4, 9) }

// word prints n letters, made from the first and some after it.
func (w *bfWriter) word(n int) {
	first := w.letter(9)
	w.letters(w.value(first), first, n, 9)
}

// letters prints n letters from a cell with value now. The first is at most 9 above it, and
// neighbors differ by at most most.
func (w *bfWriter) letters(cell, now, n, most int) {
	for i := range n {
		step := w.r.Between(-most, most)
		if i == 0 {
			step = w.r.Between(1, 9)
		}
		if next := now + step; next < 'A' || next > 'Z' && next < 'a' || next > 'z' {
			step = -step
		}
		if next := now + step; next < 'A' || next > 'Z' && next < 'a' || next > 'z' {
			step = 0
		}
		w.add(cell, step)
		w.print(cell)
		now += step
	}
}

// series prints letters at equal distances, in a loop.
func (w *bfWriter) series() {
	n, step := w.r.Between(2, 5), w.r.Between(0, 4)
	cell, counter := w.value(w.letter(n*step)), w.small(n)
	w.times(counter, func() {
		w.print(cell)
		w.add(cell, step)
	})
}

// digit prints a cell of 0 to 9 as a digit.
func (w *bfWriter) digit(cell int) {
	counter := w.small(6)
	w.times(counter, func() { w.add(cell, '0'/6) })
	w.print(cell)
}

// sum prints the sum or the difference of two numbers.
func (w *bfWriter) sum() {
	a := w.r.Between(1, 8)
	b, sign := w.r.Between(1, 9-a), 1
	if w.r.Chance(0.5) && b <= a {
		sign = -1
	}
	to, from := w.small(a), w.small(b)
	w.times(from, func() { w.add(to, sign) })
	w.digit(to)
}

// product prints a letter at a distance from another that a product gives.
func (w *bfWriter) product() {
	a, b := w.r.Between(2, 4), w.r.Between(2, 4)
	cell := w.value(w.letter(a * b))
	x, y, room := w.small(a), w.small(b), w.cell()
	w.times(x, func() {
		w.times(y, func() {
			w.add(cell, 1)
			w.add(room, 1)
		})
		w.times(room, func() { w.add(y, 1) })
	})
	w.print(cell)
}

// nested prints a letter several times in each round of a loop, and another after it.
func (w *bfWriter) nested() {
	inner, outer := w.value(w.letter(3)), w.value(w.letter(6))
	rounds, n := w.small(w.r.Between(2, 3)), w.r.Between(1, 3)
	grows := w.r.Between(0, 1)
	length, counter, room := w.small(n), w.cell(), w.cell()
	w.times(rounds, func() {
		w.times(length, func() {
			w.add(counter, 1)
			w.add(room, 1)
		})
		w.times(room, func() { w.add(length, 1) })
		w.times(counter, func() { w.print(inner) })
		w.add(length, grows)
		w.print(outer)
		w.add(outer, w.r.Between(1, 2))
	})
}

// choice prints one letter if two numbers are equal, and another if not.
func (w *bfWriter) choice() {
	a := w.r.Between(2, 7)
	b := a
	if w.r.Chance(0.5) {
		b = w.r.Between(1, 7)
	}
	same, other := w.value(w.letter(0)), w.value(w.letter(0))
	x, y, flag := w.small(a), w.small(b), w.small(1)
	w.times(y, func() { w.add(x, -1) })
	w.loop(x, func() {
		w.print(other)
		w.add(flag, -1)
		w.clear(x)
	})
	w.times(flag, func() { w.print(same) })
}

// clear sets a cell to 0.
func (w *bfWriter) clear(cell int) {
	w.to(cell)
	w.code = append(w.code, "[-]"...)
	w.line("c%d = 0;", cell)
}

// parity prints one of two neighbors in the alphabet, depending on whether a number is odd.
func (w *bfWriter) parity() {
	n := w.r.Between(3, 9)
	cell := w.value(w.letter(1))
	x, odd, room := w.small(n), w.cell(), w.cell()
	w.times(x, func() {
		w.add(room, 1)
		w.times(odd, func() { w.add(room, -1) })
		w.times(room, func() { w.add(odd, 1) })
	})
	w.times(odd, func() { w.add(cell, 1) })
	w.print(cell)
}
