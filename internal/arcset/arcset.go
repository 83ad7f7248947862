// Package arcset holds the 800 public tasks of the Abstraction and Reasoning Corpus of F.
// Chollet, ARC-AGI-1. README.md names the source and the licence.
package arcset

import (
	"compress/gzip"
	_ "embed" // the tasks
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// A Task shows how some grids change, and asks how others do. [Training] and [Evaluation]
// return them. It is safe for concurrent use.
type Task struct {
	ID    string // eight hexadecimal digits
	Cells int    // of all its grids together
	train string // pairs, as in the files
	test  string
}

// A Pair is a grid and its transformation: rows of colors, 0 to 9. There are 1 to 30 rows, all
// of one length, 1 to 30.
type Pair struct{ Input, Output [][]int }

// Train returns the example pairs, two or more. They belong to the caller.
func (t Task) Train() []Pair { return pairs(t.train) }

// Test returns the pairs to solve, one or more. They belong to the caller.
func (t Task) Test() []Pair { return pairs(t.test) }

// Training returns the 400 tasks of the training set, sorted by ID. The caller must not change
// the slice.
func Training() []Task { return training() }

// Evaluation returns the 400 harder tasks of the public evaluation set, sorted by ID. The
// caller must not change the slice.
func Evaluation() []Task { return evaluation() }

var (
	//go:embed training.txt.gz
	trainingGz string
	//go:embed evaluation.txt.gz
	evaluationGz string

	training   = sync.OnceValue(func() []Task { return read(trainingGz) })
	evaluation = sync.OnceValue(func() []Task { return read(evaluationGz) })
)

// read unpacks a set: one task per line, with its ID, its training pairs and its test pairs.
func read(zipped string) (tasks []Task) {
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		panic(fmt.Sprintf("arcset: %v", err))
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("arcset: %v", err))
	}
	for line := range strings.Lines(string(plain)) {
		id, grids, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		train, test, _ := strings.Cut(grids, " ")
		tasks = append(tasks, Task{id, len(grids) - strings.Count(grids, " ") - strings.Count(grids, "/") - strings.Count(grids, ">") - strings.Count(grids, ";"), train, test})
	}
	return tasks
}

// pairs parses pairs separated by semicolons: an input, >, and an output.
func pairs(text string) []Pair {
	list := make([]Pair, 0, 1+strings.Count(text, ";"))
	for part := range strings.SplitSeq(text, ";") {
		input, output, _ := strings.Cut(part, ">")
		list = append(list, Pair{rows(input), rows(output)})
	}
	return list
}

// rows parses a grid: its rows as digits, separated by slashes.
func rows(text string) [][]int {
	g, cells := make([][]int, 0, 1+strings.Count(text, "/")), make([]int, 0, len(text))
	for row := range strings.SplitSeq(text, "/") {
		first := len(cells)
		for _, digit := range []byte(row) {
			cells = append(cells, int(digit-'0'))
		}
		g = append(g, slices.Clip(cells[first:]))
	}
	return g
}
