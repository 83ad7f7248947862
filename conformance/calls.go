//go:build ignore

// Reads replies of models: for each line of the standard input, an object with format or
// template, text, tools and thinking, it writes a line with what package calls reads in
// it. conformance/calls.py compares that with its peers.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/toolcall"
)

type line struct {
	Format   string // empty: it is told from Template
	Template string
	Text     string
	Tools    json.RawMessage
	Thinking bool
}

type answer struct {
	Format    string `json:"format"`
	Reasoning string `json:"reasoning"`
	Content   string `json:"content"`
	Calls     []call `json:"calls"`
	Malformed bool   `json:"malformed"`
	Why       string `json:"why"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func main() {
	if err := run(bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(from *bufio.Reader, to *bufio.Writer) error {
	for {
		text, err := from.ReadBytes('\n')
		if err == io.EOF {
			return to.Flush()
		}
		if err != nil {
			return err
		}
		var in line
		if err := strictjson.Unmarshal(text, &in); err != nil {
			return err
		}
		out, err := read(in)
		if err != nil {
			return err
		}
		if err := strictjson.WriteLegible(to, out); err != nil {
			return err
		}
	}
}

func read(in line) (answer, error) {
	format := toolcall.Detect(in.Template)
	if in.Format != "" {
		var err error
		if format, err = toolcall.Named(in.Format); err != nil {
			return answer{}, err
		}
	}
	reply := format.Parse(in.Text, toolcall.Context{Tools: in.Tools, Thinking: in.Thinking})
	out := answer{format.String(), reply.Reasoning, reply.Content, []call{}, reply.Malformed, reply.Why}
	for _, c := range reply.Calls {
		out.Calls = append(out.Calls, call{c.ID, c.Name, c.Arguments})
	}
	return out, nil
}
