package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
)

// Lines answers the messages of one client on a pair of streams, a message a line: the
// protocol's transport over standard input and output. It returns when in ends, or with the
// first error of the streams. A line longer than 4 MiB is one.
func (s *Server) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxBody)
	for n := 1; lines.Scan(); n++ {
		message := bytes.TrimSpace(lines.Bytes())
		if len(message) == 0 {
			continue
		}
		answer := s.Answer(ctx, message)
		if answer == nil {
			continue
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("mcp: writing the answer to line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("mcp: reading a message: %w", err)
	}
	return nil
}
