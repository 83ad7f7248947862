package boards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// tsumego asks for the only capturing move on a Go board.
var tsumego = task.Spec[tsumegoParams, tsumegoItem]{
	Name:     "tsumego",
	Category: "games",
	Doc:      "Find the point of a Go board where a black stone captures white ones. There is exactly one.",
	Source:   "The capturing rule of Go; the settings are those of reasoning-gym.",
	Version:  2,
	Default:  tsumegoParams{MinBoardSize: 9, MaxBoardSize: 13, MaxStones: 15},
	Levels: []tsumegoParams{
		{MinBoardSize: 5, MaxBoardSize: 6, MaxStones: 6},
		{MinBoardSize: 7, MaxBoardSize: 9, MaxStones: 15},
		{MinBoardSize: 9, MaxBoardSize: 11, MaxStones: 30},
		{MinBoardSize: 13, MaxBoardSize: 13, MaxStones: 60},
		{MinBoardSize: 16, MaxBoardSize: 17, MaxStones: 100},
		{MinBoardSize: 19, MaxBoardSize: 19, MaxStones: 150},
	},
	Few: []string{
		"There are few captures on a small board with few stones.",
	},
	Make: makeTsumego,
}

// tsumegoParams are the settings of one difficulty.
type tsumegoParams struct {
	MinBoardSize int `json:"min_board_size" want:"5 to 19"`
	MaxBoardSize int `json:"max_board_size" want:"min_board_size to 19"`
	MaxStones    int `json:"max_stones" want:"5 to 361"` // unless the captured group needs more
}

// tsumegoItem is one position.
type tsumegoItem struct {
	Board     grid.Grid[string] `json:"board" want:"board_size" oneof:". X O"` // from the top; "X" is a black stone, "O" a white one, "." an empty point
	BoardSize int               `json:"board_size" want:"1 to 19"`
	Phrasing  int               `json:"phrasing,omitempty" want:"0 to 5"`
}

// The contents of a point.
const (
	pointEmpty = '.'
	stoneBlack = 'X'
	stoneWhite = 'O'

	tsumegoPoints = ".XO"
	offBoard      = '#'
)

// A goBoard is a board for searches.
type goBoard struct {
	grid.Walled[byte]
	marks []int // by point: the last search that visited it
	run   int   // number of the current search

	stones, free []int // buffers of the search
}

// newGoBoard returns an empty board.
func newGoBoard(size int) *goBoard {
	b := &goBoard{Walled: grid.NewWalled[byte](size, size, offBoard)}
	for i := range size {
		for j := range size {
			b.Cells[b.At(i, j)] = pointEmpty
		}
	}
	b.marks = make([]int, len(b.Cells))
	return b
}

// liberties returns the empty points beside the group of the stone at a point. They are
// valid until the next call.
func (b *goBoard) liberties(at int) []int {
	b.run++
	b.marks[at] = b.run
	stones, liberties := b.stones[:0], b.free[:0]
	stones = append(stones, at)
	for k := 0; k < len(stones); k++ {
		for _, step := range b.Steps() {
			beside := stones[k] + step
			if b.marks[beside] == b.run {
				continue
			}
			switch b.Cells[beside] {
			case pointEmpty:
				b.marks[beside] = b.run
				liberties = append(liberties, beside)
			case b.Cells[at]:
				b.marks[beside] = b.run
				stones = append(stones, beside)
			}
		}
	}
	b.stones, b.free = stones, liberties
	return liberties
}

// captures reports whether a black stone at an empty point captures white ones.
func (b *goBoard) captures(at int) bool {
	for _, step := range b.Steps() {
		if b.Cells[at+step] != stoneWhite {
			continue
		}
		if len(b.liberties(at+step)) == 1 {
			return true
		}
	}
	return false
}

