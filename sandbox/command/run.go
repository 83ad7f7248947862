package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	cmd "github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/jobdir"
	"github.com/quintain-rl/quintain/sandbox/procstat"
)

// started is what a job writes just before its program begins: all that follows is of the program,
// and an output without it is of a wrapper that failed.
const started = "quintain: the program begins\n"

// A running is a job under way.
type running struct {
	box    *Box
	job    sandbox.Job
	limits sandbox.Limits
	folder *jobdir.Folder
	id     string

	group  *cmd.Group
	began  time.Time
	stdout capped
	stderr capped
	seen   map[int]procstat.Usage // processes of the wrapper
	most   usage                  // at the same time, as far as it was looked at

	mu  sync.Mutex
	why sandbox.End // why it was killed; empty: it was not
}

// A capped keeps the beginning of an output.
type capped struct {
	kept bytes.Buffer
	most int64
	full func()
}

// Write implements [io.Writer].
func (c *capped) Write(b []byte) (int, error) {
	left := c.most - int64(c.kept.Len())
	if int64(len(b)) <= left {
		return c.kept.Write(b)
	}
	c.kept.Write(b[:left])
	c.full()
	return int(left), io.ErrShortWrite
}

// run runs a job whose program exists. Look, if any, sees its end before the folder goes.
func (b *Box) run(ctx context.Context, job sandbox.Job, look func(*running)) (result sandbox.Result, err error) {
	folder, err := jobdir.New(b.dir, b.owner, job.Files)
	if err != nil {
		return result, err
	}
	defer func() {
		if e := folder.Remove(); e != nil {
			result, err = sandbox.Result{}, errors.Join(err, fmt.Errorf("the folder of a job: %w", e))
		}
	}()
	r := &running{box: b, job: job, limits: job.Limits.Filled(), folder: folder, id: "quintain-" + strings.ToLower(rand.Text()), seen: map[int]procstat.Usage{}}
	if r.group, err = cmd.NewGroup(folder.Path); err != nil {
		return result, err
	}
	result, err = r.run(ctx)
	r.group.Kill()
	r.bury()
	if e := r.end(); e != nil && err == nil {
		err = e
	}
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("the sandbox: %w", err)
	}
	if look != nil {
		look(r)
	}
	if result.End == sandbox.Exited && len(job.Fetch) > 0 {
		result.Fetched = folder.Fetch(job.Fetch, r.limits.Disk)
	}
	return result, nil
}

// run starts the wrapper, and waits for its end.
func (r *running) run(ctx context.Context) (sandbox.Result, error) {
	words := r.words(r.box.line)
	c := exec.CommandContext(context.Background(), words[0], words[1:]...) // it ends with the group
	c.Env, c.Dir = environ(), r.folder.Path
	c.Stdin = bytes.NewReader(r.job.Stdin)
	r.stdout = capped{most: r.limits.Output + int64(len(started)), full: func() { r.kill(sandbox.OutputLimit) }}
	r.stderr = capped{most: r.limits.Output, full: func() { r.kill(sandbox.OutputLimit) }}
	c.Stdout, c.Stderr, c.WaitDelay = &r.stdout, &r.stderr, time.Second
	r.group.Add(c)
	r.box.drop(c)
	r.began = time.Now()
	if err := c.Start(); err != nil {
		return sandbox.Result{}, err
	}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		procstat.Watch(ctx, ended, func(files bool) sandbox.End { return r.look(c.Process.Pid, files) }, r.kill)
	})
	err := c.Wait()
	wall := time.Since(r.began)
	close(ended)
	watch.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == procstat.Cancelled {
		return sandbox.Result{}, context.Cause(ctx)
	}
	return r.result(c, wall, err)
}

// drop takes root's rights from the wrapper, unless it does so itself.
func (b *Box) drop(c *exec.Cmd) {
	if b.owner >= 0 && !strings.Contains(strings.Join(b.line, " "), wordUID) {
		become(c, b.owner)
	}
}

