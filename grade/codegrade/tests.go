// Package codegrade judges programs by tests, in a sandbox. The expected outputs never enter the
// sandbox: the comparison is here.
package codegrade

import "github.com/quintain-rl/quintain/sandbox"

// A Kind is how tests meet a program.
type Kind string

// All kinds.
const (
	Stdin   Kind = "stdin"   // a case is a run: its standard input, and its standard output
	Call    Kind = "call"    // a case is a call of a function: its arguments, and its result
	Asserts Kind = "asserts" // a program of tests that calls the program under test

	Unittest Kind = "unittest" // the same as a file of unit tests, which imports the program
	Pytest   Kind = "pytest"   // the same for pytest
)

// isUnit reports whether tests are a file of unit tests.
func (k Kind) isUnit() bool { return k == Unittest || k == Pytest }

// A Compare is how an output is compared with the expected one.
type Compare string

// All ways to compare.
const (
	Exact   Compare = "exact"   // byte for byte
	Trim    Compare = "trim"    // but for newlines at the end
	Lines   Compare = "lines"   // lines without space at their ends, in lower case; numbers within 1e-5 relative
	Tokens  Compare = "tokens"  // words, however separated
	LCB     Compare = "lcb"     // as LiveCodeBench: stripped lines, then their words as decimal numbers
	Checker Compare = "checker" // by a program that gets input, output and expected output
)

// A Scoring is how the outcomes of the cases make a score.
type Scoring string

// All ways to score.
const (
	All    Scoring = "all"     // 1 if every case passes, else 0
	Share  Scoring = "share"   // the share of the cases that pass
	FirstN Scoring = "first_n" // the share of the first ten
	Levels Scoring = "levels"  // the weights of the groups all of whose cases pass
)

// Tests are what a program is judged by. Their JSON form is that of a column of a data set, and
// of the body of POST /v1/code/grade.
type Tests struct {
	Language      string  `json:"language"` // such as "python"
	Kind          Kind    `json:"kind"`
	Function      string  `json:"function,omitempty"`       // of Call: its name; a method of class Solution if there is one
	Cases         []Case  `json:"cases,omitempty"`          // of Stdin and Call; of Asserts: each Input is more source
	InputFile     string  `json:"input_file,omitempty"`     // of Stdin: a file in place of standard input, such as input.txt
	OutputFile    string  `json:"output_file,omitempty"`    // of Stdin: a file in place of standard output
	Compare       Compare `json:"compare,omitempty"`        // of Stdin; empty: Lines. Values of Call are compared as JSON
	Checker       string  `json:"checker,omitempty"`        // the source of the checker, in Python
	ExpectedFirst bool    `json:"expected_first,omitempty"` // the checker is called with input, expected output, output; else output, expected output
	Asserts       string  `json:"asserts,omitempty"`        // the source of the tests; before each case if there are some
	Module        string  `json:"module,omitempty"`         // by which unit tests import the program; empty: "solution"
	Shared        bool    `json:"shared,omitempty"`         // of Asserts and unit tests: program and tests share a process, and the program can cheat

	Prelude string         `json:"prelude,omitempty"` // source before the program, such as imports
	Scoring Scoring        `json:"scoring,omitempty"` // empty: All
	Limits  sandbox.Limits `json:"limits,omitzero"`   // of a case
}

// A Case is one test.
type Case struct {
	Input  string  `json:"input"`            // of Call: a JSON array of the arguments
	Output string  `json:"output"`           // of Call: the JSON value
	Public bool    `json:"public,omitempty"` // it may be shown to the model
	Group  int     `json:"group,omitempty"`  // of Levels
	Weight float64 `json:"weight,omitempty"` // of Levels: that of its group, from its first case; 0: as the others
}

// A Reason is the kind of the first failure. It is all that a policy may learn of hidden cases.
type Reason string

// All reasons. None of them is a fault of the machine: that is an error.
const (
	NoCode       Reason = "no_code"
	CompileError Reason = "compile_error"
	RuntimeError Reason = "runtime_error"
	WrongAnswer  Reason = "wrong_answer"
	TimeLimit    Reason = "time_limit"
	MemoryLimit  Reason = "memory_limit"
	OutputLimit  Reason = "output_limit"
)

// A Verdict is what the tests say of a program.
type Verdict struct {
	Score    float64   `json:"score"`  // 0 to 1
	Passed   int       `json:"passed"` // cases
	Total    int       `json:"total"`
	Reason   Reason    `json:"reason,omitempty"`   // empty: all passed
	Outcomes []Outcome `json:"outcomes,omitempty"` // of the cases that ran, by their index
	Digest   string    `json:"digest"`             // of program, tests and outcomes: another judgement has the same
}

// An Outcome is what one case says.
type Outcome struct {
	Case   int     `json:"case"`
	Reason Reason  `json:"reason,omitempty"` // empty: passed
	CPU    float64 `json:"cpu"`              // seconds; -1: unknown
	Peak   int64   `json:"peak"`             // bytes of resident memory
	Output string  `json:"output,omitempty"` // what it printed or returned, cut; shown for public cases only
	Error  string  `json:"error,omitempty"`  // the end of what it wrote to standard error
}
