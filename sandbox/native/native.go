// Package native runs untrusted programs as processes of this machine, by means of the Linux
// kernel alone: no daemon, no set-uid helper, no privilege. Each child confines itself between
// fork and exec: see fork_linux.go. On other systems it refuses every job. [Unconfined] runs programs that
// one trusts, as plain processes of this user.
package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// Name is the name of the back end.
const Name = "native"

// searchPath is the PATH of every program.
const searchPath = "/usr/local/bin:/usr/bin:/bin"

// nobody is the user and group of programs when we are root.
const nobody = 65534

// Config says where jobs run. The zero value is fine.
type Config struct {
	Dir  string   // holds the jobs' folders; empty: the system's folder for temporary files
	Read []string // more folders and files that programs may read, such as an interpreter's

	// Zygote is an interpreter of Python with flags, such as python3 -I -S. Jobs whose Argv begins so
	// are forked from one that has started already, if it then has -c and a program, or a file of
	// the job whose name ends in .py. Empty: each starts its own.
	Zygote []string

	// Groups is a folder of control groups, version 2, that is delegated to this process; see package
	// cgroup. Each job and each session then has a group, by which the kernel counts its memory and
	// its threads and ends it whole. Empty: none; the watcher does it.
	Groups string

	// Own has programs stay our user, also if that is root, whose privileges they then lose. It is for programs that read
	// what only our user may, such as an interpreter in its home. It goes without a Zygote.
	Own bool

	Grace time.Duration // that an interrupted cell has to end; 0: 2 seconds

	abi int // of landlock, at most, for tests; 0: as the kernel has it
}

// A Box is the sandbox of this machine.
type Box struct {
	config Config
	lock   *os.File // of the folder of jobs, as long as this process lives
	dir    string
	owner  int // of the jobs' files; -1: ourselves

	abi      int // of landlock
	strength sandbox.Strength
	zygotes  zygotes
	groups   *cgroups    // nil: none
	sees     atomic.Bool // the processes of jobs let us look at their open files
}

var (
	_ sandbox.Sandbox = (*Box)(nil)
	_ sandbox.Opener  = (*Box)(nil)
)

// New tries what holds on this machine, and removes what killed processes left in the folder.
// The caller must Close the box. An error is a fault of the machine; a weak machine is none:
// see [Box.Probe].
func New(config Config) (*Box, error) {
	if err := checkZygote(config.Zygote); err != nil {
		return nil, err
	}
	if config.Own && len(config.Zygote) > 0 {
		return nil, errors.New("the sandbox: programs of our own user have no zygote")
	}
	b := &Box{config: config, owner: -1}
	if b.config.Dir == "" {
		b.config.Dir = os.TempDir()
	}
	if b.config.Grace == 0 {
		b.config.Grace = 2 * time.Second
	}
	if os.Geteuid() == 0 && !config.Own {
		b.owner = nobody
	}
	sweep(b.config.Dir)
	var err error
	if b.dir, b.lock, err = claim(b.config.Dir); err != nil {
		return nil, fmt.Errorf("the folder of sandboxed jobs: %w", err)
	}
	if b.strength, err = b.probe(); err != nil {
		return nil, errors.Join(fmt.Errorf("the sandbox: %w", err), b.Close())
	}
	if err := b.startZygotes(); err != nil {
		return nil, errors.Join(fmt.Errorf("the zygote of the sandbox: %w", err), b.Close())
	}
	return b, nil
}

// Close removes the folder of the jobs. No job may be running.
func (b *Box) Close() error {
	b.zygotes.close()
	return errors.Join(os.RemoveAll(b.dir), b.lock.Close())
}

// lookUp finds the program of a job. A file of the job stays as it is.
func lookUp(name string) (string, error) {
	if strings.Contains(name, "/") {
		if _, err := os.Stat(name); filepath.IsAbs(name) && err != nil {
			return "", fmt.Errorf("%s: %w", name, sandbox.ErrNoProgram)
		}
		return name, nil
	}
	for _, dir := range filepath.SplitList(searchPath) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: %w: it is not in %s", name, sandbox.ErrNoProgram, searchPath)
}

// prefix begins the names of folders of jobs.
const prefix = "quintain-sandbox-"

// claim makes a folder for jobs in parent, and locks it.
func claim(parent string) (dir string, lock *os.File, err error) {
	dir, err = os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := os.Chmod(dir, 0o711); err != nil { // for another user's programs to pass
		return "", nil, err
	}
	early := filepath.Join(dir, "locking")
	if lock, err = os.OpenFile(early, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return "", nil, err
	}
	if err := hold(lock); err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return dir, lock, os.Rename(early, filepath.Join(dir, "lock"))
}

// sweep removes the folders of processes that were killed: those whose lock nobody holds. What
// it cannot remove is another user's.
func sweep(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, prefix+"*", "lock"))
	for _, name := range found {
		lock, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if hold(lock) == nil {
			_ = filepath.WalkDir(filepath.Dir(name), func(p string, d fs.DirEntry, _ error) error {
				if d != nil && d.IsDir() {
					_ = os.Chmod(p, 0o700)
				}
				return nil
			})
			_ = os.RemoveAll(filepath.Dir(name))
		}
		_ = lock.Close()
	}
}
