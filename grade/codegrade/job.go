package codegrade

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// job is the job of the program under test.
func (j *judgement) job(argv []string, stdin string) sandbox.Job {
	return sandbox.Job{Argv: argv, Files: maps.Clone(j.files), Stdin: []byte(stdin), Limits: j.limits, Seed: j.seed}
}

// attempts is how often a job that lacked the processor runs again, alone.
const attempts = 2

// run runs a job. Its time is that on the processor and asleep: a job that reached its wall limit with
// time left, and of which the sandbox cannot tell that it was idle, runs again, alone. If
// a busy loop gets its time then, the program itself was waiting; if not, the machine is to blame,
// which is an error. A job that took up to a fifth more than its time runs once more.
func (g *Grader) run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	job.Limits = job.Limits.Filled()
	limit := job.Limits.CPU
	job.Limits.CPU += limit / 5
	job.Limits.Idle = job.Limits.CPU
	job.Limits.Wall = max(job.Limits.Wall, 3*limit+time.Second)
	got, err := g.runOnce(ctx, job)
	for n := 0; err == nil && starved(got, limit); n++ {
		if n == attempts {
			return sandbox.Result{}, fmt.Errorf("%w: a program got %s of %v on the processor in %v", ErrMachine, spent(got.CPU), limit, got.Wall)
		}
		var own bool
		if got, own, err = g.runAlone(ctx, job, limit); own {
			break
		}
	}
	if err == nil && got.End != sandbox.CPULimit && got.CPU > limit {
		got, err = g.runOnce(ctx, job)
	}
	if got.CPU > limit {
		got.End = sandbox.CPULimit
	}
	return got, err
}

// starved reports whether the machine may be to blame for the end of a job. It may if the time on
// the processor is unknown.
func starved(got sandbox.Result, limit time.Duration) bool {
	return got.End == sandbox.WallLimit && got.CPU+got.Idle < limit && !idled(got) ||
		got.End == sandbox.Signalled && got.Code == int(syscall.SIGKILL) // the kernel, short of memory
}

// idled reports whether a job surely spent its time idle or on the processor, but for a quarter at
// most: no machine is to blame for its end. Some sandboxes cannot tell idle time.
func idled(got sandbox.Result) bool {
	return got.Idle > 0 && got.Wall-got.Idle-got.CPU <= got.Wall/4
}

// spent tells a time on the processor.
func spent(cpu time.Duration) string {
	if cpu == sandbox.Unknown {
		return "an unknown part"
	}
	return cpu.String()
}

// runOnce runs a job as soon as there is a slot.
func (g *Grader) runOnce(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	if err := take(ctx, g.slots); err != nil {
		return sandbox.Result{}, err
	}
	defer func() { <-g.slots }()
	return g.sandboxed(ctx, job)
}

// runAlone runs a job while no other runs, and then, if it reached its wall limit, a busy loop. It
// reports whether the end of the job is its own doing: the loop got its time.
func (g *Grader) runAlone(ctx context.Context, job sandbox.Job, limit time.Duration) (got sandbox.Result, own bool, err error) {
	if err := take(ctx, g.alone); err != nil {
		return got, false, err
	}
	defer func() { <-g.alone }()
	for range cap(g.slots) {
		if err := take(ctx, g.slots); err != nil {
			return got, false, err
		}
		defer func() { <-g.slots }()
	}
	got, err = g.sandboxed(ctx, job)
	if err != nil || got.End != sandbox.WallLimit || got.CPU+got.Idle >= limit {
		return got, true, err
	}
	loop := sandbox.Job{Argv: pythonArgv("-c", fmt.Sprintf("import time\nwhile time.process_time() < %f: pass", limit.Seconds()))}
	loop.Limits = sandbox.Limits{CPU: 2*limit + time.Second, Wall: job.Limits.Wall}
	busy, err := g.sandboxed(ctx, loop)
	return got, busy.End == sandbox.Exited, err
}

