package codetask

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A cell is a place of a grid.
type cell struct{ row, col int }

// The neighbors of a cell: the first four share a side.
var around = []cell{{-1, 0}, {0, -1}, {0, 1}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

// gridField describes a grid of two characters, of at most n rows and columns.
func gridField(n int64, chars string) field {
	return field{name: "grid", form: texts, len: span{1, n}, wide: span{1, n}, letters: chars, what: "of 1 to " + grouped(n) + " characters, `" + chars[:1] + "` or `" + chars[1:] + "`, all of the same length"}
}

// drawGrid draws a grid with a share of the second character.
func drawGrid(r *rng.Rand, f field, s size) []string {
	height, width := f.len.of(r.Between64(s.len/2, s.len)), f.wide.of(r.Between64(s.len/2, s.len+1))
	if s.len >= f.len[1] {
		height, width = f.len[1], f.wide[1]
	}
	share := rng.Pick(r, []float64{0.3, 0.45, 0.6, 0.75})
	if s.len > 1 && s.span == 0 {
		share = 1
	}
	grid := make([]string, height)
	for i := range grid {
		line := make([]byte, width)
		for j := range line {
			line[j] = f.letters[bit(r.Chance(share))]
		}
		grid[i] = string(line)
	}
	return grid
}

// at returns the character of a cell; 0 outside.
func at(grid []string, c cell) byte {
	if c.row < 0 || c.col < 0 || c.row >= len(grid) || c.col >= len(grid[0]) {
		return 0
	}
	return grid[c.row][c.col]
}

// growCells plays a cellular automaton.
func growCells(r *rng.Rand) draft {
	sides, corners := either(r, "a side", "a side or a corner")
	near := around[:4+4*bit(corners)]
	born := rng.Sample(r, []int64{1, 2, 3, 4}, r.Between(1, 2))
	stays := rng.Sample(r, []int64{0, 1, 2, 3, 4}, r.Between(1, 3))
	slices.Sort(born)
	slices.Sort(stays)
	edge, wraps := either(r, "Outside the grid, all cells are dead.", "The grid wraps around: the last row is a neighbor of the first, and the last column of the first.")
	result, alive := either(r, "the grid after `k` steps, its rows in order", "the number of living cells after `k` steps")
	f := gridField(12, ".#")
	if wraps {
		f.len[0], f.wide[0] = 3, 3
		f.what = strings.ReplaceAll(f.what, "1 to 12", "3 to 12")
	}
	d := draft{
		task: fill("In `grid`, `#` is a living cell and `.` a dead one. In a step, all cells change at the same time. The neighbors of a cell are the cells with which it shares $s. A dead cell comes to life if $b of its neighbors live. A living cell stays alive if $l of its neighbors live, and dies otherwise. $e",
			"$s", sides, "$b", choices(born), "$l", choices(stays), "$e", edge),
		want:   result,
		form:   texts,
		fields: []field{f, {name: "k", form: number, val: span{0, 8}}},
		make:   func(r *rng.Rand, s size) input { return input{drawGrid(r, f, s), r.Between64(0, 4+bit(s.len > 6)*4)} },
		body: fill(`
    height, width = len(grid), len(grid[0])
    near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if $near]
    for _ in range(k):
        after = []
        for y in range(height):
            row = ""
            for x in range(width):
                n = 0
                for i, j in near:
$count
                row += "#" if n in ($live if grid[y][x] == "#" else $born) else "."
            after.append(row)
        grid = after
    return $r
`, "$near", map[bool]string{true: "i or j", false: "abs(i) + abs(j) == 1"}[corners], "$live", literal(stays), "$born", literal(born),
			"$count", map[bool]string{true: "                    n += grid[(y + i) % height][(x + j) % width] == \"#\"", false: "                    if 0 <= y + i < height and 0 <= x + j < width:\n                        n += grid[y + i][x + j] == \"#\""}[wraps],
			"$r", map[bool]string{false: "grid", true: "sum(row.count(\"#\") for row in grid)"}[alive]),
		drawn: append(append([]int64{bit(corners), bit(wraps), bit(alive), int64(len(born))}, born...), stays...),
		solve: func(in input) any {
			grid := in.texts()
			for range in.num(1) {
				grid = grown(grid, near, wraps, func(n int64, lives bool) bool {
					return lives && slices.Contains(stays, n) || !lives && slices.Contains(born, n)
				})
			}
			if alive {
				return countIn(strings.Join(grid, ""), "#")
			}
			return grid
		},
	}
	if alive {
		d.form = number
	}
	return d
}

// choices writes numbers as "1, 2 or 3".
func choices(of []int64) string {
	if len(of) == 1 {
		return "exactly " + decimal(of[0])
	}
	return joined(of[:len(of)-1], ", ", decimal) + " or " + decimal(of[len(of)-1])
}

// grown returns the grid after one step.
func grown(grid []string, near []cell, wraps bool, lives func(n int64, lives bool) bool) []string {
	out := make([]string, len(grid))
	height, width := len(grid), len(grid[0])
	count := func(of cell) (n int64) {
		for _, c := range near {
			to := cell{of.row + c.row, of.col + c.col}
			if wraps {
				to = cell{(to.row + height) % height, (to.col + width) % width}
			}
			n += bit(at(grid, to) == '#')
		}
		return n
	}
	for y, row := range grid {
		line := []byte(row)
		for x := range line {
			line[x] = ".#"[bit(lives(count(cell{y, x}), row[x] == '#'))]
		}
		out[y] = string(line)
	}
	return out
}

// measureRegions measures the connected regions of a grid.
func measureRegions(r *rng.Rand) draft {
	sides, corners := either(r, "a side", "a side or a corner")
	near := around[:4+4*bit(corners)]
	which, id := pick(r, []struct{ text, py string }{
		{"", ""}, {" Leave out the regions with a cell in the first or last row or column.", "y in (0, height - 1) or x in (0, width - 1)"},
		{" Leave out the regions without a cell in the first or last row or column.", "y in (0, height - 1) or x in (0, width - 1)"}, {" Leave out the regions with a cell in the first row.", "y == 0"}, {" Leave out the regions without a cell in the first column.", "x == 0"},
	})
	result, resultID := pick(r, []string{"the number of regions", "the size of the largest region, or 0 if there is none", "the sizes of all regions, smallest first", "the number of regions of the smallest size, or 0 if there are none"})
	mark, other := ".", "#"
	if r.Chance(0.5) {
		mark, other = other, mark
	}
	d := draft{
		task:   fill("Two `$m` cells of `grid` are in the same region if a path of `$m` cells leads from one to the other, where each cell shares $s with the next. The size of a region is the number of its cells.$w", "$m", mark, "$s", sides, "$w", which.text),
		want:   result,
		form:   []form{number, number, list, number}[resultID],
		fields: []field{gridField(25, other+mark)},
		body: fill(`
    height, width = len(grid), len(grid[0])
    seen = set()
    sizes = []
    for row in range(height):
        for col in range(width):
            if grid[row][col] != "$m" or (row, col) in seen:
                continue
            seen.add((row, col))
            region = [(row, col)]
            for y, x in region:
                for i, j in $near:
                    to = (y + i, x + j)
                    inside = 0 <= to[0] < height and 0 <= to[1] < width
                    if inside and to not in seen and grid[to[0]][to[1]] == "$m":
                        seen.add(to)
                        region.append(to)
$keep
    return $r
`, "$m", mark, "$near", map[bool]string{false: "((-1, 0), (1, 0), (0, -1), (0, 1))", true: "((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))"}[corners],
			"$keep", []string{"            sizes.append(len(region))", "            if $not any($e for y, x in region):\n                sizes.append(len(region))"}[bit(id > 0)],
			"$r", []string{"len(sizes)", "max(sizes, default=0)", "sorted(sizes)", "sizes.count(min(sizes, default=0))"}[resultID]),
		drawn: []int64{bit(corners), id, resultID, bit(mark == "#")},
		solve: func(in input) any {
			sizes := regionSizes(in.texts(), near, mark[0], id)
			return []any{int64(len(sizes)), largest(sizes, 0), sizes, countOf(sizes, smallest(sizes, 0))}[resultID]
		},
	}
	d.body = fill(d.body, "$not any", map[bool]string{true: "not any", false: "any"}[id == 1 || id == 3], "$e", which.py)
	d.make = func(r *rng.Rand, s size) input { return input{drawGrid(r, d.fields[0], s)} }
	return d
}

func countOf(list []int64, x int64) (n int64) {
	for _, y := range list {
		n += bit(x == y)
	}
	return n
}

// regionSizes returns the sizes of the regions that a rule keeps, ascending.
func regionSizes(grid []string, near []cell, mark byte, rule int64) []int64 {
	f, sizes := flood{grid, near, map[cell]bool{}}, []int64{}
	last := cell{len(grid) - 1, len(grid[0]) - 1}
	for i := range (last.row + 1) * (last.col + 1) {
		start := cell{i / (last.col + 1), i % (last.col + 1)}
		if at(grid, start) != mark || f.seen[start] {
			continue
		}
		f.seen[start] = true
		region := []cell{start}
		var edge, top, left bool
		for at := 0; at < len(region); at++ {
			c := region[at]
			top, left = top || c.row == 0, left || c.col == 0
			edge = edge || c.row == 0 || c.col == 0 || c.row == last.row || c.col == last.col
			region = append(region, f.reach(c)...)
		}
		if []bool{true, !edge, edge, !top, left}[rule] {
			sizes = append(sizes, int64(len(region)))
		}
	}
	slices.Sort(sizes)
	return sizes
}

// A flood spreads over a grid.
type flood struct {
	grid []string
	near []cell
	seen map[cell]bool
}

// reach returns the unseen neighbors of a cell that have the same mark.
func (f flood) reach(c cell) (found []cell) {
	for _, step := range f.near {
		to := cell{c.row + step.row, c.col + step.col}
		if !f.seen[to] && at(f.grid, to) == at(f.grid, c) {
			f.seen[to] = true
			found = append(found, to)
		}
	}
	return found
}

// readTable reads the numbers of a table along a path.
func readTable(r *rng.Rand) draft {
	path, id := pick(r, []struct{ text, py string }{
		{"in a spiral: along the first row to the right, then down the last column, along the last row to the left, up the first column, and so on inwards", "    while t:\n        out += t[0]\n        t = [list(row) for row in zip(*t[1:])][::-1]\n"},
		{"in a spiral: down the first column, then along the last row to the right, up the last column, along the first row to the left, and so on inwards", "    t = [list(row) for row in zip(*t)]\n    while t:\n        out += t[0]\n        t = [list(row) for row in zip(*t[1:])][::-1]\n"},
		{"row by row, the first row from left to right, the second from right to left, and so on in turn", "    for i, row in enumerate(t):\n        out += row if i % 2 == 0 else row[::-1]\n"},
		{"column by column, the first column downwards, the second upwards, and so on in turn", "    for i, row in enumerate(zip(*t)):\n        out += row if i % 2 == 0 else row[::-1]\n"},
		{"diagonal by diagonal: first the top left number, then the two next to it, and so on. Each diagonal goes from its lower left to its upper right end", "    for d in range(len(t) + len(t[0]) - 1):\n        for i in range(len(t) - 1, -1, -1):\n            if 0 <= d - i < len(t[0]):\n                out.append(t[i][d - i])\n"},
		{"diagonal by diagonal: first the top right number, then the two next to it, and so on. Each diagonal goes from its upper left to its lower right end", "    for d in range(len(t[0]) - 1, -len(t), -1):\n        for i in range(len(t)):\n            if 0 <= i + d < len(t[0]):\n                out.append(t[i][i + d])\n"},
	})
	result, resultID := pick(r, []struct{ text, py string }{
		{"the numbers in that order", "out"}, {"the running sums of the numbers in that order: the first number, the sum of the first two, and so on", "list(accumulate(out))"},
		{"every second number in that order, beginning with the first", "out[::2]"}, {"each number in that order that is greater than all before it (the first is)", "[x for i, x in enumerate(out) if all(x > y for y in out[:i])]"},
	})
	d := draft{
		task:   fill("Read the numbers of the table `t` $p.", "$p", path.text),
		want:   result.text,
		form:   list,
		fields: []field{{name: "t", form: rows, len: span{1, 10}, wide: span{1, 10}, val: span{-99, 99}}},
		body:   "    out = []\n" + path.py + "    return " + result.py + "\n",
		drawn:  []int64{id, resultID},
		solve: func(in input) any {
			out := []int64{}
			for i, x := range walked(in.rows(0), id) {
				keep := resultID < 2 || resultID == 2 && i%2 == 0 || resultID == 3 && (len(out) == 0 || x > out[len(out)-1])
				if resultID == 1 && i > 0 {
					x += out[i-1]
				}
				if keep {
					out = append(out, x)
				}
			}
			return out
		},
	}
	if resultID == 1 {
		d.before = "from itertools import accumulate\n"
	}
	return d
}

// walked returns the numbers of a table in the order of a path.
func walked(t [][]int64, path int64) (out []int64) {
	if path == 1 || path == 3 {
		t = transposed(t)
	}
	switch path {
	case 0, 1:
		return spiral(t)
	case 2, 3:
		for i, row := range t {
			row = slices.Clone(row)
			if i%2 == 1 {
				slices.Reverse(row)
			}
			out = append(out, row...)
		}
	default:
		return diagonals(t, path == 5)
	}
	return out
}

// diagonals goes from the top left corner to the right and up, or from the top right corner to
// the right and down.
func diagonals(t [][]int64, down bool) (out []int64) {
	height, width := len(t), len(t[0])
	for n := range (height + width - 1) * height {
		d, n := n/height, n%height
		i, j := height-1-n, d-height+1+n
		if down {
			i, j = n, width-1-d+n
		}
		if 0 <= j && j < width {
			out = append(out, t[i][j])
		}
	}
	return out
}

func spiral(t [][]int64) (out []int64) {
	top, left, bottom, right := 0, 0, len(t)-1, len(t[0])-1
	for top <= bottom && left <= right {
		out = append(out, t[top][left:right+1]...)
		for i := top + 1; i <= bottom; i++ {
			out = append(out, t[i][right])
		}
		for j := right - 1; j >= left && top < bottom; j-- {
			out = append(out, t[bottom][j])
		}
		for i := bottom - 1; i > top && left < right; i-- {
			out = append(out, t[i][left])
		}
		top, left, bottom, right = top+1, left+1, bottom-1, right-1
	}
	return out
}
