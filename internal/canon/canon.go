// Package canon gives one text to problems that are the same but for names, order or the side from
// which they are seen.
package canon

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// Sides is the number of sides from which [Seen] shows a grid.
const Sides = 8

// Seen returns a grid from one of eight sides: upside down (1), right to left (2), or then transposed
// (4), and their sums. The result shares no cells with it. The grid must have a cell.
func Seen[T any](g [][]T, side int) [][]T {
	h, w := len(g), len(g[0])
	rows, cols := h, w
	if side&4 != 0 {
		rows, cols = w, h
	}
	seen, cells := make([][]T, rows), make([]T, rows*cols)
	for i := range rows {
		seen[i], cells = cells[:cols:cols], cells[cols:]
	}
	for y, row := range g {
		for x, cell := range row {
			i, j := Place(side, [2]int{h, w}, y, x)
			seen[i][j] = cell
		}
	}
	return seen
}

// Place returns the row and the column in which [Seen] shows a cell of a grid with so many rows and
// columns.
func Place(side int, size [2]int, row, col int) (seenRow, seenCol int) {
	if side&1 != 0 {
		row = size[0] - 1 - row
	}
	if side&2 != 0 {
		col = size[1] - 1 - col
	}
	if side&4 != 0 {
		row, col = col, row
	}
	return row, col
}

// Least returns the least of n texts.
func Least(n int, text func(i int) string) string {
	least := text(0)
	for i := 1; i < n; i++ {
		least = min(least, text(i))
	}
	return least
}

// Front returns a grid from the side from which it comes first in order: that with the fewest rows, and
// among them that with the least first cell, and so on. Without sides, it looks from all eight.
func Front[T cmp.Ordered](g [][]T, sides ...int) [][]T {
	if len(g) == 0 || len(g[0]) == 0 {
		return g
	}
	if len(sides) == 0 {
		sides = []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	front := g
	for i, side := range sides {
		if i == 0 || before(g, side, front) {
			front = Seen(g, side)
		}
	}
	return front
}

// before reports whether a grid from a side comes before another grid in order.
func before[T cmp.Ordered](g [][]T, side int, other [][]T) bool {
	h, w := len(g), len(g[0])
	rows, cols := h, w
	if side&4 != 0 {
		rows, cols = w, h
	}
	if rows != len(other) {
		return rows < len(other)
	}
	for i := range rows {
		for j := range cols {
			y, x := i, j
			if side&4 != 0 {
				y, x = j, i
			}
			if side&1 != 0 {
				y = h - 1 - y
			}
			if side&2 != 0 {
				x = w - 1 - x
			}
			if c := cmp.Compare(g[y][x], other[i][j]); c != 0 {
				return c < 0
			}
		}
	}
	return false
}

// Board returns the text of a grid from its [Front], with a sign for each cell.
func Board[T any](g [][]T, sign func(cell T) byte) string {
	signs := make([][]byte, len(g))
	for i, row := range g {
		signs[i] = make([]byte, len(row))
		for j, cell := range row {
			signs[i][j] = sign(cell)
		}
	}
	return string(bytes.Join(Front(signs), []byte{'\n'}))
}

// Names numbers things from 1 in the order in which they are first named, so that their own names do
// not matter.
type Names[T comparable] map[T]int

// Of returns the number of a thing.
func (n Names[T]) Of(thing T) int {
	number, known := n[thing]
	if !known {
		number = len(n) + 1
		n[thing] = number
	}
	return number
}

// A Graph is a structure whose nodes have numbers by accident.
type Graph struct {
	nodes []uint64 // the color of each
	edges []edge
}

type edge struct {
	from, to int
	kind     uint64
}

// Node adds a node of a kind, and returns its number.
func (g *Graph) Node(kind int) int {
	g.nodes = append(g.nodes, Mixed(uint64(kind)))
	return len(g.nodes) - 1
}

// Nodes adds n nodes of a kind, and returns the number of the first.
func (g *Graph) Nodes(n, kind int) int {
	first := len(g.nodes)
	for range n {
		g.Node(kind)
	}
	return first
}

// Arrow adds an edge of a kind from one node to another.
func (g *Graph) Arrow(from, to, kind int) {
	g.edges = append(g.edges, edge{from, to, Mixed(uint64(kind))})
}

// Join adds an edge of a kind without a direction.
func (g *Graph) Join(a, b, kind int) {
	g.Arrow(a, b, kind)
	g.Arrow(b, a, kind)
}

// Limits of the work for a key.
const (
	mostRounds = 64 // of refinement
	mostAlike  = 16 // nodes of a color to tell apart
)

// Key returns the same text for graphs that differ only in the numbers of their nodes and in the order
// of their edges. It refines the colors of the nodes by those of their neighbors (B. Weisfeiler and A.
// Leman, 1968); then, as far as nodes still have one color, it singles out one after the other of the
// smallest such group and refines again. A few very regular graphs that differ have one key too.
func (g *Graph) Key() string {
	r := refiner{g, make([]uint64, len(g.nodes)), make([]uint64, len(g.nodes))}
	colors := slices.Clone(g.nodes)
	colors = r.refine(colors)
	sum := r.sum()
	alike := smallestGroup(r.sorted)
	if alike.n > 1 && alike.n <= mostAlike {
		single := make([]uint64, len(colors))
		for node, color := range colors {
			if color == alike.color {
				copy(single, colors)
				single[node] = Mixed(color)
				single = r.refine(single)
				sum += Mixed(r.sum())
			}
		}
	}
	return strconv.FormatUint(sum, 16)
}

// A refiner refines the colors of a graph's nodes.
type refiner struct {
	*Graph
	next   []uint64
	sorted []uint64 // the last colors
}

// refine refines colors until no more become different. It may return another slice, and keep the given
// one.
func (r *refiner) refine(colors []uint64) []uint64 {
	for kinds, round := 0, 0; ; round++ {
		copy(r.sorted, colors)
		slices.Sort(r.sorted)
		n := distinct(r.sorted)
		if n == kinds || round == mostRounds {
			return colors
		}
		kinds = n
		for i, c := range colors {
			r.next[i] = Mixed(c)
		}
		for _, e := range r.edges {
			r.next[e.from] += Mixed(colors[e.to] ^ e.kind)
			r.next[e.to] += Mixed(^colors[e.from] + e.kind)
		}
		colors, r.next = r.next, colors
	}
}

// sum returns a number for the last colors.
func (r *refiner) sum() uint64 {
	sum := uint64(len(r.edges))
	for _, c := range r.sorted {
		sum = Mixed(sum) ^ c
	}
	return sum
}

// A group is a number of nodes of one color.
type group struct {
	n     int
	color uint64
}

// smallestGroup returns the smallest group of two nodes or more, and of several the one with the least
// color.
func smallestGroup(sorted []uint64) (least group) {
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		if n := to - from; n > 1 && (least.n == 0 || n < least.n) {
			least = group{n, sorted[from]}
		}
		from = to
	}
	return least
}

// distinct counts the different ones of sorted numbers.
func distinct(sorted []uint64) (n int) {
	for i, c := range sorted {
		if i == 0 || c != sorted[i-1] {
			n++
		}
	}
	return n
}

// Mixed spreads the bits of a number, so that sums of such numbers tell what was added (S. Vigna, splitmix64).
func Mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
