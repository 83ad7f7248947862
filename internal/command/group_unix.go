//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Apart puts a command in its own process group, so that a terminal's Ctrl-C does not reach
// it, and a kill by its context reaches the whole group.
func Apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// Terminate sends the group of a command the signal to end.
func Terminate(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) } // an error: it has ended

// A Group is a process group that ends with this process, even if this is killed. Its
// leader is a guard that waits for that, has them terminate, removes a folder, if there is one, and kills what is left.
type Group struct {
	guard *exec.Cmd
	line  *os.File // the guard's standard input, which closes with this process

	folder string // empty: none
}

// NewGroup returns an empty group with a folder, or with none, which only the guard removes. The caller must
// Kill it.
func NewGroup(folder string) (*Group, error) {
	in, line, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	guard := exec.CommandContext(context.Background(), "/bin/sh", "-c", `read _; trap '' TERM; kill -TERM 0; rm -rf -- "$1" || rm -rf -- "$1"; kill -KILL 0`, "guard", folder)
	g := &Group{guard: guard, line: line, folder: folder}
	g.guard.Stdin, g.guard.SysProcAttr = in, &syscall.SysProcAttr{Setpgid: true}
	if err := g.guard.Start(); err != nil {
		_ = line.Close()
		return nil, fmt.Errorf("the guard of a process group: %w", err)
	}
	return g, nil
}

// Add has a command, which has not started, start in the group.
func (g *Group) Add(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.guard.Process.Pid}
}

// End ends all processes of the group. Kill must follow.
func (g *Group) End() { _ = syscall.Kill(-g.guard.Process.Pid, syscall.SIGKILL) }

// Kill ends all processes of the group. The guard, which is reaped last, keeps the number of
// the group from being used anew. On Linux, Kill also ends processes that left the group, if
// a variable of their environment names a file in the folder.
func (g *Group) Kill() {
	g.End()
	_ = g.guard.Wait() // it was killed
	_ = g.line.Close()
	if g.folder != "" {
		killStrays(g.folder)
	}
}
