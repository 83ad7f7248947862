//go:build !nowasm

package wasm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
)

// brokenOut is a variable of the environment that makes the test's program a child which an attacker
// has taken over.
const brokenOut = "TEST_WASM_BROKEN_OUT"

// breakOut tries what a program could do that broke out of wazero, and returns an exit status.
func breakOut() int {
	layers, err := new(child).lockIn()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, l := range layers {
		if l.Name == LayerSeccomp && !l.Holds {
			fmt.Println("nothing holds:", l.Note)
			return 0
		}
	}
	parent, _ := os.FindProcess(os.Getppid())
	for what, attack := range map[string]func() error{
		"read":   func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"write":  func() error { return os.WriteFile("evil", nil, 0o600) },
		"list":   func() error { _, err := os.ReadDir("/"); return err },
		"remove": func() error { return os.Remove("/tmp/none") },
		"connect": func() error {
			_, err := new(net.Dialer).DialContext(context.Background(), "tcp", "127.0.0.1:1")
			return err
		},
		"start": func() error { return exec.Command("/bin/true").Run() },
		"kill": func() error {
			if parent.Kill() == nil {
				return nil
			}
			return os.ErrPermission // Go's own errors say more or less
		},
	} {
		if err := attack(); err == nil {
			fmt.Printf("%s: nobody refuses it\n", what)
			return 1
		} else if !errors.Is(err, os.ErrPermission) {
			fmt.Printf("%s: %v, want that it is not permitted\n", what, err)
			return 1
		}
	}
	return 0
}

func TestAProgramThatBreaksOutOpensNothing(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), brokenOut+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