// makeTsumego grows a white group, surrounds it except for one point, and adds stones that
// do not affect it.
func makeTsumego(p tsumegoParams, r *rng.Rand) (tsumegoItem, error) {
	size := r.Between(p.MinBoardSize, p.MaxBoardSize)
	item := tsumegoItem{BoardSize: size, Phrasing: r.Between(0, len(tsumegoPhrasings)-1)}
	b := newGoBoard(size)
	stones, open, alive := b.surround(1+r.Between(0, p.MaxStones/6), r)
	for !alive {
		b = newGoBoard(size)
		stones, open, alive = b.surround(1+r.Between(0, p.MaxStones/6), r)
	}
	for tries := 8 * p.MaxStones; tries > 0 && stones < p.MaxStones; tries-- {
		at := b.At(r.Between(0, size-1), r.Between(0, size-1))
		if at == open || b.Cells[at] != pointEmpty || !b.touches(at) && !r.Chance(0.25) {
			continue
		}
		b.Cells[at] = stoneBlack
		if r.Chance(0.5) {
			b.Cells[at] = stoneWhite
		}
		if !b.sound(at, open) {
			b.Cells[at] = pointEmpty
			continue
		}
		stones++
	}
	item.Board = grid.Build(size, size, func(i, j int) string {
		at := strings.IndexByte(tsumegoPoints, b.Cells[b.At(i, j)])
		return tsumegoPoints[at : at+1]
	})
	return item, nil
}

// surround puts a white group of up to n stones on the empty board, and black stones around
// it. One point beside the group stays open. alive reports whether every stone has a
// liberty: a black stone in a hole of the group has none.
func (b *goBoard) surround(n int, r *rng.Rand) (stones, open int, alive bool) {
	group := []int{b.At(r.Between(0, b.Rows-1), r.Between(0, b.Cols-1))}
	b.Cells[group[0]] = stoneWhite
	for tries := 4 * n; tries > 0 && len(group) < n; tries-- {
		steps := b.Steps()
		if at := rng.Pick(r, group) + steps[r.Between(0, 3)]; b.Cells[at] == pointEmpty {
			b.Cells[at] = stoneWhite
			group = append(group, at)
		}
	}
	liberties := slices.Clone(b.liberties(group[0]))
	keep := r.Between(0, len(liberties)-1)
	for i, at := range liberties {
		if i != keep {
			b.Cells[at] = stoneBlack
		}
	}
	for i, at := range liberties {
		if i != keep && len(b.liberties(at)) == 0 {
			return 0, 0, false
		}
	}
	return len(group) + len(liberties) - 1, liberties[keep], true
}

// touches reports whether a stone stands beside a point.
func (b *goBoard) touches(at int) bool {
	for _, step := range b.Steps() {
		if c := b.Cells[at+step]; c == stoneBlack || c == stoneWhite {
			return true
		}
	}
	return false
}

// sound reports whether, after a stone was added, all groups have a liberty, and White's
// only group with a single one is the group at open.
func (b *goBoard) sound(at, open int) bool {
	for _, step := range append(make([]int, 0, 5), 0, -1, 1, -(b.Cols + 1), b.Cols+1) {
		color := b.Cells[at+step]
		if color != stoneBlack && color != stoneWhite {
			continue
		}
		liberties := b.liberties(at + step)
		if len(liberties) == 0 || color == stoneWhite && len(liberties) == 1 && liberties[0] != open {
			return false
		}
	}
	return true
}

