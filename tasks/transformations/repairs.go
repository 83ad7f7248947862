package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A repair colors the ground of a board from its surroundings, or returns nil if it cannot.
type repair func(b board) board

// symmetric repairs boards where a cell and its source have the same color.
func symmetric(shape shape, source source) repair {
	return func(b board) board {
		h, w := size(b)
		if rows, cols := shape(h, w); rows*cols == 0 {
			return nil
		}
		out := clone(b)
		for i, row := range b {
			for j, c := range row {
				k, l := source(i, j, h, w)
				other := b[k][l]
				if c != other && min(c, other) != ground || max(c, other) == ground {
					return nil
				}
				out[i][j] = max(c, other)
			}
		}
		return out
	}
}

// tiles are the sizes of repeating parts, smallest first.
var tiles = [...][2]int{{1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}}

// tiled repairs boards that repeat a part: the smallest possible one.
func tiled(b board) board {
	h, w := size(b)
	for _, size := range tiles {
		if tile := tile(b, size[0], size[1]); tile != nil {
			return grid.Build(h, w, func(i, j int) int { return tile[i%size[0]][j%size[1]] })
		}
	}
	return nil
}

// tile returns the part of a given size that a board repeats, or nil if it repeats none, or
// if a cell of it is unknown.
func tile(b board, rows, cols int) board {
	tile := grid.New[int](rows, cols)
	for i, row := range b {
		for j, c := range row {
			here := &tile[i%rows][j%cols]
			if colored(c) && colored(*here) && c != *here {
				return nil
			}
			*here = max(*here, c)
		}
	}
	for _, row := range tile {
		if slices.Contains(row, ground) {
			return nil
		}
	}
	return tile
}

// repairs are the kinds of regularity.
var repairs = []struct {
	name   string
	scene  scene
	repair repair
}{
	{"mirrored_sideways", alikeSideways, symmetric(same, sideways)},
	{"mirrored_up_down", alikeUpDown, symmetric(same, upDown)},
	{"mirrored_on_diagonal", alikeDiagonally, symmetric(square, onDiagonal)},
	{"turned_half", alikeTurned, symmetric(same, half)},
	{"repeated", repeating, tiled},
}

// repairRules repair a board, or show only the missing part.
func repairRules() (all []rule) {
	for _, r := range repairs {
		all = append(all,
			rule{"repair_" + r.name, 2, damaged(r.scene), along(r.repair)},
			rule{"missing_part_" + r.name, 3, damaged(r.scene), func(p *picture) board {
				x, missing := around(p.board, func(c int) bool { return c == ground })
				if !missing {
					return nil
				}
				if out := r.repair(p.board); out != nil {
					return cut(out, x)
				}
				return nil
			}})
	}
	return all
}
