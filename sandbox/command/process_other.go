//go:build !unix

package command

import "os/exec"

// become does nothing: there is no such user.
func become(*exec.Cmd, int) {}

// closeInherited does nothing.
func closeInherited() {}

// killOne does nothing: no process is listed.
func killOne(int) {}
