package moves

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRushHourScore(t *testing.T) {
	const board = "ooCooo" + "ooCooo" + "AACooo" + "oBBooo" + "ooooxo" + "oooooo"
	item := rushItem{BoardConfig: board, MinMoves: 3, Solution: "B-1 C+3 A+4"}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"B-1 C+3 A+4", 1, ""},
		{"B+2 C+3 A+4", 1, "another way"},
		{"B-1 C+3 A+2 A+2", 1, "more moves than needed"},
		{"b-1 c+3 a+4", 1, "small letters; reasoning-gym ignores them"},
		{"B-1, C+3,\nA+4", 1, "with commas"},
		{"B-1C+3A+4", 1, "without space"},
		{"B-1 C+3 A+4 A+0", 1, "a move by nothing"},
		{"B-1 C+3 A+3", 0, "not far enough"},
		{"B-1 C+3 A+5", 0, "off the board, where reasoning-gym stops at the edge"},
		{"B-1 C+3 A+4 A-1", 0, "back again"},
		{"C+3 B-1 C+3 A+4", 0, "a blocked move; reasoning-gym ignores it"},
		{"B+1 C+3 A+4", 0, "B is still in the way"},
		{"C+3 A+4", 0, "C is blocked"},
		{"A+4", 0, "A would have to jump"},
		{"B-1 D+1 C+3 A+4", 0, "an unknown letter; reasoning-gym ignores it"},
		{"B-1 C+3 A4", 0, "no sign"},
		{"B-1 C+3 A+004", 0, "an overlong number"},
		{"B-1 C+3 A+", 0, "no number"},
		{"Move B-1 C+3 A+4", 0, "a word; reasoning-gym reads the moves"},
		{"-1 +3 +4", 0, "no letters"},
	})
	tasktest.RefusedRecords(t, rushHour.Task(), []string{
		`{"board_config":""}`,
		`{"board_config":"` + strings.Repeat("o", 36) + `"}`,
		`{"board_config":"` + strings.Replace(board, "AA", "oo", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "AACooo"+"oBB", "ooCooo"+"AAo", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "oBBooo"+"oooo", "ooBooo"+"oBoo", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "oBBo", "BoBo", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "oBBooo"+"o", "oooooB"+"B", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "oBBo", "oBbo", 1) + `"}`,
		`{"board_config":"` + strings.Replace(board, "oBBo", "oBCo", 1) + `"}`,
		`{"board_config":"` + board + `","solution":"A+4"}`,
		`{"board_config":"` + board + `","phrasing":6}`,
	})
}

// The second solver reads the board from the prompt, plays the solution cell by cell, and
// searches breadth first for a shorter one.
func TestRushHourSecond(t *testing.T) {
	rowRE := regexp.MustCompile(`(?m)^[A-Zx.]( [A-Zx.]){5}$`)
	tasktest.Second(t, rushHour.Task(), 1002, func(s rushItem, prompt, got string) error {
		rows := rowRE.FindAllString(prompt, -1)
		jam := newJam(strings.ReplaceAll(strings.Join(rows, ""), " ", ""))
		if len(rows) != 6 || len(jam.cars) == 0 {
			return fmt.Errorf("%d rows, %d cars", len(rows), len(jam.cars))
		}
		now, moves := jam.start, strings.Fields(got)
		for i, move := range moves {
			car := int(move[0] - 'A')
			step := 1
			if move[1] == '-' {
				step = -1
			}
			full := jam.full(now)
			for range move[2] - '0' {
				if now = jam.shifted(now, car, step, &full); now == "" {
					return fmt.Errorf("move %d, %s, is blocked", i+1, move)
				}
			}
		}
		if now[0] != 4 {
			return fmt.Errorf("the red car ends at %d", now[0])
		}
		if least := jam.shortest(); least != len(moves) || least != s.MinMoves {
			return fmt.Errorf("%d moves, min_moves is %d, and %d will do", len(moves), s.MinMoves, least)
		}
		return nil
	})
}

// A jam is the second solver's form of a board. A position is the place of each car in its
// line, a byte each.
type jam struct {
	cars  []jamCar // by letter
	walls [6][6]bool
	start string
}

type jamCar struct {
	size, line int
	down       bool
}

