package sandbox

import (
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// ErrWeak says that the machine does not keep all promises of the floor, and what to do.
var ErrWeak = errors.New("the sandbox is too weak here (let a Linux machine or container run the programs, by --sandbox http://HOST:PORT: docs/sandbox.md)")

// ErrNoProgram says that the machine lacks the program of a job.
var ErrNoProgram = errors.New("there is no such program in the sandbox")

// Limits bound a job. Zero means the default; there is no way to have no limit.
type Limits struct {
	CPU  time.Duration // of all processes together; default 5 s
	Wall time.Duration // default three times CPU and a second

	// Idle bounds the time of CPU and that in which the job slept or was stopped, together; zero: Wall alone
	// does. It is the time that a program takes wherever it runs.
	Idle time.Duration `json:",omitzero"`

	Memory   int64 // bytes of resident memory of all processes; default 512 MiB
	Output   int64 // bytes of each of the two outputs; default 1 MiB
	FileSize int64 // bytes of the largest file; default 16 MiB
	Disk     int64 // bytes of all files of the job's folder; default 64 MiB
	Files    int   // files and folders in the job's folder; default 1,000

	Processes int // at the same time; default 1: it cannot fork
	Threads   int // of all processes; default 64, or Processes if they are more
	Open      int // open files of a process; default 64
}

// Filled returns the limits with the defaults in place of zeros.
func (l Limits) Filled() Limits {
	fill(&l.CPU, 5*time.Second)
	fill(&l.Wall, 3*l.CPU+time.Second)
	fill(&l.Memory, 512<<20)
	fill(&l.Output, 1<<20)
	fill(&l.FileSize, 16<<20)
	fill(&l.Disk, 64<<20)
	fill(&l.Files, 1000)
	fill(&l.Processes, 1)
	fill(&l.Threads, max(64, l.Processes))
	fill(&l.Open, 64)
	return l
}

// fill replaces zero by a default.
func fill[N ~int | ~int64](n *N, def N) {
	if *n == 0 {
		*n = def
	}
}

// Check reports the first invalid limit by name.
func (l Limits) Check() error {
	for _, one := range []struct {
		name    string
		n, most int64
	}{
		{"cpu", int64(l.CPU), int64(366 * 24 * time.Hour)},
		{"wall", int64(l.Wall), int64(366 * 24 * time.Hour)},
		{"idle", int64(l.Idle), int64(7 * 24 * time.Hour)},
		{"memory", l.Memory, 1 << 50},
		{"output", l.Output, 1 << 32},
		{"file size", l.FileSize, 1 << 50},
		{"disk", l.Disk, 1 << 50},
		{"files", int64(l.Files), 1 << 24},
		{"processes", int64(l.Processes), 1 << 16},
		{"threads", int64(l.Threads), 1 << 20},
		{"open files", int64(l.Open), 1 << 20},
	} {
		if one.n < 0 || one.n > one.most {
			return fmt.Errorf("the limit of %s is %d, want 0 to %d", one.name, one.n, one.most)
		}
	}
	return nil
}

// The most that a job may bring along, beside what its limits say.
const (
	maxArgv = 100 << 10 // bytes
	maxName = 1 << 10   // bytes of a name
)

// Check reports why no sandbox runs the job, such as a name with "..". Its limits are checked
// apart: they are the caller's, and the rest may come from a model.
func (j Job) Check() error {
	if len(j.Argv) == 0 || j.Argv[0] == "" {
		return errors.New("the job has no program")
	}
	n := 0
	for _, arg := range j.Argv {
		if strings.ContainsRune(arg, 0) {
			return errors.New("an argument has a NUL byte")
		}
		n += len(arg) + 1
	}
	if n > maxArgv {
		return fmt.Errorf("the arguments have %d bytes, at most %d are allowed", n, maxArgv)
	}
	return j.checkFiles(j.Limits.Filled())
}

// checkFiles checks the names of files, and their sizes by the limits.
func (j Job) checkFiles(limits Limits) error {
	var bytes int64
	for name, content := range j.Files {
		if err := checkName(name); err != nil {
			return err
		}
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if _, both := j.Files[folder]; both {
				return fmt.Errorf("%q is a file and a folder", folder)
			}
		}
		bytes += int64(len(content))
	}
	for _, name := range j.Fetch {
		if err := checkName(name); err != nil {
			return err
		}
	}
	if len(j.Files) > limits.Files {
		return fmt.Errorf("the job has %d files, at most %d are allowed", len(j.Files), limits.Files)
	}
	if bytes > limits.Disk {
		return fmt.Errorf("the files of the job have %d bytes, at most %d are allowed", bytes, limits.Disk)
	}
	return nil
}

// checkName refuses names that lead out of a folder, or that have a second spelling.
func checkName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name of a file has %d bytes, at most %d are allowed", len(name), maxName)
	case name == "." || name != path.Clean(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("the file name %q is not a plain relative one", name)
	}
	return nil
}

// HashSeed is the value of PYTHONHASHSEED for the job.
func (j Job) HashSeed() uint32 { return uint32(j.Seed % math.MaxUint32) }

// Environ is the environment of the job whose folder is home, with more before it, such as PATH.
func (j Job) Environ(home string, more ...string) []string {
	return append(more, "HOME="+home, "TMPDIR="+home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC",
		fmt.Sprintf("PYTHONHASHSEED=%d", j.HashSeed()), "PYTHONDONTWRITEBYTECODE=1")
}

// Seconds is a limit of time in whole seconds, rounded up.
func Seconds(limit time.Duration) int64 { return int64((limit + time.Second - 1) / time.Second) }
