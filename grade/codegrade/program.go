package codegrade

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/sandbox"
)

// ErrLanguage says that a language is unknown.
var ErrLanguage = errors.New("unknown language")

// ErrProgram says that a program cannot run, such as one with a file whose name has "..".
var ErrProgram = errors.New("the program cannot run")

// A Program runs once, without tests.
type Program struct {
	Language string
	Code     string
	Files    map[string][]byte // beside it; modules of Python among them can be imported
	Stdin    []byte
	Fetch    []string // the files to return, by name
	Compile  sandbox.Limits
	Run      sandbox.Limits
}

// Run compiles a program if it must be, and runs it. Compiled is nil for a language without a
// compiler, and ran is nil if the program does not compile. An error is a fault of the machine or
// of the caller, such as [ErrLanguage] and [ErrProgram]; [ErrMachine] if the program reached its wall limit while
// others left it little of the processor.
func (g *Grader) Run(ctx context.Context, p Program) (compiled, ran *sandbox.Result, err error) {
	l, known := languageOf(p.Language)
	if !known {
		return nil, nil, fmt.Errorf("%w %q, want one of %s", ErrLanguage, p.Language, languageNames())
	}
	g.open()
	files := p.with(l.file, []byte(p.Code))
	if l.compile != nil {
		job := l.compiler(files, p.Compile)
		if err := job.Check(); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrProgram, err)
		}
		got, err := g.runOnce(ctx, job)
		if err != nil {
			return nil, nil, fmt.Errorf("the compiler: %w", err)
		}
		binary, made := got.Fetched[program]
		if got.Fetched = nil; !made || got.Code != 0 || got.End != sandbox.Exited {
			return &got, nil, nil
		}
		files, compiled = p.with(program, binary), &got
	}
	job := sandbox.Job{Argv: l.argv, Files: files, Stdin: p.Stdin, Fetch: p.Fetch, Limits: p.Run}
	if job.Limits.Processes == 0 {
		job.Limits.Processes = l.processes
	}
	if l.isPython() && len(p.Files) > 0 {
		job.Argv = []string{"python3", "-s", "-E", l.file}
	}
	if err := job.Check(); err != nil {
		return compiled, nil, fmt.Errorf("%w: %w", ErrProgram, err)
	}
	got, err := g.runOnce(ctx, job)
	switch {
	case err != nil:
		return compiled, nil, err
	case got.End == sandbox.WallLimit && 2*got.CPU < job.Limits.Filled().CPU && !idled(got) && len(g.slots) == cap(g.slots):
		return compiled, nil, ErrMachine
	}
	return compiled, &got, nil
}

// with returns the files beside the program, and one more.
func (p *Program) with(name string, data []byte) map[string][]byte {
	files := map[string][]byte{name: data}
	for other, content := range p.Files {
		if other != name {
			files[other] = content
		}
	}
	return files
}
