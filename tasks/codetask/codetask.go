// Package codetask draws problems that ask for a program in Python, with tests, hidden tests and
// a reference solution. A draw gives the same bytes on every machine.
//
// A file holds a group of kinds of problems. A kind draws its rules, so that two problems of it
// differ in what must be computed, and not only in numbers.
package codetask

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/task/rng"
)

// Version is raised by one whenever a draw gives another problem than before.
const Version = 1

// Levels is the number of levels. At level 0 a line solves a problem; at level 4 an input may be
// so large that the obvious algorithm takes too long.
const Levels = 5

// A Problem asks for a program.
type Problem struct {
	Kind      string          `json:"kind"` // one of [Kinds]
	Level     int             `json:"level"`
	Statement string          `json:"statement"` // with examples, in Markdown
	Tests     codegrade.Tests `json:"tests"`     // Stdin or Call; the public cases are the examples
	Python    string          `json:"python"`    // a solution that passes the tests in a fifth of the time limit
}

// A kind is one sort of problem.
type kind struct {
	name string // also that of the function to write
	draw func(r *rng.Rand) draft
}

// kinds are all kinds by level.
var kinds = [Levels][]kind{
	levelZero,
	levelOne,
	levelTwo,
	levelThree,
	levelFour,
}

// Kinds lists the names of the kinds of a level, 0 to Levels-1.
func Kinds(level int) []string {
	var names []string
	for _, k := range kinds[level] {
		names = append(names, k.name)
	}
	return names
}

// New returns the problem of a draw. Its level is 0 to Levels-1.
func New(draw quintain.Draw) (Problem, error) {
	if draw.Level < 0 || draw.Level >= Levels {
		return Problem{}, fmt.Errorf("level is %d, want 0 to %d", draw.Level, Levels-1)
	}
	level := strconv.Itoa(draw.Level)
	k := rng.Pick(rng.Named("codetask", strconv.Itoa(Version), level).Stream(draw.Seed, draw.Index), kinds[draw.Level])
	return k.problem(draw), nil
}

// problem returns the problem of this kind of a draw.
func (k kind) problem(draw quintain.Draw) Problem {
	r := rng.Named("codetask", strconv.Itoa(Version), strconv.Itoa(draw.Level), k.name).Stream(draw.Seed, draw.Index)
	for {
		d := k.draw(r)
		if cases := d.cases(r); varied(cases) {
			d.name, d.level = k.name, draw.Level
			return d.problem(r, cases)
		}
	}
}

// varied tells whether cases have enough different results. Some drawn rules contradict each
// other, and leave nothing to compute.
func varied(cases []drawnCase) bool {
	same := map[string]int{}
	for _, c := range cases {
		if result := literal(c.out); same[result] < len(cases)*3/5 {
			same[result]++
		} else {
			return false
		}
	}
	return len(cases) >= leastCases
}
