// Package command runs untrusted programs by another program that confines them: bubblewrap,
// nsjail, a container. It adds what such wrappers leave to others: limits of time, output, memory
// and disk, the end of all processes, and the removal of the job's folder. What the wrapper
// holds is tried, not believed.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	cmd "github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/sandbox"
)

// Name is the name of the back end.
const Name = "command"

// nobody is the user and group of programs when we are root.
const nobody = 65534

// Config says how programs are wrapped. Line is required.
type Config struct {
	// Line is the command of the wrapper, such as "bwrap --unshare-all … --bind {dir} /job --chdir
	// /job -- {argv}", or a preset with more words for it, such as "docker python:3.12". There is no
	// shell: each word is one argument. {argv} stands for the words of the program; {dir} for the
	// job's folder, in which the wrapper starts and the program must run; {memory} for bytes, {cpu}
	// for seconds, {processes} and {threads} for limits; {id} for a name of the job; {uid} for the
	// user that owns the folder. If we are root, a wrapper without {uid} runs as user nobody.
	Line string

	// End is a command that ends what the wrapper's own end leaves, such as "docker rm -f {id}".
	// It runs after each job. Empty: that of the preset.
	End string

	Dir string // holds the jobs' folders; empty: the system's folder for temporary files
}

// A preset is a wrapper by name. More words of the user stand before {argv}.
type preset struct{ line, end string }

// container are the arguments that docker and podman share.
const container = " run --rm -i --name {id} --network none --read-only --cap-drop ALL --security-opt no-new-privileges --ulimit core=0" +
	" --pids-limit {threads} --memory {memory} --memory-swap {memory} --user {uid}:{uid} --mount type=bind,src={dir},dst=/job --workdir /job {more} {argv}"

// presets are the wrappers that have a name.
func presets() map[string]preset {
	return map[string]preset{
		"bwrap": {line: "bwrap --unshare-all --unshare-user --disable-userns --die-with-parent --new-session --cap-drop ALL --clearenv" +
			" --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64" +
			" --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache" +
			" --dev-bind /dev/null /dev/null --dev-bind /dev/zero /dev/zero --dev-bind /dev/urandom /dev/urandom" +
			" --bind {dir} /job --chdir /job {more} --remount-ro / -- {argv}"},
		"nsjail": {line: "nsjail -Mo --really_quiet --iface_no_lo --disable_proc --time_limit 0 --rlimit_as max --rlimit_cpu max --rlimit_fsize max --rlimit_nofile max --rlimit_nproc max" +
			" -R /usr -R /bin -R /lib -R /lib64 -R /dev/null -R /dev/zero -R /dev/urandom -B {dir}:/job --cwd /job {more} -- {argv}"},
		"docker": {"docker" + container, "docker rm -f {id}"},
		"podman": {"podman" + container, "podman rm -f {id}"},
		"runsc":  {strings.Replace("docker"+container, " run ", " run --runtime runsc ", 1), "docker rm -f {id}"},
	}
}

// Presets lists the names of the wrappers that need no line of their own.
func Presets() []string { return []string{"bwrap", "nsjail", "docker", "podman", "runsc"} }

// Words of a line that stand for others.
const (
	wordArgv = "{argv}"
	wordMore = "{more}"
	wordUID  = "{uid}"
)

// parse reads the lines of a config.
func (c Config) parse() (line, end []string, err error) {
	if line, err = cmd.Fields(c.Line); err != nil {
		return nil, nil, fmt.Errorf("the command of the sandbox: %w", err)
	}
	if named, is := presets()[line[0]]; is && !slices.Contains(line, wordArgv) {
		more := line[1:]
		line = strings.Fields(named.line)
		at := slices.Index(line, wordMore)
		line = slices.Replace(line, at, at+1, more...)
		if c.End == "" {
			c.End = named.end
		}
	}
	n := 0
	for _, word := range line {
		if word == wordArgv {
			n++
		}
	}
	if n != 1 {
		return nil, nil, fmt.Errorf("the command of the sandbox has %d words {argv}, want one, for the program; or one of %s", n, strings.Join(Presets(), ", "))
	}
	if c.End != "" {
		if end, err = cmd.Fields(c.End); err != nil {
			return nil, nil, fmt.Errorf("the command that ends a job of the sandbox: %w", err)
		}
	}
	return line, end, nil
}

