// Package sandbox describes how programs run that nobody trusts. Back ends run them: package
// native by the means of the Linux kernel. Package sandboxtest holds every back end.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Sandbox runs programs. Many goroutines may use it.
type Sandbox interface {
	// Probe tries what holds on this machine. Its error is a fault of the machine.
	Probe(ctx context.Context) (Strength, error)

	// Run runs one job to its end, and leaves neither a process nor a file of it. An error is
	// a fault of the machine or of the caller, never one of the program, and says nothing
	// about the program: no reward may come from it. A sandbox below the floor refuses every
	// job with an error that wraps [ErrWeak].
	Run(ctx context.Context, job Job) (Result, error)
}

// A Job is a program with all that it gets.
type Job struct {
	// Files are the contents of the job's folder, by relative names with slashes. The program
	// runs in this folder, can read and write it, and finds no other that it could write.
	Files map[string][]byte

	// Argv is the program with its arguments. A name without a slash is looked up in the
	// sandbox's own PATH; "./name" is a file of the job.
	Argv []string

	Stdin  []byte
	Fetch  []string // the files to return, by name
	Limits Limits   // zero fields: as [Limits.Filled] has them
	Seed   uint64   // PYTHONHASHSEED
}

// An End is how a job ended. Each is the doing of the program or of its author.
type End string

// All ends.
const (
	Exited       End = "exited"        // by itself, with a code
	Signalled    End = "signalled"     // by a signal, its own or the kernel's
	CPULimit     End = "cpu_limit"     // it used more than its time on the processor
	WallLimit    End = "wall_limit"    // also if the machine is overloaded: compare CPU
	MemoryLimit  End = "memory_limit"  // the resident memory of all its processes
	OutputLimit  End = "output_limit"  // of one of its two outputs
	ProcessLimit End = "process_limit" // more processes or threads than the kernel should have let it have
	DiskLimit    End = "disk_limit"    // the size or number of its files
	Refused      End = "refused"       // it did not start: the job is invalid, Why says in what
)

// Ends returns all ends.
func Ends() []End {
	return []End{Exited, Signalled, CPULimit, WallLimit, MemoryLimit, OutputLimit, ProcessLimit, DiskLimit, Refused}
}

// A Result is what a job did.
type Result struct {
	End    End
	Code   int    // of Exited: the exit status; of Signalled: the signal
	Why    string // of Refused
	Over   bool   // of a cell: its session ended with it
	Stdout []byte // any bytes, cut at the limit
	Stderr []byte // any bytes, cut at the limit

	CPU  time.Duration // of all its processes, as far as they were waited for; [Unknown]: nobody measured it
	Wall time.Duration
	Idle time.Duration // of Wall, in which surely no thread of the job ran or wanted to run; 0: unknown, or none. A job that stopped itself ends at once, with all that it may have
	Peak int64         // bytes of resident memory of the largest process, as far as it was looked at

	Fetched map[string][]byte // of the wanted files, those that are regular and within the limits
}

// Unknown is the CPU of a result whose back end cannot measure it. It is below any limit.
const Unknown time.Duration = -1

// ErrBusy says that a sandbox had no turn for a job in time, or was away. Later it may run it.
var ErrBusy = errors.New("the sandbox has too much to do")

// A Layer is one of the means by which a back end confines a program.
type Layer struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Floor bool   `json:"floor,omitempty"` // without it, nothing runs
	Note  string `json:"note,omitempty"`  // its version, or why it does not hold
}

// A Strength is what holds on a machine.
type Strength struct {
	Backend string
	Layers  []Layer

	// Lacks names the promises of the floor that are not kept: no network, no files but the
	// job's, bounded memory, a sure kill. A sandbox that lacks one runs nothing.
	Lacks []string
}

// Holds reports whether a layer holds.
func (s Strength) Holds(layer string) bool {
	for _, l := range s.Layers {
		if l.Name == layer {
			return l.Holds
		}
	}
	return false
}

// Err reports which promises of the floor are not kept, by an error that wraps [ErrWeak]; nil: all
// are.
func (s Strength) Err() error {
	if len(s.Lacks) == 0 {
		return nil
	}
	return fmt.Errorf("%w: it lacks %s", ErrWeak, strings.Join(s.Lacks, ", "))
}
