package graphs

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// largestIsland asks for the size of the largest island on a map.
var largestIsland = task.Spec[islandParams, islandItem]{
	Name:     "largest_island",
	Category: "graphs",
	Doc:      "Count the cells of the largest island on a map of land and water. Islands that touch only at a corner are separate.",
	Source:   "A common programming exercise on connected components; the settings are those of reasoning-gym.",
	Version:  3,
	Default:  islandParams{MinRows: 5, MaxRows: 10, MinCols: 5, MaxCols: 10, MinIslands: 0, MaxIslands: 5, MinSize: 0, MaxSize: 10},
	Levels: []islandParams{
		{MinRows: 5, MaxRows: 7, MinCols: 5, MaxCols: 7, MinIslands: 3, MaxIslands: 4, MinSize: 1, MaxSize: 10},
		{MinRows: 7, MaxRows: 9, MinCols: 7, MaxCols: 9, MinIslands: 3, MaxIslands: 6, MinSize: 2, MaxSize: 14},
		{MinRows: 10, MaxRows: 15, MinCols: 10, MaxCols: 15, MinIslands: 3, MaxIslands: 8, MinSize: 5, MaxSize: 30},
		{MinRows: 20, MaxRows: 30, MinCols: 20, MaxCols: 30, MinIslands: 6, MaxIslands: 15, MinSize: 10, MaxSize: 70},
		{MinRows: 40, MaxRows: 50, MinCols: 40, MaxCols: 50, MinIslands: 10, MaxIslands: 30, MinSize: 20, MaxSize: 150},
		{MinRows: 70, MaxRows: 80, MinCols: 70, MaxCols: 80, MinIslands: 20, MaxIslands: 60, MinSize: 30, MaxSize: 250},
	},
	Make: makeIsland,
	Ask: []string{
		"On this map, 1 is land and 0 is water:\n\n{grid}\n\nCells of land that are next to each other, horizontally or vertically, belong to one island. " +
			"How many cells does the largest island have? If there is no land, it is 0.",
		"How large is the largest group of connected ones in this grid? Ones are connected if one is directly above, below, to the left or to the right of the other, and so is everything that a chain of such steps leads to.\n\n{grid}\n\nThe size of a group is the number of its ones; without any ones, the answer is 0.",
		"A satellite has sent this picture of an ocean, with a 1 for every square of land.\n\n{grid}\n\n" +
			"You can walk from one square of land to another if they share a side, but not across a corner. What is the greatest number of squares that belong to one island? (0 if the ocean is empty.)",
		"Find the island with the most cells. An island is land (1) surrounded by water (0) or by the edge of the map; touching at corners does not join islands.\n\n{grid}\n\n" +
			"Give the number of its cells, or 0 if you find no island.",
		"Someone wants to settle on the largest island of an archipelago.\n\n{grid}\n\n" +
			"Each 1 is a square kilometer of land, each 0 is sea, and two squares of land are part of the same island if they share an edge, directly or by way of others. " +
			"How many square kilometers does that island have? Say 0 if all is sea.",
		"Consider the 1s of the following matrix as nodes of a graph. Two of them are neighbors if they stand side by side in a row, or one below the other in a column.\n\n{grid}\n\n" +
			"How many nodes does the largest connected component have? A graph without nodes counts as 0.",
	},
	Form:  "\n\nAnswer with a whole number.",
	Short: "largest island\n{grid}",
	Match: task.MatchWhole,
}

// islandParams are the settings of one difficulty.
type islandParams struct {
	MinRows    int `json:"min_rows" want:"1 to 200"`
	MaxRows    int `json:"max_rows" want:"min_rows to 200"`
	MinCols    int `json:"min_cols" want:"1 to 200"`
	MaxCols    int `json:"max_cols" want:"min_cols to 200"`
	MinIslands int `json:"min_num_islands" want:"0 to 500"` // fewer if there is no room
	MaxIslands int `json:"max_num_islands" want:"min_num_islands to 500"`
	MinSize    int `json:"min_island_size" want:"0 to 2000"` // in cells; less if there is no room
	MaxSize    int `json:"max_island_size" want:"min_island_size to 2000"`
}