// tsumegoPhrasings are the wordings of the question, before and after the board.
var tsumegoPhrasings = [][2]string{
	{"This is a game of Go. X is a black stone, O a white one, and a dot an empty point.\n\n",
		"\n\nBlack moves next and can capture white stones with a single move. Where? Answer with the point alone, its column letter and then its row number, for example C4."},
	{"Here is a Go position:\n\n", "\n\nOn the board above, there is exactly one empty point (.) on which a black stone (X) would take the last liberty of one or more white stones (O). Which point is it? Reply with the letter of the column and the number of the row, like B7, and nothing else."},
	{"In Go, stones of one color that are neighbors along the lines form a group. A group is captured when its last free neighboring point is taken by the other color. Find the move that captures a white group here:\n\n",
		"\n\nIt is Black's turn. Black has the stones marked X, White those marked O. Name the point where Black should play, in the form A1 (column, row), without a comment."},
	{"Black (X) to play and capture. White is O; empty points are dots.\n\n",
		"\n\nOnly one move removes white stones from the board at once. Give its coordinates: a letter from the top line followed by a number from the left margin, as in D5."},
	{"Your answer should be one point of the board, such as E3: the letter of its column, then the number of its row. It should be the point at which Black captures something by the next move.\n\n",
		"\n\nX stands for black stones, O for white stones, and . for points without a stone. Stones are connected horizontally and vertically only, and a group without any adjacent empty point is taken off the board."},
	{"A white group on this board is in atari: it has a single liberty left.\n\n",
		"\n\nWhite stones are written O, black stones X, and free points with a dot. Where must Black play to capture the group? Columns are named by letters and rows by numbers; write the point as letter and number, for instance F2."},
}

func (t tsumegoItem) Prompt() string {
	words := tsumegoPhrasings[t.Phrasing]
	b := append(make([]byte, 0, 2*task.PromptRoom), words[0]...)
	return string(append(t.appendBoard(b), words[1]...))
}

// appendBoard appends the board with the names of columns and rows.
func (t tsumegoItem) appendBoard(b []byte) []byte {
	b = append(b, "  "...)
	for j := range t.BoardSize {
		b = append(b, ' ', 'A'+byte(j))
	}
	for i, row := range t.Board {
		b = append(b, '\n')
		if t.BoardSize-i < 10 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(t.BoardSize-i), 10)
		for _, point := range row {
			b = append(append(b, ' '), point...)
		}
	}
	return b
}

// Canonical implements [task.Canonicalizer]. The side from which the board is seen does not matter.
func (t tsumegoItem) Canonical() string {
	return canon.Board(t.Board, func(point string) byte { return point[0] })
}

// Check refuses a record without a square board.
func (t tsumegoItem) Check() error {
	for i, row := range t.Board {
		if len(row) != t.BoardSize {
			return fmt.Errorf("row %d of board has %d points, want %d", i+1, len(row), t.BoardSize)
		}
	}
	return nil
}

// board returns the board for searches.
func (t tsumegoItem) board() *goBoard {
	b := newGoBoard(t.BoardSize)
	for i, row := range t.Board {
		for j, point := range row {
			b.Cells[b.At(i, j)] = point[0]
		}
	}
	return b
}

// Solve implements [task.Instance]. It returns "pass" for a board of reasoning-gym without
// a capture.
func (t tsumegoItem) Solve() string {
	b := t.board()
	for i := range t.BoardSize {
		for j := range t.BoardSize {
			if at := b.At(i, j); b.Cells[at] == pointEmpty && b.captures(at) {
				return string('A'+rune(j)) + strconv.Itoa(t.BoardSize-i)
			}
		}
	}
	return "pass"
}

// Score implements [task.Scorer]. Any capturing point is right, in upper or lower case.
func (t tsumegoItem) Score(text string) quintain.Verdict {
	const longest = 100
	if len(text) > longest {
		return quintain.Malformed("want a point such as C4")
	}
	text = strings.TrimSuffix(answer.Trim(text), ".")
	if len(text) < 2 {
		return quintain.Malformed("want a point such as C4")
	}
	col := int(text[0]&^0x20) - 'A'
	row, err := strconv.Atoi(text[1:])
	switch {
	case err != nil || text[1] < '1' || text[1] > '9' || col < 0 || col > 'Z'-'A':
		return quintain.Malformed(fmt.Sprintf("%q is not a point such as C4", text))
	case row > t.BoardSize || col >= t.BoardSize:
		return quintain.Wrong(fmt.Sprintf("%q is not on the board", text))
	}
	b := t.board()
	at := b.At(t.BoardSize-row, col)
	switch {
	case b.Cells[at] != pointEmpty:
		return quintain.Wrong("there is a stone at " + text)
	case !b.captures(at):
		return quintain.Wrong("a stone at " + text + " captures nothing")
	}
	return quintain.Right()
}
