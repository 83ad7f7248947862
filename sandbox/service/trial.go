package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
	trials "github.com/quintain-rl/quintain/sandbox/box"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// A Trial is a program, given by a person, which the sandbox runs for the person to see.
type Trial struct {
	Argv    []string
	Files   []string // files of the machine, to be copied into the job's folder
	Memory  int      // MiB
	Limits  sandbox.Limits
	Sandbox backend.Settings

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// NewTrial returns a trial with the default limits.
func NewTrial() Trial {
	limits := sandbox.Limits{}.Filled()
	limits.Wall = 0 // by the time on the processor
	return Trial{Limits: limits, Memory: int(limits.Memory >> 20)}
}

// Flags returns flags that set the trial.
func (t *Trial) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	f.Func("file", "`file` to copy into the program's folder; may be given several times", func(name string) error {
		t.Files = append(t.Files, name)
		return nil
	})
	t.Sandbox.AddTo(f)
	f.DurationVar(&t.Limits.CPU, "cpu", t.Limits.CPU, "time limit on the processor")
	f.IntVar(&t.Memory, "memory", t.Memory, "limit of memory in MiB")
	f.IntVar(&t.Limits.Processes, "processes", t.Limits.Processes, "processes at the same time")
	return f
}

// SandboxFlags returns the flags of the sandbox alone.
func (t *Trial) SandboxFlags() *flag.FlagSet {
	f := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	t.Sandbox.AddTo(f)
	return f
}

// maxStdin bounds the standard input of a trial.
const maxStdin = 64 << 20

// Run runs the program, and prints its outputs. An error says what is wrong with the machine, or
// how the program ended, unless by exit status 0.
func (t Trial) Run(ctx context.Context) (err error) {
	job := sandbox.Job{Argv: t.Argv, Files: map[string][]byte{}, Limits: t.Limits}
	job.Limits.Memory = int64(t.Memory) << 20
	for _, name := range t.Files {
		if job.Files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	if job.Stdin, err = io.ReadAll(io.LimitReader(t.Stdin, maxStdin)); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	box, err := backend.New(t.Sandbox)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	if _, err := box.Probe(ctx); err != nil {
		return err // at once, where Run waits for servers that are away
	}
	got, err := box.Run(ctx, job)
	if err != nil {
		return err
	}
	_, outErr := t.Stdout.Write(got.Stdout)
	_, errErr := t.Stderr.Write(got.Stderr)
	return errors.Join(outErr, errErr, ended(got))
}

// ended tells an end that is not a good one.
func ended(got sandbox.Result) error {
	spent := fmt.Sprintf("after %v", got.Wall.Round(time.Millisecond))
	if got.CPU != sandbox.Unknown {
		spent += fmt.Sprintf(", %v of it on the processor", got.CPU.Round(time.Millisecond))
	}
	switch {
	case got.End == sandbox.Exited && got.Code == 0:
		return nil
	case got.End == sandbox.Refused:
		return fmt.Errorf("the job is refused: %s", got.Why)
	case got.End == sandbox.Exited || got.End == sandbox.Signalled:
		return fmt.Errorf("the program ended: %s %d, %s", got.End, got.Code, spent)
	}
	return fmt.Errorf("the program was ended: %s, %s", got.End, spent)
}

// Probe prints what the sandbox holds. A sandbox below the floor is an error.
func Probe(ctx context.Context, s backend.Settings, w io.Writer) (err error) {
	b, err := backend.New(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	strength, err := b.Probe(ctx)
	if err != nil {
		return err
	}
	if strength.Backend == native.Name {
		strength.Layers = append(strength.Layers, rootFileSystem(ctx))
	}
	return show(w, strength)
}

// rootFileSystem tells whether tasks may have a root file system of their own.
func rootFileSystem(ctx context.Context) sandbox.Layer {
	layer := sandbox.Layer{Name: "root file system", Holds: true, Note: "tasks may have an image"}
	if err := trials.Probe(ctx, ""); err != nil {
		layer.Holds, layer.Note = false, err.Error()
	}
	return layer
}

// show prints a strength as a table.
func show(w io.Writer, strength sandbox.Strength) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, layer := range strength.Layers {
		holds := "holds"
		if !layer.Holds {
			holds = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", layer.Name, holds, layer.Note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := strength.Err(); err != nil {
		return fmt.Errorf("%w, so it runs nothing", err)
	}
	says := "The sandbox keeps all promises of the floor."
	if strength.Backend == sandbox.Unconfined {
		says = "This is no sandbox: programs have all rights of the user."
	}
	_, err := fmt.Fprintln(w, says)
	return err
}