// environ is the environment of a wrapper: nothing that a program must not see.
func environ() (all []string) {
	for _, name := range []string{"PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS"} {
		if value, has := os.LookupEnv(name); has {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// words fills in a line.
func (r *running) words(line []string) (words []string) {
	uid := r.box.owner
	if uid < 0 {
		uid = os.Getuid()
	}
	fill := strings.NewReplacer(
		"{dir}", r.folder.Path, "{id}", r.id, wordUID, strconv.Itoa(uid), "{memory}", strconv.FormatInt(r.limits.Memory, 10),
		"{cpu}", strconv.FormatInt(sandbox.Seconds(r.limits.CPU), 10), "{processes}", strconv.Itoa(r.limits.Processes), "{threads}", strconv.Itoa(r.limits.Threads))
	for _, word := range line {
		if word == wordArgv {
			words = append(words, r.inner()...)
		} else {
			words = append(words, fill.Replace(word))
		}
	}
	return words
}

// inner are the words that run within the wrapper: a shell that sets the limits which pass on to
// programs, says that the program begins, and becomes it. Sizes of files are in blocks of 512 bytes.
func (r *running) inner() []string {
	script := fmt.Sprintf(`{ ulimit -c 0; ulimit -t %d; ulimit -f %d; ulimit -n %d; } 2>/dev/null
printf %%s "$0"
exec env -i %s "$@"`,
		sandbox.Seconds(r.limits.CPU)+1, (r.limits.FileSize+511)/512, r.limits.Open, strings.Join(r.job.Environ(`"$PWD"`, "PATH=/usr/local/bin:/usr/bin:/bin"), " "))
	return append([]string{"/bin/sh", "-c", script, started}, r.job.Argv...)
}

// kill ends the wrapper and all of its group.
func (r *running) kill(why sandbox.End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" {
		r.why = why
	}
	r.group.End()
}

// result tells the end of the program.
func (r *running) result(c *exec.Cmd, wall time.Duration, waited error) (sandbox.Result, error) {
	out, begun := bytes.CutPrefix(r.stdout.kept.Bytes(), []byte(started))
	if !begun && r.why != sandbox.WallLimit {
		return sandbox.Result{}, fmt.Errorf("%s did not start the program: %v: %.1000s", r.box.line[0], c.ProcessState, bytes.TrimSpace(r.stderr.kept.Bytes()))
	}
	if !begun {
		return sandbox.Result{}, fmt.Errorf("%s did not start the program in %v", r.box.line[0], r.limits.Wall)
	}
	result := sandbox.Result{Stdout: out, Stderr: r.stderr.kept.Bytes(), Wall: wall, CPU: sandbox.Unknown, Peak: r.most.memory}
	if r.box.measures {
		result.CPU = max(r.most.cpu, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	signal, code := procstat.Status(c.ProcessState)
	if code > 128 && code < 128+65 { // as a shell tells a signal, and most wrappers do
		signal = code - 128
	}
	switch {
	case r.why != "":
		result.End = r.why
	case result.CPU > r.limits.CPU:
		result.End = sandbox.CPULimit
	case signal == 0 && !errors.Is(waited, exec.ErrWaitDelay) && waited != nil && !c.ProcessState.Exited():
		return sandbox.Result{}, waited
	default:
		if result.End, result.Code = procstat.End(signal, code); result.End == sandbox.CPULimit {
			result.CPU = max(result.CPU, r.limits.CPU)
		}
	}
	return result, nil
}

// end runs the command that ends what the wrapper left.
func (r *running) end() error {
	if len(r.box.end) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	words := r.words(r.box.end)
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env, c.WaitDelay = environ(), time.Second
	r.box.drop(c)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the end of a job: %s: %w: %.1000s", words[0], err, bytes.TrimSpace(out))
	}
	return nil
}
