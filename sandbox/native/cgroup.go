package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// prefix begins the names of groups; the number of the process that made one follows.
const groupPrefix = "quintain-"

// patience is how long Remove waits for killed processes to end.
const patience = 2 * time.Second

// A cgroups makes groups. Many goroutines may use it.
type cgroups struct {
	dir  string
	made atomic.Int64
}

// openCgroups takes a folder of control groups over. It must be writable, as must be the group that this
// process is in, below it or beside it, and it must have the controllers memory and pids. Open
// removes the groups of processes that are gone, with what still runs in them.
func openCgroups(dir string) (*cgroups, error) {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return nil, fmt.Errorf("no folder of control groups, version 2: %w", err)
	}
	has := strings.Fields(string(text))
	for _, want := range []string{"memory", "pids"} {
		if !slices.Contains(has, want) {
			return nil, fmt.Errorf("%s: it lacks the controller %s; it has %s", dir, want, strings.Join(has, ", "))
		}
	}
	if err := write(dir, "cgroup.subtree_control", "+memory +pids"); err != nil {
		return nil, fmt.Errorf("controllers for the groups below (no process may be in %s itself): %w", dir, err)
	}
	p := &cgroups{dir: dir}
	p.sweep()
	g, err := p.New(1<<20, 1)
	if err != nil {
		return nil, err
	}
	return p, g.Remove()
}

// sweep removes the groups of processes that are gone.
func (p *cgroups) sweep() {
	found, _ := filepath.Glob(filepath.Join(p.dir, groupPrefix+"*"))
	for _, dir := range found {
		maker, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), groupPrefix), "-")
		if _, err := os.Stat("/proc/" + maker); errors.Is(err, os.ErrNotExist) {
			_ = (&cgroup{dir: dir}).Remove() // else another process does
		}
	}
}

// A cgroup is a control group, version 2 (Documentation/admin-guide/cgroup-v2.rst of the kernel). A nil cgroup is none, and holds nothing.
type cgroup struct {
	dir   string
	procs *os.File // cgroup.procs
}

// New makes a group whose processes have so much memory, in bytes, and so many threads together. They
// cannot swap, and all of them are killed if they need more. The caller must Remove it.
func (p *cgroups) New(memory int64, threads int) (g *cgroup, err error) {
	g = &cgroup{dir: filepath.Join(p.dir, fmt.Sprintf("%s%d-%d", groupPrefix, os.Getpid(), p.made.Add(1)))}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("a control group: %w", err)
	}
	err = errors.Join(
		write(g.dir, "memory.max", strconv.FormatInt(memory, 10)), write(g.dir, "memory.oom.group", "1"), write(g.dir, "pids.max", strconv.Itoa(threads)),
	)
	if _, unswapped := os.Stat(filepath.Join(g.dir, "memory.swap.max")); unswapped == nil { // else the kernel does not swap
		err = errors.Join(err, write(g.dir, "memory.swap.max", "0"))
	}
	if err == nil {
		g.procs, err = os.OpenFile(filepath.Join(g.dir, "cgroup.procs"), os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a control group: %w", err), g.Remove())
	}
	return g, nil
}

// write writes a file of a group, which the kernel has made.
func write(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Door is a descriptor: a process that writes "0" to it enters the group. It is open until Remove.
func (g *cgroup) Door() uintptr { return g.procs.Fd() }

// Add has a process enter the group.
func (g *cgroup) Add(pid int) error {
	if g == nil {
		return nil
	}
	if _, err := g.procs.WriteString(strconv.Itoa(pid)); err != nil {
		return fmt.Errorf("entering a control group: %w", err)
	}
	return nil
}

// Starved reports whether processes of the group were killed because it needed too much memory.
func (g *cgroup) Starved() bool {
	if g == nil {
		return false
	}
	text, _ := os.ReadFile(filepath.Join(g.dir, "memory.events"))
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			return strings.TrimSpace(n) != "0"
		}
	}
	return false
}

// Remove kills what is in the group, and removes it.
func (g *cgroup) Remove() error {
	if g == nil {
		return nil
	}
	if g.procs != nil {
		_ = g.procs.Close()
	}
	_ = write(g.dir, "cgroup.kill", "1") // if it fails, so does the removal
	began := time.Now()
	for wait := 100 * time.Microsecond; ; wait *= 2 {
		err := os.Remove(g.dir)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("a control group: %w", err)
		}
		<-time.After(wait)
	}
}
