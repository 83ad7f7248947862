package programs

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of a BF program and its run.
const (
	bfMostCode   = 1 << 16 // bytes
	bfMostCells  = 30_000
	bfMostSteps  = 20_000 // a step is a run of + and -, of > and <, or any other command
	bfMostOutput = 1000   // bytes
)

// errBFSteps reports a program that takes too long; it may be valid.
var errBFSteps = errors.New("the program takes too many steps")

// A bfStep is a command, or a run of + and - or of > and <.
type bfStep struct {
	op byte // + for + and -, > for > and <, or the command itself
	n  int  // amount to add or move; for a bracket, the index of its partner
}

// bfRead reads a program. Anything but the eight commands is a comment.
func bfRead(code string) ([]bfStep, error) {
	if len(code) > bfMostCode {
		return nil, fmt.Errorf("the program has %d bytes, want at most %d", len(code), bfMostCode)
	}
	var steps []bfStep
	var open []int
	for i := range len(code) {
		op, n := code[i], 1
		if strings.IndexByte("+-<>.,[]", op) < 0 {
			continue
		}
		switch op {
		case '-':
			op, n = '+', -1
		case '<':
			op, n = '>', -1
		case '[':
			open = append(open, len(steps))
		case ']':
			if len(open) == 0 {
				return nil, errors.New("the program has a ] without a [")
			}
			n = open[len(open)-1]
			open = open[:len(open)-1]
			steps[n].n = len(steps)
		}
		if last := len(steps) - 1; last >= 0 && steps[last].op == op && strings.IndexByte("+>", op) >= 0 {
			steps[last].n += n
			continue
		}
		steps = append(steps, bfStep{op, n})
	}
	if len(open) > 0 {
		return nil, errors.New("the program has a [ without a ]")
	}
	return steps, nil
}

// bfRun runs a program and returns its output. Cells are bytes that wrap around. There is
// no input: a comma sets its cell to 0.
func bfRun(code string) (output string, err error) {
	steps, err := bfRead(code)
	if err != nil {
		return "", err
	}
	var out []byte
	cells, at := make([]byte, bfMostCells), 0
	for next, done := 0, 0; next < len(steps); next++ {
		if done++; done > bfMostSteps {
			return "", errBFSteps
		}
		switch s := steps[next]; s.op {
		case '+':
			cells[at] += byte(s.n)
		case '>':
			if at += s.n; at < 0 || at >= len(cells) {
				return "", fmt.Errorf("the program leaves its %d cells", bfMostCells)
			}
		case '.':
			if out = append(out, cells[at]); len(out) > bfMostOutput {
				return "", fmt.Errorf("the program prints more than %d bytes", bfMostOutput)
			}
		case ',':
			cells[at] = 0
		case '[':
			if cells[at] == 0 {
				next = s.n
			}
		case ']':
			if cells[at] != 0 {
				next = s.n
			}
		}
	}
	return string(out), nil
}
