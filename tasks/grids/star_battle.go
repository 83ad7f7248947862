package grids

import (
	"math/bits"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// starBattle asks for the only way to put a star into each row, column and region.
var starBattle = task.Spec[starBattleParams, starBattleItem]{
	Name:     "star_battle",
	Category: "games",
	Doc:      "Put a star into each row, each column and each region of a board so that no two stars touch. Every puzzle has exactly one solution.",
	Source:   "Star Battle, by H. Eendebak (2003).",
	Version:  3,
	Default:  starBattleParams{MinSize: 8, MaxSize: 8},
	Levels: []starBattleParams{
		{MinSize: 6, MaxSize: 6},
		{MinSize: 7, MaxSize: 7},
		{MinSize: 8, MaxSize: 8},
		{MinSize: 9, MaxSize: 9},
		{MinSize: 10, MaxSize: 10},
		{MinSize: 11, MaxSize: 11},
	},
	Make: makeStarBattle,
}

// starBattleParams are the settings of one difficulty.
type starBattleParams struct {
	MinSize int `json:"min_size" want:"5 to 11"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 11"`
}

// starBattleItem is one puzzle.
type starBattleItem struct {
	Regions  grid.Grid[int] `json:"regions" want:"1 to 11" each:"0 or more and less than regions"` // by cell, from 0
	Solution grid.Grid[int] `json:"solution" each:"0 to 1"`                                        // 1 is a star
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

const (
	starSigns   = signs(".S")
	regionSigns = signs("ABCDEFGHIJK")
)

// makeStarBattle draws stars, grows a region around each, and moves cells from region to region
// until no other stars fit.
func makeStarBattle(p starBattleParams, r *rng.Rand) (starBattleItem, error) {
	const steps, most = 400, 40
	size := r.Between(p.MinSize, p.MaxSize)
	for {
		s := drawSky(size, r)
		for range most {
			other, found, unique := s.other(steps)
			if unique {
				return starBattleItem{
					Regions:  square(named(s.region), size),
					Solution: square(s.stars.ints(size*size), size), Phrasing: starBattleWordings.draw(r),
				}, nil
			}
			if !found || !s.exclude(other, r) {
				break
			}
		}
	}
}

// A sky is a board with regions, and its stars.
type sky struct {
	size   int
	region []int // by cell
	stars  set
	near   []set // by cell: the cells around it
}

// drawSky draws stars that do not touch, one in each row and column, and their regions.
func drawSky(size int, r *rng.Rand) *sky {
	columns := make([]int, size)
	for i := range columns {
		columns[i] = i
	}
	apart := func() bool {
		for i := range size - 1 {
			if d := columns[i] - columns[i+1]; d == 1 || d == -1 {
				return false
			}
		}
		return true
	}
	for rng.Shuffle(r, columns); !apart(); {
		rng.Shuffle(r, columns)
	}
	s := &sky{size: size, region: make([]int, size*size), near: make([]set, size*size)}
	for at := range s.region {
		s.region[at], s.near[at] = -1, around(at, size)
	}
	var edge []int // cells with a region, whose neighbors may lack one
	for i, j := range columns {
		at := i*size + j
		s.stars.add(at)
		s.region[at] = i
		edge = append(edge, at)
	}
	small := r.Between(0, 1<<size-1) // the regions that grow slowly: they leave little choice
	for len(edge) > 0 {
		k := r.Between(0, len(edge)-1)
		at := edge[k]
		var free []int
		eachBeside(at, size, func(c int) {
			if s.region[c] < 0 {
				free = append(free, c)
			}
		})
		if len(free) == 0 {
			edge[k] = edge[len(edge)-1]
			edge = edge[:len(edge)-1]
			continue
		}
		const slow = 8
		if small>>s.region[at]&1 != 0 && r.Between(1, slow) < slow {
			continue
		}
		c := free[r.Between(0, len(free)-1)]
		s.region[c] = s.region[at]
		edge = append(edge, c)
	}
	return s
}

// other looks for other stars, in a number of steps. If it gives up, it reports neither others nor
// that the stars are unique.
func (s *sky) other(steps int) (other set, found, unique bool) {
	search := starSearch{sky: s, steps: steps}
	for at, region := range s.region {
		for _, group := range [3]int{at / s.size, s.size + at%s.size, 2*s.size + region} {
			search.groups[group].add(at)
			search.in[at] |= 1 << group
		}
	}
	found = search.place(1<<(3*s.size)-1, firstCells(s.size*s.size), set{})
	return search.found, found, !found && search.steps >= 0
}

// A starSearch looks for other stars.
type starSearch struct {
	*sky
	groups [3 * mostSide]set // rows, columns and regions
	in     [mostMarks]uint64 // by cell: its groups, a bit for each
	steps  int               // steps left
	found  set
}

// place adds a star to each of some groups, in free cells. It begins with the group that has the
// fewest.
func (s *starSearch) place(groups uint64, free, stars set) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	if groups == 0 {
		s.found = stars
		return stars != s.stars
	}
	fewest, of := mostMarks+1, set{}
	for rest := groups; rest != 0 && fewest > 0; rest &= rest - 1 {
		cells := s.groups[bits.TrailingZeros64(rest)].and(free)
		if n := cells.len(); n < fewest {
			fewest, of = n, cells
		}
	}
	for _, cells := range [2]set{of.less(s.stars), of.and(s.stars)} {
		for ; !cells.empty(); cells = cells.less(setOf(cells.first())) {
			at := cells.first()
			left := free.less(s.near[at])
			for in := s.in[at]; in != 0; in &= in - 1 {
				left = left.less(s.groups[bits.TrailingZeros64(in)])
			}
			if s.place(groups&^s.in[at], left, stars.or(setOf(at))) {
				return true
			}
		}
	}
	return false
}

// exclude moves a cell with one of other stars to a region beside it, which has another of them.
// It reports whether there is such a cell, without which its region stays whole.
func (s *sky) exclude(other set, r *rng.Rand) bool {
	moves := other.less(s.stars).cells()
	rng.Shuffle(r, moves)
	for _, at := range moves {
		var to []int
		eachBeside(at, s.size, func(c int) {
			if s.region[c] != s.region[at] {
				to = append(to, s.region[c])
			}
		})
		if len(to) == 0 {
			continue
		}
		from := s.region[at]
		s.region[at] = to[r.Between(0, len(to)-1)]
		if s.whole(from) {
			return true
		}
		s.region[at] = from
	}
	return false
}

// whole reports whether the cells of a region hang together.
func (s *sky) whole(region int) bool {
	var cells set
	for at, k := range s.region {
		if k == region {
			cells.add(at)
		}
	}
	return connected(cells, s.size)
}

// connected reports whether cells, of which there is one, hang together by their sides.
func connected(cells set, size int) bool {
	rows := rowsOf(cells, size)
	var reached [mostSide + 2]uint16 // row i at i+1
	first := cells.first()
	reached[first/size+1] = 1 << (first % size)
	for grown := true; grown; {
		grown = false
		for i, row := range rows[:size] {
			if more := along(reached[i+1]|(reached[i]|reached[i+2])&row, row); more != reached[i+1] {
				reached[i+1], grown = more, true
			}
		}
	}
	return [mostSide]uint16(reached[1:mostSide+1]) == rows
}

// along returns some cells of a row, and those that hang together with them in the row.
func along(cells, row uint16) uint16 {
	for {
		more := (cells | cells<<1 | cells>>1) & row
		if more == cells {
			return cells
		}
		cells = more
	}
}

// rowsOf returns the rows of a set, a bit for each column.
func rowsOf(s set, size int) (rows [mostSide]uint16) {
	for i := range size {
		from := i * size
		row := s[from>>6] >> (from & 63)
		if from&63 != 0 && from < 64 {
			row |= s[1] << (64 - from&63)
		}
		rows[i] = uint16(row) & (1<<size - 1)
	}
	return rows
}

// named returns names with the numbers 0, 1, 2, and so on in the order in which they first occur.
func named(names []int) []int {
	known := map[int]int{}
	list := make([]int, len(names))
	for i, name := range names {
		if _, ok := known[name]; !ok {
			known[name] = len(known)
		}
		list[i] = known[name]
	}
	return list
}

// starBattleWordings are the wordings of the question.
var starBattleWordings = wordings{
	{"Solve this star battle of %n rows and %n columns. Cells with the same letter form a region; there are %n regions. Place %n stars so that every row, every column and every region has exactly one star, and no two stars touch, not even at a corner.",
		"There is one solution. Answer with the board alone: %n lines of %n signs with single spaces between them, S for a star and . for any other cell."},
	{"Where are the stars?",
		"The letters divide the board above into %n regions: all cells with an A are one region, all cells with a B another, and so on. The rules are:\n- Each region contains exactly one star.\n- Each of the %n rows and each of the %n columns contains exactly one star.\n- The up to eight cells around a star contain no star.\n\nWrite %n rows of %n characters, separated by single spaces: S where a star is, and a dot where none is. Write nothing else. Only one board is right."},
	{"A map of the night sky is divided into fields, which are marked with letters:",
		"In each field shines a single star. Also, there is a single star in each of the %n rows of the map and a single one in each of its %n columns. Stars keep their distance: a star's neighbors to all sides, including the diagonal ones, are dark. Find all %n stars; the map allows only one possibility. Reply with the map, one row per line and a space between cells, in which S replaces the letter of a cell with a star and . replaces all other letters."},
	{"Your answer will be a board of %n lines with %n symbols each (single spaces between symbols, no other text), each symbol an S or a dot. It has to fit the following board of letters.",
		"It fits if\n1. no line has more or fewer than one S, and neither has a column;\n2. among the cells that show the same letter above, exactly one has an S, for each of the %n letters;\n3. no S is next to another S, whether in a row, in a column or diagonally.\nExactly one board fits."},
	{"Choose %n cells of this %n by %n board of letters.",
		"Choose them so that you have one from each row, one from each column, and one of each letter, and so that no two of the chosen cells share a side or a corner. This can be done in just one way. Show your choice as %n lines of %n signs, S for a chosen cell and . for a cell that was not chosen, with a space between neighboring signs, and without comment."},
	{"Regions of the board, by letter:",
		"Put one star in every region, such that every row and every column of the board also ends up with one star, %n stars in all. Two stars must never be adjacent horizontally, vertically or diagonally. The solution is unique. Print it with the %n cells of each row on a line of their own, separated by spaces: S stands for a star and . for an empty cell."},
}

func (s starBattleItem) Prompt() string {
	return starBattleWordings.ask(s.Phrasing, s.appendBoard(nil, 0), func(byte) string { return strconv.Itoa(len(s.Regions)) })
}

// appendBoard appends the regions as seen in a view, with new names.
func (s starBattleItem) appendBoard(b []byte, v view) []byte {
	size := len(s.Regions)
	cells := make([]int, 0, size*size)
	for _, row := range seen(v, s.Regions) {
		cells = append(cells, row...)
	}
	return regionSigns.append(b, square(named(cells), size))
}

// Canonical implements [task.Canonicalizer]. The names of the regions change nothing.
func (s starBattleItem) Canonical() string {
	return least(func(v view) []byte { return s.appendBoard(nil, v) })
}

// Check refuses a record with a wrong solution.
func (s starBattleItem) Check() error { return checkBoards(s, len(s.Regions), s.Regions, s.Solution) }

func (s starBattleItem) Solve() string { return string(starSigns.append(nil, s.Solution)) }

// Score implements [task.Scorer]. All stars have to be right.
func (s starBattleItem) Score(text string) quintain.Verdict {
	return judge(text, len(s.Regions), starSigns.read, s.broken)
}

// broken returns the first rule that stars break.
func (s starBattleItem) broken(cells []int) string {
	size := len(s.Regions)
	var stars set
	var rows, columns, regions [mostSide]int
	for at, c := range cells {
		if c == 0 {
			continue
		}
		if !around(at, size).and(stars).empty() {
			return "another star touches the one in " + where(at, size)
		}
		stars.add(at)
		rows[at/size]++
		columns[at%size]++
		regions[s.Regions[at/size][at%size]]++
	}
	for i := range size {
		switch {
		case rows[i] != 1:
			return "want one star in row " + strconv.Itoa(i+1)
		case columns[i] != 1:
			return "want one star in column " + strconv.Itoa(i+1)
		case regions[i] != 1:
			return "want one star in each region"
		}
	}
	return ""
}
