//go:build unix

package command

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
)

// holdMode is the argument that makes the test binary a process with a group that it never
// kills.
const holdMode = "hold"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == holdMode {
		hold(os.Args[2])
	}
	os.Exit(m.Run())
}

// hold starts a program with a child in a group with a folder, and waits for ever.
func hold(folder string) {
	g, err := NewGroup(folder)
	if err != nil {
		panic(err)
	}
	c := family(g)
	c.Dir, c.Stdout = folder, os.Stdout
	c.Args[2] = "while [ $((i+=1)) -lt 1000 ]; do : > $i; done; (while : > 0; do :; done) & " + c.Args[2] // else the guard's rm has nobody to race with
	if err := c.Start(); err != nil {
		panic(err)
	}
	_ = c.Wait()
}

// family is a program of a group that starts a child and says so. Both run on.
func family(g *Group) *exec.Cmd {
	c := exec.Command("sh", "-c", "sleep 1000 & echo started; wait")
	g.Add(c)
	return c
}

// untilStarted returns a pipe, both ends of it; the reading end has an end once all processes
// have ended that hold the other.
func untilStarted(t *testing.T, start func(out *os.File)) *bufio.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	start(w)
	w.Close()
	lines := bufio.NewReader(r)
	if line, err := lines.ReadString('\n'); line != "started\n" || err != nil {
		t.Fatalf("%q, error %v", line, err)
	}
	return lines
}

func TestAGroupEndsWithAllItsProcesses(t *testing.T) {
	folder := t.TempDir()
	g, err := NewGroup(folder)
	if err != nil {
		t.Fatal(err)
	}
	c := family(g)
	out := untilStarted(t, func(out *os.File) {
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	})
	g.Kill()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the program ended by itself")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Error(err)
	}
}

// A killed process cannot kill its groups: their guards do.
func TestAGroupEndsWithTheProcessThatMadeIt(t *testing.T) {
	folder := t.TempDir()
	c := exec.Command(os.Args[0], holdMode, folder)
	out := untilStarted(t, func(out *os.File) {
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	})
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	for t.Context().Err() == nil { // the guard outlives the others
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
}
