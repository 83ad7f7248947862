package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// Ctrl-C ends a pipe, also one that waits for input.
func TestPipesEndWithASignal(t *testing.T) {
	for _, args := range [][]string{
		{"tasks", "export", "--task", "chain_sum", "--count", "2000000000"},
		{"tasks", "export", "--task", "chain_sum", "--level", "5", "--count", "2000000000", "--distinct"},
		{"grade"},
		{"serve", "pipe"},
	} {
		silent, end := io.Pipe()
		p := startWith(silent, args...)
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "interrupted") {
			t.Errorf("%v: status %d and %q", args, status, p.stderr.String())
		}
		end.Close()
	}
}

// A closed pipe ends the export.
func TestPipesEndWithTheirReader(t *testing.T) {
	for _, args := range [][]string{
		{"tasks", "export", "--task", "chain_sum", "--count", "2000000000"},
		{"tasks", "export", "--task", "chain_sum", "--level", "5", "--count", "2000000000", "--distinct"},
	} {
		r, out := io.Pipe()
		r.Close()
		p := &process{ended: make(chan int, 1)}
		w := &world{args: args, stdin: strings.NewReader(""), stdout: out, stderr: &p.stderr, environ: func() []string { return nil }}
		go func() { p.ended <- execute(w) }()
		if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "closed pipe") {
			t.Errorf("%v: status %d and %q", args, status, p.stderr.String())
		}
	}
}
