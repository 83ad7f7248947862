package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
)

// ProgramRate measures what simple programs over the prompt earn at a level of t, without
// solving: turning, mirroring and transposing the only board of the prompt; sums, counts and
// neighbours of its numbers, such as the largest number less one. Each is tried on n problems;
// the result is that of the best.
func ProgramRate(t quintain.Task, level, n int) (best Surface, err error) {
	asked, err := draw(t, quintain.Draw{Seed: askedSeed, Level: level}, n)
	if err != nil {
		return best, err
	}
	return bestOf(newMarks(t, asked.problems), looksAt(asked.problems), programs())
}

// programs returns the guessers that need no lessons.
func programs() []guesser { return append(boardPrograms(), numberPrograms()...) }

// boardPrograms move the cells of the board of a prompt.
func boardPrograms() []guesser {
	type cells = grid.Grid[string]
	var list []guesser
	for _, move := range []struct {
		name string
		of   func(cells) cells
	}{
		{"the board", func(g cells) cells { return g }},
		{"the board transposed", transposed},
	} {
		for quarters, turn := range []string{"", ", turned once", ", turned twice", ", turned three times"} {
			list = append(list, guesser{move.name + turn, func(l look) string {
				board, by := grid.Find(l.prompt)
				if board == nil {
					return ""
				}
				return joined(move.of(board).Turned(quarters), by)
			}})
		}
	}
	return list
}

// transposed returns g with rows for columns.
func transposed(g grid.Grid[string]) grid.Grid[string] {
	return grid.Build(len(g[0]), len(g), func(i, j int) string { return g[j][i] })
}

// joined writes a board with a line for each row.
func joined(g grid.Grid[string], by string) string {
	lines := make([]string, len(g))
	for i, row := range g {
		lines[i] = strings.Join(row, by)
	}
	return strings.Join(lines, "\n")
}

// numberPrograms answer with a number that is near those of the prompt.
func numberPrograms() []guesser {
	var list []guesser
	for _, value := range []struct {
		name string
		of   func([]int64) int64
	}{
		{"the largest number", slices.Max[[]int64]},
		{"the smallest number", slices.Min[[]int64]},
		{"the first number", func(n []int64) int64 { return n[0] }},
		{"the last number", func(n []int64) int64 { return n[len(n)-1] }},
		{"the median", func(n []int64) int64 { return slices.Sorted(slices.Values(n))[len(n)/2] }},
		{"the mean", func(n []int64) int64 { return sum(n) / int64(len(n)) }},
		{"the sum", sum},
		{"the count of numbers", func(n []int64) int64 { return int64(len(n)) }},
		{"the count of different numbers", func(n []int64) int64 { return int64(len(slices.Compact(slices.Sorted(slices.Values(n))))) }},
		{"the spread", func(n []int64) int64 { return slices.Max(n) - slices.Min(n) }},
		{"the first number less the second", func(n []int64) int64 { return n[0] - n[min(1, len(n)-1)] }},
		{"the last number less the one before", func(n []int64) int64 { return n[len(n)-1] - n[max(0, len(n)-2)] }},
		{"the first two numbers added", func(n []int64) int64 { return n[0] + n[min(1, len(n)-1)] }},
		{"the last two numbers added", func(n []int64) int64 { return n[len(n)-1] + n[max(0, len(n)-2)] }},
	} {
		for _, more := range []int64{-2, -1, 0, 1, 2} {
			name := value.name
			if more != 0 {
				name += fmt.Sprintf(" %+d", more)
			}
			list = append(list, guesser{name, func(l look) string {
				numbers := l.wholes()
				if len(numbers) == 0 {
					return ""
				}
				return strconv.FormatInt(value.of(numbers)+more, 10)
			}})
		}
	}
	return list
}

// wholes returns the whole numbers of the prompt that are not huge.
func (l look) wholes() (numbers []int64) {
	const most = 1_000_000_000_000
	for _, text := range l.numbers {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n <= most {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// sum adds up numbers.
func sum(numbers []int64) (total int64) {
	for _, n := range numbers {
		total += n
	}
	return total
}
