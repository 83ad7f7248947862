package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// Folders of a trial.
const (
	agentLogs    = "/logs/agent"
	artifacts    = "/logs/artifacts"
	verifierLogs = "/logs/verifier"
	bash         = "/bin/bash"
)

// Bounds of a trial.
const (
	logsSize     = 64 << 20 // bytes of a folder of logs, which is in memory
	processes    = 512
	descriptors  = 1024
	largestFile  = 4 << 30
	mostOutput   = 64 << 10 // bytes of the tests' output that are kept
	mostTests    = logsSize // bytes of it that are read
	endTime      = 10 * time.Second
	shareOfTests = 0.5 // of wall time, below which tests that are late may have waited for a processor
)

// folders are those of the image that replace the agent's under [pristine]; of the root, new names are hidden.
func folders() []string {
	return []string{"/", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"}
}

// A run is a trial of a task.
type run struct {
	set     *Set
	of      *entry
	trial   trial         // nil: it has not begun
	agent   session       // nil: the agent's phase is not open
	dir     string        // that the last call left
	env     []string      // likewise
	spent   time.Duration // by commands of the agent
	strayed bool          // a command tried to connect
	whole   []string      // variables of every process
	more    box.Phase     // mounts, variables and ports of the agent's phase

	last   session // that was closed last; nil: none
	tested bool    // the last one ran the tests
	kept   string  // folder with what is kept of the agent's phase; empty: nothing is
}

// newRun returns a trial that has not begun.
func (s *Set) newRun(e *entry) *run {
	r := &run{set: s, of: e}
	r.whole = append(slices.Clone(e.image.Env), e.env...)
	if !slices.ContainsFunc(r.whole, named("HOME")) {
		r.whole = append(r.whole, "HOME=/root")
	}
	if !slices.ContainsFunc(r.whole, named("PATH")) {
		r.whole = append(r.whole, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	}
	return r
}

// named finds a variable.
func named(name string) func(string) bool {
	return func(v string) bool { return strings.HasPrefix(v, name+"=") }
}

// lost marks a fault of the machine.
func lost(err error) error { return fmt.Errorf("%w: %w", quintain.ErrLost, err) }

// workdir returns the working folder of a task.
func (e *entry) workdir() string {
	for _, dir := range []string{e.Config.Workdir, e.image.Dir} {
		if dir != "" {
			return dir
		}
	}
	return "/"
}

// begin makes the trial, unless it is made.
func (r *run) begin() (err error) {
	if r.trial != nil {
		return nil
	}
	c := &r.of.Config
	o := box.Options{Lowers: r.of.image.Lowers, Scratch: r.set.scratch(), Host: "trial"}
	o.Limits = box.Limits{File: largestFile, Processes: processes, Descriptors: descriptors, CPUs: c.CPUs}
	o.Limits.Memory, o.Limits.Storage = c.Sizes()
	if r.trial, err = r.set.on.newTrial(o); err != nil {
		r.trial = nil
		return lost(fmt.Errorf("the trial cannot begin: %w", err))
	}
	return nil
}

// scratch returns the folder of trials.
func (s *Set) scratch() string {
	if s.how.Scratch == "" {
		return os.TempDir()
	}
	return s.how.Scratch
}

// open begins the agent's phase, with the solution if it may see it.
func (r *run) open(ctx context.Context, solution bool) error {
	if r.agent != nil {
		return nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	p := box.Phase{
		Mounts: []box.Mount{{At: agentLogs, Writable: true, Size: logsSize}, {At: artifacts, Writable: true, Size: logsSize}},
		Env:    append(slices.Clone(r.whole), "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "DEBIAN_FRONTEND=noninteractive"),
		Dir:    r.of.workdir(), Trace: true, Listen: r.more.Listen,
	}
	p.Mounts, p.Env = append(p.Mounts, r.more.Mounts...), append(p.Env, r.more.Env...)
	if solution {
		dir, err := r.of.copied()
		if err != nil {
			return lost(err)
		}
		p.Mounts = append(p.Mounts, box.Mount{Host: filepath.Join(dir, harbor.Solution), At: "/solution"})
	}
	var err error
	if r.agent, err = r.trial.start(ctx, p); err != nil {
		r.agent = nil
		return lost(fmt.Errorf("the agent's phase cannot begin: %w", err))
	}
	r.dir = p.Dir
	return r.prepare(ctx)
}

// command runs a command of the agent's phase, in its turn. An error is of the machine, unless it is [box.ErrOver] or [box.ErrTooLong].
func (r *run) command(ctx context.Context, c box.Command) (box.Result, error) {
	done, err := r.set.turn(ctx)
	if err != nil {
		return box.Result{}, err
	}
	defer done()
	got, err := r.agent.Run(ctx, c)
	r.spent += got.Wall
	r.strayed = r.strayed || got.Unreachable
	switch {
	case err == nil, errors.Is(err, box.ErrTooLong), errors.Is(err, box.ErrOver):
		return got, err
	case ctx.Err() != nil:
		return got, context.Cause(ctx)
	}
	return got, lost(err)
}

// turn waits for a turn to run something. The caller must call done.
func (s *Set) turn(ctx context.Context) (done func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// scaled returns a time limit of a task.
func (s *Set) scaled(limit time.Duration) time.Duration {
	return time.Duration(float64(limit) * s.how.TimeFactor)
}

// end ends the agent's phase, if it is open.
func (r *run) end() error {
	if r.agent == nil {
		return nil
	}
	err := r.agent.Close()
	r.last, r.agent = r.agent, nil
	return err
}

// close removes the trial.
func (r *run) close() error {
	err := r.end()
	r.drop()
	if r.trial != nil {
		err = errors.Join(err, r.trial.Close())
		r.trial = nil
	}
	return err
}

// A report is what is known of a trial's end, for people and for the trace.
type report struct {
	Task    string             `json:"task"`
	Image   string             `json:"image"`
	Reward  *float64           `json:"reward,omitempty"` // nil: there is none
	Others  map[string]float64 `json:"rewards,omitempty"`
	Fault   string             `json:"fault,omitempty"`
	Tests   *tested            `json:"tests,omitempty"` // nil: they did not run
	Changed changed            `json:"changed"`
	System  []string           `json:"changed_system,omitempty"` // system files that the agent changed
	Last    []string           `json:"last,omitempty"`           // results of the last calls, if the policy does not read them
	Strayed bool               `json:"unreachable,omitempty"`    // a command tried to connect where there is no network
	Kept    string             `json:"kept,omitempty"`           // folder with what the trial wrote

	first float64 // of the rewards, which is the one that Harbor counts; 0: there is none
}

// tested is how the tests ran.
type tested struct {
	Exit      int     `json:"exit"`
	Signal    int     `json:"signal,omitempty"`
	Wall      float64 `json:"seconds"`
	Processor float64 `json:"processor_seconds"`
	Output    string  `json:"output"` // its end
}

// changed counts what the agent changed.
type changed struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// test ends the agent's phase and runs the tests. The report is as whole as it got. The error is a [*harbor.Fault] if the tests
// gave no reward; any other is of the machine.
func (r *run) test(ctx context.Context) (*report, error) {
	rep := &report{Task: r.of.Name, Image: r.of.image.Digest}
	began := r.agent != nil
	if err := r.end(); err != nil {
		return rep, lost(fmt.Errorf("the agent's phase does not end: %w", err))
	}
	r.keepLogs()
	if err := r.begin(); err != nil {
		return rep, err
	}
	if began {
		if err := r.look(rep); err != nil {
			return rep, err
		}
	}
	rep.Strayed = r.strayed
	v, err := r.verify(ctx, rep)
	if err != nil {
		return rep, err
	}
	reward, err := v.Reward()
	if err != nil {
		return rep, err
	}
	if len(rep.System) > 0 && r.set.how.DropChanged {
		return rep, &harbor.Fault{Kind: "changed_system", Why: "the agent changed " + stats.Count(len(rep.System), "system file") + ": " + rep.System[0]}
	}
	rep.Reward, rep.Others, rep.first = &reward.Value, reward.Metrics, first(v, reward)
	return rep, nil
}

// first returns the reward that Harbor counts: of several the first in the file.
func first(v harbor.Verdict, r harbor.Reward) float64 {
	if v.JSON == nil {
		return r.Value
	}
	at := v.JSON.Text[max(0, bytes.IndexByte(v.JSON.Text, '"')):]
	for name, x := range r.Metrics {
		if bytes.HasPrefix(at, strconv.AppendQuote(nil, name)) {
			return x
		}
	}
	return r.Value
}

// look notes what the agent changed.
func (r *run) look(rep *report) error {
	c, err := r.trial.Changes()
	if err != nil {
		return lost(fmt.Errorf("what the agent changed cannot be read: %w", err))
	}
	const most = 100
	rep.Changed = changed{c.Count, c.Bytes}
	for _, one := range c.System() {
		if len(rep.System) < most {
			rep.System = append(rep.System, one.Path)
		}
	}
	return nil
}

// verify runs the tests, and reads what they left.
func (r *run) verify(ctx context.Context, rep *report) (v harbor.Verdict, err error) {
	done, err := r.set.turn(ctx)
	if err != nil {
		return v, err
	}
	defer done()
	dir, err := r.of.copied()
	if err != nil {
		return v, lost(err)
	}
	how, limit := &r.set.how, r.set.scaled(r.of.Config.Verifier.Timeout)
	p := box.Phase{
		Mounts: []box.Mount{
			{Host: filepath.Join(dir, harbor.Tests), At: "/tests", Writable: how.Tests == writable},
			{At: verifierLogs, Writable: true, Size: logsSize}, {At: agentLogs}, {At: artifacts},
		},
		Env: append(slices.Clone(r.whole), r.of.tests...), Dir: r.of.workdir(), Trace: how.Trace == allowed,
	}
	if how.System == pristine {
		p.Pristine = folders() // of them, those of the image
	}
	s, err := r.trial.start(ctx, p)
	if err != nil {
		return v, lost(fmt.Errorf("the tests' phase cannot begin: %w", err))
	}
	script := r.of.folders() + "exec /tests/" + harbor.TestScript + " > " + verifierLogs + "/" + harbor.TestOutput + " 2>&1"
	got, err := s.Run(ctx, box.Command{
		Args: []string{bash, "-c", script}, Time: time.Duration(float64(limit) * how.TestsWall), CPU: limit, Output: 4 << 10,
	})
	err = errors.Join(err, s.Close())
	r.last, r.tested = s, true
	switch {
	case ctx.Err() != nil:
		return v, context.Cause(ctx)
	case err != nil:
		return v, lost(err)
	}
	rep.Tests = &tested{got.Exit, got.Signal, got.Wall.Seconds(), got.CPU.Seconds(), output(s, got)}
	if err := r.ended(got, limit); err != nil {
		return v, err
	}
	v = harbor.Verdict{Text: left(s, harbor.RewardText), JSON: left(s, harbor.RewardJSON), NamesBoth: r.of.static.NamesBoth, Key: how.RewardKey}
	return v, nil
}

// ended returns why tests that ended so give no reward, whatever they left; nil: they may.
func (r *run) ended(got box.Result, limit time.Duration) error {
	seconds := fmt.Sprintf("%.0f s, %.0f s of processor, of %.0f s", got.Wall.Seconds(), got.CPU.Seconds(), limit.Seconds())
	own := got.OverCPU || got.MemoryKilled || got.StorageFull
	var fault *harbor.Fault
	switch {
	case got.TimedOut && got.CPU.Seconds() < shareOfTests*got.Wall.Seconds() && starved():
		return lost(errors.New("the tests had no time, for the machine has too much to do: " + seconds))
	case got.TimedOut || got.OverCPU:
		fault = &harbor.Fault{Kind: harbor.TestsTimeout, Why: "they took " + seconds}
	case got.MemoryKilled:
		fault = &harbor.Fault{Kind: harbor.TestsKilled, Why: "they needed more memory than the trial has"}
	case got.StorageFull:
		fault = &harbor.Fault{Kind: harbor.TestsKilled, Why: "they needed more storage than the trial has"}
	case got.Signal != 0:
		fault = &harbor.Fault{Kind: harbor.TestsKilled, Why: fmt.Sprintf("test.sh ended by signal %d", got.Signal)}
	default:
		return nil
	}
	if own && r.set.how.TimeoutPays == "0" {
		return errPaysNothing
	}
	return fault
}

// errPaysNothing is that tests reached a limit that pays 0.
var errPaysNothing = errors.New("the tests reached a limit of the trial, which pays 0")

// left reads a file with a reward; nil: there is none.
func left(s session, name string) *harbor.Left {
	text, err := s.Read(verifierLogs+"/"+name, harbor.MostReward)
	if errors.Is(err, box.ErrAbsent) {
		return nil
	}
	return &harbor.Left{Text: text, Err: err}
}

// output returns the end of what the tests wrote.
func output(s session, got box.Result) string {
	text, err := s.Read(verifierLogs+"/"+harbor.TestOutput, mostTests)
	if err != nil {
		text = fmt.Appendf(nil, "(%s cannot be read: %v)\n%s", harbor.TestOutput, err, got.Output)
	}
	if cut := len(text) - mostOutput; cut > 0 {
		text = text[cut:]
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
