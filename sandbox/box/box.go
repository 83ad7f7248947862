// Package box runs a trial: commands in a root file system made of read-only folders, in namespaces of their own, with no
// daemon, no set-uid helper and no second program. What a trial writes goes to a folder of its own. A trial has phases: each
// begins with fresh namespaces over the same folder, so that of one phase only files reach the next. It needs Linux on amd64
// or arm64; elsewhere [New] returns an error.
package box

import (
	"errors"
	"os"
	"strconv"
	"time"
)

// Errors of sessions and of reading files.
var (
	ErrAbsent     = errors.New("no such file")
	ErrNotRegular = errors.New("not a regular file with one name")
	ErrTooLarge   = errors.New("the file is too large")
	ErrOver       = errors.New("the phase is over")
	ErrTooLong    = errors.New("the command and its variables are too long")
)

// prefix begins the names of folders in a scratch folder; the number of the process that made one follows.
const prefix = "quintain-trial-"

// Folder makes a folder in a scratch folder, which the caller removes. If the process dies first, the next [New] there does.
func Folder(scratch string) (string, error) {
	return os.MkdirTemp(scratch, prefix+strconv.Itoa(os.Getpid())+"-")
}

// A Lower is a folder of the machine below a trial, which only reads it. At is where it stands: "" is the root; "/usr" is an
// overlay of its own there, for an image made of the machine's own folders.
type Lower struct{ Dir, At string }

// Limits bound all that runs in a trial together; 0 is the default.
type Limits struct {
	Memory      int64   // bytes; 2 GiB. Beyond it the largest process is killed; the second time, the phase ends
	Storage     int64   // bytes that the trial may have written; 4 GiB. Beyond it all processes are killed
	File        int64   // bytes of one file; 4 GiB
	Processes   int     // and threads; 512
	Descriptors int     // open in one process; 1,024
	CPUs        float64 // processors, rounded up: how many of them a process sees; 0: all
}

// filled returns limits with the defaults.
func (l Limits) filled() Limits {
	set := func(v *int64, to int64) {
		if *v <= 0 {
			*v = to
		}
	}
	set(&l.Memory, 2<<30)
	set(&l.Storage, 4<<30)
	set(&l.File, 4<<30)
	if l.Processes <= 0 {
		l.Processes = 512
	}
	if l.Descriptors <= 0 {
		l.Descriptors = 1024
	}
	return l
}

// Options say what a trial is made of.
type Options struct {
	Lowers  []Lower // topmost first
	Scratch string  // the folder in which the trial makes its own; on ext4, xfs, btrfs or tmpfs
	Host    string  // name of the machine inside; empty: trial
	Limits  Limits
}

// A Mount is a folder that a phase sees. It is no part of the trial's changes.
type Mount struct {
	Host     string // folder of the machine; empty: a file system in memory
	At       string // where it stands inside
	Writable bool   // of a folder: it then belongs to the trial's user
	Size     int64  // bytes, of a file system in memory; 0: 64 MiB
}

// A Phase is how processes find a trial for a while.
type Phase struct {
	Mounts   []Mount
	Env      []string // all variables, in the form NAME=value
	Dir      string   // working folder; made if absent; empty: /
	Pristine []string // folders of the image, mounted read-only over the trial's, such as /usr; with "/" new names in the root are hidden
	Trace    bool     // processes may trace others
	Listen   []int    // ports on the loopback inside on which the session listens: see [Session.Listener]
}

// A Command is one call.
type Command struct {
	Args   []string
	Env    []string      // more variables than the phase's, which they replace
	Dir    string        // empty, or gone: the phase's
	Time   time.Duration // wall time, 0: none; then SIGINT to its session, 2 s later SIGKILL
	CPU    time.Duration // processor time of all that runs in the phase meanwhile, 0: none; then as above
	Output int64         // bytes kept of stdout and stderr together, head and tail; 0: 64 KiB
	State  bool          // of a bash -c: tell folder and exported variables at its end
}

// A Result is how a command ended. That it could not be executed is status 126 or 127, with the reason as its output.
type Result struct {
	Output       []byte // what was written by its end; invalid bytes as they are
	Cut          int64  // bytes left out, and where: after Head bytes of Output
	Head         int
	Exit, Signal int // Signal 0: it exited
	Wall, CPU    time.Duration
	TimedOut     bool     // by Time
	OverCPU      bool     // by CPU
	MemoryKilled bool     // a process of the trial was killed for memory meanwhile
	StorageFull  bool     // the trial's processes were killed for storage
	Dir          string   // with State: the last folder; empty: unknown
	Env          []string // with State: the exported variables; nil: unknown
	Unreachable  bool     // something tried to connect, or to look a name up, where there is no network
}

// A Change is something that a trial wrote.
type Change struct {
	Path   string
	Kind   string // file, folder, link, removed, fifo, socket, device
	Bytes  int64
	Opaque bool // a folder that hides what the image has there
	System bool // below a system folder, or a file that programs read when they start
}

// Changes are what a trial wrote, mount points apart.
type Changes struct {
	Some  []Change // the first thousands, in order of their paths
	Count int      // all
	Bytes int64    // of all files
}

// System lists those that may change how programs run.
func (c Changes) System() (some []Change) {
	for _, one := range c.Some {
		if one.System {
			some = append(some, one)
		}
	}
	return some
}