// islandItem is one map: 1 is land, 0 is water.
type islandItem struct {
	Grid     grid.Grid[int] `json:"grid"`
	Solution int            `json:"solution"`
	Phrasing int            `json:"phrasing,omitempty"`
}

// makeIsland grows islands from random cells. They touch each other at corners at most.
func makeIsland(p islandParams, r *rng.Rand) (islandItem, error) {
	rows, cols := r.Between(p.MinRows, p.MaxRows), r.Between(p.MinCols, p.MaxCols)
	w := grid.NewWalled(rows, cols, int8(-1))
	for i := range rows {
		clear(w.Row(i))
	}
	room := make([]int, 0, 64)
	for range r.Between(p.MinIslands, p.MaxIslands) {
		room = growIsland(w, r.Between(p.MinSize, p.MaxSize), room[:0], r)
	}
	g := grid.New[int](rows, cols)
	for i := range rows {
		for j, cell := range w.Row(i) {
			g[i][j] = int(cell)
		}
	}
	return islandItem{Grid: g, Solution: largest(w), Phrasing: r.Between(0, 5)}, nil
}

// growIsland adds an island of up to size cells. It returns its cells, reusing the slice
// edge.
func growIsland(w grid.Walled[int8], size int, edge []int, r *rng.Rand) []int {
	const growing = 2
	steps := w.Steps()
	free := func(at int) bool {
		for _, step := range steps {
			if w.Cells[at+step] == 1 {
				return false
			}
		}
		return w.Cells[at] == 0
	}
	at := w.At(r.Between(0, w.Rows-1), r.Between(0, w.Cols-1))
	if size == 0 || !free(at) {
		return edge
	}
	w.Cells[at] = growing
	edge = append(edge, at)
	for tries := 0; len(edge) < size && tries < 6*size; tries++ {
		next := edge[r.Between(0, len(edge)-1)] + steps[r.Between(0, 3)]
		if w.Cells[next] == 0 && free(next) {
			w.Cells[next] = growing
			edge = append(edge, next)
		}
	}
	for _, at := range edge {
		w.Cells[at] = 1
	}
	return edge
}

// largest returns the size of the largest island. It removes all land from the map.
func largest(w grid.Walled[int8]) (most int) {
	var flood []int
	for i := range w.Rows {
		for j := range w.Cols {
			at := w.At(i, j)
			if w.Cells[at] != 1 {
				continue
			}
			flood = sink(w, at, flood[:0])
			most = max(most, len(flood))
		}
	}
	return most
}

// sink turns an island into water. It returns its cells, reusing the slice flood.
func sink(w grid.Walled[int8], at int, flood []int) []int {
	steps := w.Steps()
	w.Cells[at] = 0
	flood = append(flood, at)
	for k := 0; k < len(flood); k++ {
		for _, step := range steps {
			if next := flood[k] + step; w.Cells[next] == 1 {
				w.Cells[next] = 0
				flood = append(flood, next)
			}
		}
	}
	return flood
}

// Canonical implements [task.Canonicalizer]. The side from which the map is seen does not matter.
func (i islandItem) Canonical() string {
	return canon.Board(i.Grid, func(cell int) byte { return byte('0' + cell) })
}

// Check refuses a record with a wrong solution.
func (i islandItem) Check() error {
	if err := grid.CheckInts(i.Grid, 0, 1); err != nil {
		return fmt.Errorf("grid: %w", err)
	}
	w := grid.NewWalled(len(i.Grid), len(i.Grid[0]), int8(-1))
	for row := range i.Grid {
		for col, cell := range i.Grid[row] {
			w.Row(row)[col] = int8(cell)
		}
	}
	return task.Want("solution", i.Solution, largest(w))
}

func (i islandItem) Solve() string { return strconv.Itoa(i.Solution) }
