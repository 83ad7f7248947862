package command

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// What bounds a program that is asked, in bytes.
const (
	mostOutput = 1 << 20 // of each output
	mostSaid   = 1000    // of its standard error in an error
)

// Ask runs a program once, by its command line, with in on its standard input. It returns its
// standard output. The error of one that fails ends with the end of its standard error. It ends
// with ctx, and a second later nobody waits for its children.
func Ask(ctx context.Context, line string, in []byte) ([]byte, error) {
	words, err := Fields(line)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	Apart(c)
	var out, faults Limited
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), &out, &faults, time.Second
	switch err := c.Run(); {
	case out.over:
		return nil, fmt.Errorf("its output has more than %d bytes", mostOutput)
	case err != nil:
		said := faults.String()
		if said = strings.ToValidUTF8(said[max(0, len(said)-mostSaid):], "?"); said == "" {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return out.kept.Bytes(), nil
}

// A Limited buffer, for an output of a program, refuses more than 1 MiB. It hides the buffer's ReadFrom, by which a
// copy would go round Write.
type Limited struct {
	kept bytes.Buffer
	over bool // it has refused some
}

// Write implements [io.Writer].
func (l *Limited) Write(b []byte) (int, error) {
	if l.kept.Len()+len(b) > mostOutput {
		l.over = true
		return 0, fmt.Errorf("it prints more than %d bytes", mostOutput)
	}
	return l.kept.Write(b)
}

// String returns what it has kept.
func (l *Limited) String() string { return l.kept.String() }
