package command

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// Apart puts a command in its own process group, so that a terminal's Ctrl-C does not reach
// it.
func Apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Terminate does nothing: there is no such signal.
func Terminate(*exec.Cmd) {}

// A Group is commands that end together with those that they started. A killed process
// leaves them.
type Group struct{ all []*exec.Cmd }

// NewGroup returns an empty group. The caller must Kill it.
func NewGroup(string) (*Group, error) { return &Group{}, nil }

// Add has a command, which has not started, start in the group.
func (g *Group) Add(c *exec.Cmd) {
	Apart(c)
	g.all = append(g.all, c)
}

// Kill is End.
func (g *Group) Kill() { g.End() }

// End ends all processes of the group.
func (g *Group) End() {
	for _, c := range g.all {
		if c.Process == nil {
			continue
		}
		_ = exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(c.Process.Pid)).Run() // it fails for one that has ended
		_ = c.Process.Kill()
	}
}
