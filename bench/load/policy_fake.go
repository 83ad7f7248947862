package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A Fake is a fake inference server.
type Fake struct {
	Program    string        // path of quintain
	Rate       float64       // tokens a second of each reply
	FirstToken time.Duration // to the first token of a reply
}

// Ideal is the time that the server takes for a reply of n tokens, for [StreamLoad].
func (f Fake) Ideal(n int) time.Duration {
	return f.FirstToken + time.Duration(float64(n-1)/f.Rate*float64(time.Second))
}

// Start starts quintain policy fake in a process of its own. It returns the address of the
// server, and a function that stops it and copies its messages to said.
func (f Fake) Start(ctx context.Context, said io.Writer) (url string, stop func(), err error) {
	child := exec.CommandContext(ctx, f.Program, "policy", "fake", "--port", "0", "--length", "fixed:1000000", "--context", "2000000",
		"--rate", fmt.Sprint(f.Rate), "--first-token", f.FirstToken.String())
	child.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=2GiB") // its garbage collector must not disturb the measurement
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	says, err := child.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := child.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(says).ReadString('\n')
	_, after, found := strings.Cut(line, "listening on ")
	url, _, _ = strings.Cut(after, ",")
	stop = func() {
		_ = child.Process.Signal(os.Interrupt)
		_, _ = io.Copy(said, says)
		_ = child.Wait() // its status does not matter for the measurement
	}
	if err != nil || !found {
		stop()
		return "", nil, errors.Join(fmt.Errorf("quintain policy fake says %q", line), err)
	}
	return url, stop, nil
}