// A Box is a sandbox by a wrapper.
type Box struct {
	line, end []string
	dir       string
	owner     int        // of the jobs' files; -1: ourselves
	group     *cmd.Group // removes dir if this process is killed

	strength sandbox.Strength
	measures bool // the wrapper's processes show the time on the processor
	base     usage

	mu    sync.Mutex
	found map[string]bool // programs that the wrapper has
}

// A usage is what processes use together.
type usage struct {
	count, threads int
	memory         int64
	cpu            time.Duration
}

var _ sandbox.Sandbox = (*Box)(nil)

// New tries what the wrapper holds. The caller must Close the box. An error is a fault of the
// machine; a weak wrapper, or none, is no error: see [Box.Probe].
func New(c Config) (*Box, error) {
	line, end, err := c.parse()
	if err != nil {
		return nil, err
	}
	closeInherited()
	b := &Box{line: line, end: end, owner: -1, found: map[string]bool{}}
	if os.Geteuid() == 0 {
		b.owner = nobody
	}
	if b.dir, err = os.MkdirTemp(c.Dir, "quintain-command-"); err != nil {
		return nil, fmt.Errorf("the folder of sandboxed jobs: %w", err)
	}
	if b.group, err = cmd.NewGroup(b.dir); err == nil {
		err = os.Chmod(b.dir, 0o711) // for another user's programs to pass
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if b.strength, err = b.probe(context.Background()); err != nil {
		return nil, errors.Join(fmt.Errorf("the sandbox: %w", err), b.Close())
	}
	return b, nil
}

// Close removes the folder of the jobs. No job may be running.
func (b *Box) Close() error {
	if b.group != nil {
		b.group.Kill()
	}
	return os.RemoveAll(b.dir)
}

// Probe returns what New found.
func (b *Box) Probe(context.Context) (sandbox.Strength, error) { return b.strength, nil }

// Run runs a job. See [sandbox.Sandbox].
func (b *Box) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	if err := job.Limits.Check(); err != nil {
		return sandbox.Result{}, err
	}
	if err := b.strength.Err(); err != nil {
		return sandbox.Result{}, err
	}
	if err := job.Check(); err != nil {
		return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
	}
	if err := ctx.Err(); err != nil {
		return sandbox.Result{}, context.Cause(ctx)
	}
	switch why, err := b.lacks(ctx, job); {
	case err != nil:
		return sandbox.Result{}, err
	case why != "":
		return sandbox.Result{End: sandbox.Refused, Why: why}, nil
	}
	return b.run(ctx, job, nil)
}

// lacks says why a program of the job cannot run. That there is no such program in the wrapper is
// an error.
func (b *Box) lacks(ctx context.Context, job sandbox.Job) (why string, err error) {
	name := job.Argv[0]
	if own, is := strings.CutPrefix(name, "./"); is {
		text, has := job.Files[own]
		if !has {
			return name + ": the job has no such file", nil
		}
		if !strings.HasPrefix(string(text), "#!") && !strings.HasPrefix(string(text), "\x7fELF") {
			return name + ": is no program", nil
		}
		return "", nil
	}
	b.mu.Lock()
	found := b.found[name]
	b.mu.Unlock()
	if found {
		return "", nil
	}
	if strings.ContainsAny(name, "=") || strings.HasPrefix(name, "-") {
		return "", fmt.Errorf("the program's name is %q", name)
	}
	got, err := b.run(ctx, sandbox.Job{Argv: []string{"sh", "-c", `command -v "$1" >/dev/null`, "sh", name}}, nil)
	switch {
	case err != nil:
		return "", err
	case got.End != sandbox.Exited:
		return "", fmt.Errorf("looking for %s: %s %d", name, got.End, got.Code)
	case got.Code != 0:
		return "", fmt.Errorf("%s: %w", name, sandbox.ErrNoProgram)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found[name] = true
	return "", nil
}
