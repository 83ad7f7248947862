package main

import (
	"bufio"
	"os"
	"testing"
)

// A verb that keeps nothing is ended by a signal, also while it waits for input.
func TestSignalEndsGrade(t *testing.T) {
	c := program(t, "grade")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("it says %q, error %v", line, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != -1 {
		t.Errorf("it ended with %v", err)
	}
}
