package transformations

import (
	"compress/gzip"
	_ "embed" // the tasks
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// An arcTask shows how some grids change, and asks how others do. [arcTraining] and [arcEvaluation]
// return them. It is safe for concurrent use.
type arcTask struct {
	ID    string // eight hexadecimal digits
	Cells int    // of all its grids together
	train string // pairs, as in the files
	test  string
}

// An arcPair is a grid and its transformation: rows of colors, 0 to 9. There are 1 to 30 rows, all
// of one length, 1 to 30.
type arcPair struct{ Input, Output [][]int }

// Train returns the example pairs, two or more. They belong to the caller.
func (t arcTask) Train() []arcPair { return arcPairs(t.train) }

// Test returns the pairs to solve, one or more. They belong to the caller.
func (t arcTask) Test() []arcPair { return arcPairs(t.test) }

// arcTraining returns the 400 tasks of the training set, sorted by ID. The caller must not change
// the slice.
func arcTraining() []arcTask { return trainingTasks() }

// arcEvaluation returns the 400 harder tasks of the public evaluation set, sorted by ID. The
// caller must not change the slice.
func arcEvaluation() []arcTask { return evaluationTasks() }

var (
	//go:embed arc_training.txt.gz
	trainingGz string
	//go:embed arc_evaluation.txt.gz
	evaluationGz string

	trainingTasks   = sync.OnceValue(func() []arcTask { return readArcTasks(trainingGz) })
	evaluationTasks = sync.OnceValue(func() []arcTask { return readArcTasks(evaluationGz) })
)

// readArcTasks unpacks a set: one task per line, with its ID, its training pairs and its test pairs.
func readArcTasks(zipped string) (tasks []arcTask) {
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		panic(fmt.Sprintf("ARC: %v", err))
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("ARC: %v", err))
	}
	for line := range strings.Lines(string(plain)) {
		id, grids, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		train, test, _ := strings.Cut(grids, " ")
		tasks = append(tasks, arcTask{id, len(grids) - strings.Count(grids, " ") - strings.Count(grids, "/") - strings.Count(grids, ">") - strings.Count(grids, ";"), train, test})
	}
	return tasks
}

// arcPairs parses pairs separated by semicolons: an input, >, and an output.
func arcPairs(text string) []arcPair {
	list := make([]arcPair, 0, 1+strings.Count(text, ";"))
	for part := range strings.SplitSeq(text, ";") {
		input, output, _ := strings.Cut(part, ">")
		list = append(list, arcPair{arcRows(input), arcRows(output)})
	}
	return list
}

// arcRows parses a grid: its rows as digits, separated by slashes.
func arcRows(text string) [][]int {
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
