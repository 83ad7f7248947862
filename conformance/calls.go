//go:build ignore

// Reads replies of models: for each line of the standard input, an object with format,
// text, tools and thinking, it writes a line with what package calls reads in it.
// conformance/calls.py compares that with its peers.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/quintain-rl/quintain/gateway/calls"
)

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(from io.Reader, to io.Writer) error {
	in, out := json.NewDecoder(from), bufio.NewWriter(to)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for {
		var line struct {
			Format, Template, Text string
			Tools                  json.RawMessage
			Thinking               bool
		}
		if err := in.Decode(&line); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		format := calls.Detect(line.Template)
		if line.Format != "" {
			named, err := calls.Named(line.Format)
			if err != nil {
				return err
			}
			format = named
		}
		reply := format.Parse(line.Text, calls.Context{Tools: line.Tools, Thinking: line.Thinking})
		written := []map[string]string{}
		for _, c := range reply.Calls {
			written = append(written, map[string]string{"id": c.ID, "name": c.Name, "arguments": c.Arguments})
		}
		err := lines.Encode(map[string]any{
			"format": format.String(), "reasoning": reply.Reasoning, "content": reply.Content, "calls": written, "malformed": reply.Malformed, "why": reply.Why,
		})
		if err != nil {
			return err
		}
	}
}
