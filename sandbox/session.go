package sandbox

import (
	"context"
	"errors"
)

// ErrOver says that a session has ended.
var ErrOver = errors.New("the session has ended")

// An Opener is a sandbox with sessions.
type Opener interface {
	// Open starts an interpreter of Python that stays. Its errors are like those of
	// [Sandbox.Run]. The caller must Close the session, and do so before the sandbox ends.
	Open(ctx context.Context, spec Spec) (Session, error)
}

// A Spec is what a session begins with.
type Spec struct {
	// Files are the contents of the session's folder, as those of a job.
	Files map[string][]byte

	// Limits of the session are all but CPU, Wall and Output, which are those of each cell that
	// has none of its own. A session has one process.
	Limits Limits
}

// A Session is an interpreter that runs one cell after another, each with what those before it left. It
// stands still between cells. Many goroutines may use it; their cells wait for each other.
type Session interface {
	// Run runs a cell. The value of a last line that is an expression is written to the output.
	// Of limits, CPU, Wall and Output hold for the cell; zero: those of the session. A cell that
	// passes one of them is interrupted, as by a keyboard. If this does not end it, or if it passes a
	// limit of the session, the session ends, as it does if a cell ends the process: the result is
	// Over, and more cells have [ErrOver].
	//
	// The code of a cell that ended by itself is 0, or 1 if it raised an error, whose trace is in
	// Stderr, or what it gave to sys.exit. A cancelled context ends the session. So does any error,
	// which as that of [Sandbox.Run] says nothing about the cell.
	Run(ctx context.Context, cell string, limits Limits) (Result, error)

	// Close ends the session, and leaves neither a process nor a file of it.
	Close() error
}

// MaxCell is the most bytes that a cell may have.
const MaxCell = 100 << 10
