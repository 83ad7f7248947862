// Package sandboxtest holds every back end of package sandbox: what it returns, its limits, the
// attacks that it refuses, and that nothing is left behind.
package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A rig is a back end under test.
type rig struct {
	*testing.T
	box      sandbox.Sandbox
	dir      string // holds all that the back end writes
	attack   []byte // the program of package attack
	strength sandbox.Strength
	targets  []string // attacks on sockets of the tester
}

// Run holds a back end. Open makes it; it writes below dir only, and is closed at the end of the
// test. On a machine below the floor, Run demands that it refuses every job.
func Run(t *testing.T, open func(t *testing.T, dir string) sandbox.Sandbox) {
	run(t, open, attacks, processes)
}

// RunPassed is Run for a back end that hands its jobs to another one, which Run holds: without the attacks, and
// without jobs of several processes.
func RunPassed(t *testing.T, open func(t *testing.T, dir string) sandbox.Sandbox) {
	none := func(*rig) []trial { return nil }
	run(t, open, none, none)
}

func run(t *testing.T, open func(t *testing.T, dir string) sandbox.Sandbox, attacks, processes func(*rig) []trial) {
	dir := t.TempDir()
	for _, one := range []string{dir, filepath.Dir(dir)} { // for a user without rights to pass
		if err := os.Chmod(one, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	r := &rig{T: t, box: open(t, dir), dir: dir, attack: Program(t)}
	r.targets = listen(t)
	var err error
	if r.strength, err = r.box.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.strength.Lacks) > 0 {
		t.Logf("lacks %q: only refusals are tested", r.strength.Lacks)
		if _, err := r.box.Run(t.Context(), r.job("echo")); !errors.Is(err, sandbox.ErrWeak) {
			t.Errorf("a sandbox below the floor runs a job: error %v", err)
		}
		return
	}
	before := r.left()
	evil := map[string]bool{}
	for _, name := range []string{"/tmp/quintain-evil", "/dev/shm/quintain-evil"} {
		evil[name] = exists(name)
	}
	for _, part := range []struct {
		name  string
		cases []trial
	}{{"results", results}, {"limits", limits}, {"attacks", attacks(r)}, {"processes", processes(r)}} {
		t.Run(part.name, func(t *testing.T) {
			for _, c := range part.cases {
				t.Run(c.name, func(t *testing.T) { r.with(t).try(c) })
			}
		})
	}
	t.Run("faults", func(t *testing.T) { r.with(t).faults() })
	t.Run("cancelled", func(t *testing.T) { r.with(t).cancelled() })
	if after := settled(r.left, before); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	for name, was := range evil {
		if now := exists(name); now && !was {
			t.Errorf("a program wrote %s", name)
		}
	}
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// listen listens on sockets for the time of the test, and returns the attacks on them.
func listen(t *testing.T) (attacks []string) {
	t.Helper()
	addresses := map[string]string{"tcp": "127.0.0.1:0"}
	if linux() {
		addresses["unix"] = "@quintain-test-" + self()
	}
	for network, address := range addresses {
		l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		attacks = append(attacks, "connect "+network+" "+l.Addr().String())
	}
	return attacks
}

// Attack is a variable of the environment: the file of the program of package attack, if it is
// built already.
const Attack = "TEST_SANDBOX_ATTACK"

// Program returns the program of package attack, which a process builds once.
func Program(t *testing.T) []byte {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

var built = sync.OnceValues(func() ([]byte, error) {
	file := os.Getenv(Attack)
	if file == "" {
		dir, err := os.MkdirTemp("", "attack-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "attack")
		c := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, "github.com/quintain-rl/quintain/sandbox/sandboxtest/attack")
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	return os.ReadFile(file)
})

// with returns the rig for a part of the test.
func (r *rig) with(t *testing.T) *rig {
	c := *r
	c.T = t
	return &c
}

// job returns a job that tries an attack.
func (r *rig) job(args ...string) sandbox.Job {
	job := sandbox.Job{
		Files:  map[string][]byte{programName(): r.attack},
		Argv:   append([]string{"./" + programName()}, args...),
		Limits: sandbox.Limits{CPU: 2 * time.Second, Wall: 5 * time.Minute, Memory: 512 << 20},
	}
	return job
}

// A trial is a job with what comes of it.
type trial struct {
	name   string
	args   []string // of the program of package attack
	change func(*sandbox.Job)

	end  sandbox.End // Exited if empty
	code int
	out  string // the whole standard output; "refused": any that begins so
	also func(r *rig, got sandbox.Result)
}

// try runs a trial.
func (r *rig) try(c trial) {
	job := r.job(c.args...)
	if c.change != nil {
		c.change(&job)
	}
	got, err := r.box.Run(r.Context(), job)
	if err != nil {
		r.Fatalf("the machine is at fault: %v", err)
	}
	end := c.end
	if end == "" {
		end = sandbox.Exited
	}
	out := string(got.Stdout)
	if end == anyEnd && got.End != sandbox.Refused {
		end = got.End
		c.code = got.Code
	}
	fits := out == c.out || c.out == anything || c.end == anyEnd || c.out == "refused" && strings.HasPrefix(out, "refused: ") || end != sandbox.Exited
	if got.End != end || got.Code != c.code || !fits {
		r.Errorf("%s %d, output %.200q, errors %.300q, why %q, CPU %v, wall %v; want %s %d, %q",
			got.End, got.Code, out, got.Stderr, got.Why, got.CPU, got.Wall, end, c.code, c.out)
	}
	if c.also != nil {
		c.also(r, got)
	}
	if n := strays(); n != "" {
		r.Errorf("processes are left: %s", n)
	}
}

// left lists all files below the folder of the back end.
func (r *rig) left() string {
	var names []string
	_ = filepath.WalkDir(r.dir, func(name string, _ os.DirEntry, _ error) error {
		names = append(names, name)
		return nil
	})
	return strings.Join(names, "\n")
}

// settled asks until the answer is as wanted, for minutes, and returns the last one: a sandbox
// elsewhere clears up when it sees that its client is gone.
func settled(ask func() string, want string) (got string) {
	for end := time.Now().Add(5 * time.Minute); ; <-time.After(5 * time.Millisecond) {
		if got = ask(); got == want || time.Now().After(end) {
			return got
		}
	}
}

// strays lists the processes that run the program of package attack.
func strays() string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, name := range files {
		if line, err := os.ReadFile(name); err == nil && bytes.HasPrefix(line, []byte("./"+programName()+"\x00")) {
			found = append(found, name)
		}
	}
	return strings.Join(found, " ")
}

// faults are those of the machine and the caller. They give errors, and no result.
func (r *rig) faults() {
	for name, change := range map[string]func(*sandbox.Job){
		"no such program":       func(j *sandbox.Job) { j.Argv = []string{"no-such-interpreter"} },
		"no such absolute file": func(j *sandbox.Job) { j.Argv = []string{"/usr/bin/no-such-interpreter"} },
	} {
		job := r.job("echo")
		change(&job)
		if got, err := r.box.Run(r.Context(), job); !errors.Is(err, sandbox.ErrNoProgram) || got.End != "" {
			r.Errorf("%s: %+v, error %v", name, got, err)
		}
	}
	job := r.job("echo")
	job.Limits.CPU = -1
	if _, err := r.box.Run(r.Context(), job); err == nil {
		r.Error("an invalid limit is allowed")
	}
}

// cancelled jobs end, with an error.
func (r *rig) cancelled() {
	ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.box.Run(ctx, r.job("idle")); !errors.Is(err, context.DeadlineExceeded) {
		r.Errorf("error %v", err)
	}
	if _, err := r.box.Run(ctx, r.job("idle")); !errors.Is(err, context.DeadlineExceeded) {
		r.Errorf("begun after its end: error %v", err)
	}
	if n := settled(strays, ""); n != "" {
		r.Errorf("processes are left: %s", n)
	}
}

// linux reports whether programs of this machine can make Linux' system calls.
func linux() bool { return runtime.GOOS == "linux" }

// programName is the file of the program of package attack. No other test's processes have it.
func programName() string { return "attack-" + self() }

// self is the number of this process.
func self() string { return strconv.Itoa(os.Getpid()) }