// take takes a slot.
func take(ctx context.Context, slots chan<- struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sandboxed runs a job. A sandbox refuses none of ours but for the program that a compiler made.
func (g *Grader) sandboxed(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	got, err := g.Sandbox.Run(ctx, job)
	if err == nil && got.End == sandbox.Refused && job.Argv[0] != "./"+program {
		err = fmt.Errorf("the sandbox refuses a job: %s", got.Why)
	}
	return got, err
}

// failure returns the reason why a job failed; empty: it exited with status 0.
func (j *judgement) failure(got sandbox.Result) Reason {
	switch got.End {
	case sandbox.CPULimit, sandbox.WallLimit:
		return TimeLimit
	case sandbox.MemoryLimit:
		return MemoryLimit
	case sandbox.OutputLimit, sandbox.DiskLimit:
		return OutputLimit
	case sandbox.Exited:
		if got.Code == 0 {
			return ""
		}
		return j.complaint(got.Stderr)
	}
	return RuntimeError
}

// complaint tells errors apart by what Python writes of them.
func (j *judgement) complaint(stderr []byte) Reason {
	last := lastLine(stderr)
	switch {
	case !j.language.isPython():
		return RuntimeError
	case strings.HasPrefix(last, "MemoryError"):
		return MemoryLimit
	case bytes.Contains(stderr, []byte("Traceback (most recent call last)")): // of code that runs
		return RuntimeError
	}
	for _, name := range []string{"SyntaxError", "IndentationError", "TabError"} {
		if strings.HasPrefix(last, name) {
			return CompileError
		}
	}
	return RuntimeError
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// maxShown bounds the texts of an outcome, in bytes.
const maxShown = 2000

// outcome tells how a job ended: which resources it took, and its complaint.
func (j *judgement) outcome(got sandbox.Result) Outcome {
	o := Outcome{Reason: j.failure(got), CPU: got.CPU.Seconds(), Peak: got.Peak}
	if got.CPU == sandbox.Unknown {
		o.CPU = -1
	}
	if o.Reason != "" {
		stderr := bytes.TrimSpace(got.Stderr)
		o.Error = strings.ToValidUTF8(string(stderr[max(0, len(stderr)-maxShown):]), "\uFFFD")
	}
	return o
}

// shown returns the beginning of an output.
func shown(output string) string {
	return strings.ToValidUTF8(output[:min(len(output), maxShown)], "\uFFFD")
}

// stdin judges a run of the program.
func (j *judgement) stdin(ctx context.Context, c Case) (Outcome, error) {
	got, err := j.grader.run(ctx, j.stream(c.Input))
	if err != nil {
		return Outcome{}, err
	}
	o, output := j.outcome(got), got.Stdout
	if file := j.tests.OutputFile; file != "" && o.Reason == "" {
		var written bool
		if output, written = got.Fetched[file]; !written {
			o.Reason, o.Error = WrongAnswer, fmt.Sprintf("the program wrote no file %s", file)
		}
	}
	o.Output = shown(string(output))
	if o.Reason != "" {
		return o, nil
	}
	var right bool
	if j.tests.Compare == Checker {
		right, err = j.check(ctx, c, output)
	} else {
		right = j.tests.Compare.Same(c.Output, string(output))
	}
	if !right {
		o.Reason = WrongAnswer
	}
	return o, err
}

// stream is the job of the program with an input.
func (j *judgement) stream(input string) sandbox.Job {
	job := j.job(j.language.argv, input)
	if j.tests.InputFile != "" {
		job.Files[j.tests.InputFile], job.Stdin = []byte(input), nil
		job.Limits.Disk = job.Limits.Filled().Disk + int64(len(input))
	}
	if j.tests.OutputFile != "" {
		job.Fetch = []string{j.tests.OutputFile}
	}
	return job
}

// checkTime is the time of a checker.
const checkTime = 10 * time.Second

// check asks the checker of the tests, in a sandbox of its own. It says wrong by a status other
// than 0, or by a number below 1 as the last word that it prints. Status 3 says that the tests are
// to blame. A checker that an output brings down has not accepted it.
func (j *judgement) check(ctx context.Context, c Case, output []byte) (bool, error) {
	files := map[string][]byte{
		"checker.py": []byte(j.tests.Checker), "input.txt": []byte(c.Input), "output.txt": output, "expected.txt": []byte(c.Output),
	}
	args := []string{"checker.py", "input.txt", "output.txt", "expected.txt"}
	if j.tests.ExpectedFirst {
		args[2], args[3] = args[3], args[2]
	}
	job := sandbox.Job{Argv: pythonArgv(args...), Files: files, Seed: j.seed, Limits: sandbox.Limits{CPU: checkTime}}
	for _, content := range files {
		job.Limits.Disk += int64(len(content))
	}
	job.Limits.Disk += sandbox.Limits{}.Filled().Disk
	got, err := j.grader.run(ctx, job)
	switch {
	case err != nil:
		return false, fmt.Errorf("the checker: %w", err)
	case got.End == sandbox.Exited && got.Code == 3:
		return false, fmt.Errorf("%w: the checker says so: %s", ErrTests, shown(lastLine(got.Stderr)))
	case got.End != sandbox.Exited || got.Code != 0:
		return false, nil
	}
	words := bytes.Fields(got.Stdout)
	if len(words) == 0 {
		return true, nil
	}
	score, _, ok := number(string(words[len(words)-1]))
	return !ok || score >= 1, nil
}

// compile makes the program of a compiled language. Why is the compiler's complaint.
func (j *judgement) compile(ctx context.Context) (why string, err error) {
	if j.language.compile == nil {
		return "", nil
	}
	job := j.language.compiler(j.files, sandbox.Limits{CPU: 30 * time.Second, Memory: 1 << 30})
	job.Seed = j.seed
	got, err := j.grader.run(ctx, job)
	if err != nil {
		return "", fmt.Errorf("the compiler: %w", err)
	}
	binary, made := got.Fetched[program]
	if !made || got.Code != 0 {
		return shown(strings.TrimSpace(string(got.Stderr)) + " (" + string(got.End) + ")"), nil
	}
	j.files = map[string][]byte{program: binary}
	return "", nil
}