func newJam(cells string) *jam {
	j := new(jam)
	var start []byte
	for letter := 'A'; strings.ContainsRune(cells, letter); letter++ {
		first, last := strings.IndexRune(cells, letter), strings.LastIndexByte(cells, byte(letter))
		car := jamCar{last - first + 1, first / 6, false}
		place := first % 6
		if last-first >= 6 {
			car, place = jamCar{(last-first)/6 + 1, first % 6, true}, first/6
		}
		j.cars, start = append(j.cars, car), append(start, byte(place))
	}
	for i, c := range cells {
		j.walls[i/6][i%6] = c == 'x'
	}
	j.start = string(start)
	return j
}

// full marks the occupied cells of a position.
func (j *jam) full(now string) [6][6]bool {
	full := j.walls
	for i, car := range j.cars {
		for k := range car.size {
			row, col := j.cell(car, int(now[i])+k)
			full[row][col] = true
		}
	}
	return full
}

func (*jam) cell(car jamCar, place int) (row, col int) {
	if car.down {
		return place, car.line
	}
	return car.line, place
}

// shifted returns the position after a car has moved one cell, or "" if full shows that it
// cannot.
func (j *jam) shifted(now string, car, step int, full *[6][6]bool) string {
	ahead := int(now[car]) - 1
	if step > 0 {
		ahead = int(now[car]) + j.cars[car].size
	}
	if ahead < 0 || ahead > 5 {
		return ""
	}
	if row, col := j.cell(j.cars[car], ahead); full[row][col] {
		return ""
	}
	next := []byte(now)
	next[car] += byte(step)
	return string(next)
}

// shortest returns the number of moves of a shortest solution, or -1.
func (j *jam) shortest() int {
	seen, layer := map[string]bool{j.start: true}, []string{j.start}
	for moves := 0; len(layer) > 0; moves++ {
		var next []string
		for _, now := range layer {
			if now[0] == 4 {
				return moves
			}
			full := j.full(now) // a sliding car frees cells behind it, and never meets them
			for i := range 2 * len(j.cars) {
				car, step := i/2, 2*(i%2)-1
				for to := j.shifted(now, car, step, &full); to != ""; to = j.shifted(to, car, step, &full) {
					if !seen[to] {
						seen[to] = true
						next = append(next, to)
					}
				}
			}
		}
		layer = next
	}
	return -1
}

// The file has many games, the shortest first, and none twice.
func TestRushGames(t *testing.T) {
	games := rushGames()
	seen := map[string]bool{}
	for i, g := range games {
		if seen[g.cells] {
			t.Errorf("%s is there twice", g.cells)
		}
		seen[g.cells] = true
		if i > 0 && g.long() < games[i-1].long() {
			t.Errorf("game %d is shorter than the one before", i)
		}
	}
	if last := games[len(games)-1]; last.long() != rushHardest {
		t.Errorf("the hardest game has %d moves, and rushHardest is %d", last.long(), rushHardest)
	}
	const fewest = 10_000
	if len(games) < fewest {
		t.Errorf("there are %d games, want %d or more", len(games), fewest)
	}
}

func TestRushHourKeys(t *testing.T) {
	tasktest.Variant(t, rushHour.Task(), "other letters of the cars", func(s *rushItem, r *rng.Rand) func(string) string {
		last := 'B'
		for _, c := range s.BoardConfig {
			if c >= 'A' && c <= 'Z' {
				last = max(last, c)
			}
		}
		var letters []rune
		for c := 'B'; c <= last; c++ {
			letters = append(letters, c)
		}
		rng.Shuffle(r, letters)
		translate := func(text string) string {
			return strings.Map(func(c rune) rune {
				if c >= 'B' && c <= last {
					return letters[c-'B']
				}
				return c
			}, text)
		}
		s.BoardConfig, s.Solution = translate(s.BoardConfig), translate(s.Solution)
		return translate
	})
	tasktest.Same(t, rushHour.Task(), "another number of moves", func(s *rushItem) { s.MinMoves = 0 })
	tasktest.Translated(t, rushHour.Task(), func(solution string, from, to rushItem) string {
		return strings.Map(func(c rune) rune {
			if at := strings.IndexRune(from.BoardConfig, c); at >= 0 {
				return rune(to.BoardConfig[at])
			}
			return c
		}, solution)
	})
	tasktest.Other(t, rushHour.Task(), "a wall in place of an empty cell", func(s *rushItem) {
		s.BoardConfig, s.Solution = strings.Replace(s.BoardConfig, "o", "x", 1), ""
	})
}
