package wasm

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/procstat"
)

// childName is the only argument of a child, in place of the program's name.
const childName = "quintain-sandbox-wasm"

// guard is a variable of the environment of children.
const guard = "QUINTAIN_SANDBOX_WASM_CHILD"

// IsChild reports whether this process is the child of a sandbox, by its arguments. If it is, it must
// do nothing but [Child].
func IsChild(args []string) bool {
	return len(args) == 1 && args[0] == childName && os.Getenv(guard) != ""
}

// A process is a child. Its methods are for one goroutine.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errs    tail
	ready   *ready        // nil: it is still loading
	jobs    int           // begun
	cpu     time.Duration // so far, by its own words
	over    bool          // it was waited for
}

// start starts a child, which loads its program.
func start(cache string, file File) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{command: exec.CommandContext(context.Background(), exe)}
	p.command.Args = []string{childName}
	p.command.Env = []string{guard + "=1", "GOTRACEBACK=none"}
	p.command.Stderr = &p.errs
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	if err := p.say(kindSetup, setup{file, cache}); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// say sends a message.
func (p *process) say(k kind, message any) error {
	body, err := jsonform.Marshal(message)
	if err != nil {
		return err
	}
	return send(p.in, k, body)
}

// maxReady is the most bytes of a ready.
const maxReady = 64 << 10

// load waits until the child has loaded its program.
func (p *process) load(ctx context.Context) error {
	if p.ready != nil {
		return nil
	}
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	k, body, err := receive(p.out, maxReady)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		p.end()
		return fmt.Errorf("a child ended while it loaded: %w: %s", err, p.errs.text())
	case k != kindReady:
		return fmt.Errorf("a child sent %q, want %q", k, kindReady)
	}
	told := &ready{}
	if err := jsonform.Unmarshal(body, told); err != nil {
		return err
	}
	if told.Fault != "" {
		return errors.New(told.Fault)
	}
	p.ready, p.cpu = told, told.CPU
	return nil
}

// kill kills the child.
func (p *process) kill() { _ = p.command.Process.Kill() }

// end ends the child, and waits for it.
func (p *process) end() {
	if p.over {
		return
	}
	p.over = true
	p.kill()
	_ = p.in.Close()
	_ = p.command.Wait() // it was killed
}

// spent is the time on the processor of a child that was waited for.
func (p *process) spent() time.Duration {
	state := p.command.ProcessState
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}

// A tail keeps the beginning of what a child says when it fails.
type tail struct {
	mu   sync.Mutex
	said []byte
}

// Write implements [io.Writer].
func (t *tail) Write(some []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, some[:min(len(some), 2048-len(t.said))]...)
	return len(some), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.said))
}

// A running is a job under way in a child.
type running struct {
	p      *process
	limits sandbox.Limits
	fetch  []string
	began  time.Time
	before usage
	seen   bool // use can look at a child

	result sandbox.Result
	ended  *ended // nil: the child has not said

	why sandbox.End // it was killed for; empty: it was not
}

// run runs a job. The child stays if it ended by itself.
func (p *process) run(ctx context.Context, job order) (result sandbox.Result, stays bool, err error) {
	p.jobs++
	r := &running{p: p, limits: job.Limits, fetch: job.Fetch, began: time.Now()}
	if r.before, r.seen = use(p.command.Process.Pid); !r.seen {
		r.before.cpu = p.cpu
	}
	var group sync.WaitGroup
	sent, heard := make(chan struct{}), make(chan struct{})
	group.Go(func() { defer close(sent); _ = p.say(kindOrder, job) }) // it fails if the child dies, which ends the job
	group.Go(func() { defer close(heard); r.listen() })
	procstat.Watch(ctx, heard, r.look, r.kill)
	if now, seen := use(p.command.Process.Pid); seen && r.seen && r.ended != nil {
		r.ended.CPU = now.cpu - r.before.cpu
	}
	select {
	case <-sent:
	default: // it may not have read the job that it says it ran
		p.end()
	}
	if r.ended == nil || r.why != "" {
		p.end()
	}
	group.Wait()
	if ctx.Err() != nil {
		return result, false, context.Cause(ctx)
	}
	result = r.tell()
	p.cpu += result.CPU
	return result, !p.over, nil
}

// listen reads what the child says until the job has ended.
func (r *running) listen() {
	most := r.limits.Output + 2*r.limits.Disk + 1<<20 // JSON has the bytes of files in base64
	for r.ended == nil {
		k, body, err := receive(r.p.out, most)
		if err != nil {
			return
		}
		switch k {
		case kindOut:
			r.result.Stdout = r.keep(r.result.Stdout, body)
		case kindErr:
			r.result.Stderr = r.keep(r.result.Stderr, body)
		case kindEnded:
			last := &ended{}
			if jsonform.Unmarshal(body, last) != nil || !r.believes(last) {
				return
			}
			r.ended = last
		}
	}
}

// believes reports whether a child can have ended so. A program that broke out of wazero can say what it
// likes of itself, but not that it was refused, or that it left files which nobody asked for.
func (r *running) believes(last *ended) bool {
	var size int64
	for name, content := range last.Fetched {
		if size += int64(len(content)); !slices.Contains(r.fetch, name) {
			return false
		}
	}
	ends := []sandbox.End{sandbox.Exited, sandbox.Signalled, sandbox.CPULimit, sandbox.MemoryLimit, sandbox.OutputLimit, sandbox.DiskLimit}
	return slices.Contains(ends, last.End) && size <= r.limits.Disk
}

// keep keeps an output up to its limit. The child cuts it too.
func (r *running) keep(had, some []byte) []byte {
	room := max(int(r.limits.Output)-len(had), 0)
	return append(had, some[:min(room, len(some))]...)
}

// look returns the limit that the job is beyond; empty: none.
func (r *running) look(bool) sandbox.End {
	if time.Since(r.began) > r.limits.Wall {
		return sandbox.WallLimit
	}
	now, seen := use(r.p.command.Process.Pid)
	switch {
	case !seen || !r.seen:
	case now.cpu-r.before.cpu > r.limits.CPU:
		return sandbox.CPULimit
	case now.memory-r.before.memory > r.limits.Memory+2*r.limits.Disk+slack:
		return sandbox.MemoryLimit
	}
	return ""
}

// slack is the memory that a child may need for a job beside the program's and its files: the stack
// of the machine, which recursion fills, and outputs.
const slack = 128 << 20

// A usage is what a child uses.
type usage struct {
	cpu    time.Duration
	memory int64 // resident bytes
	space  int64 // bytes of addresses
}

// kill kills the child for a reason.
func (r *running) kill(why sandbox.End) {
	if r.why == "" {
		r.why = why
	}
	r.p.kill()
}

// tell is how the job ended: as the child says, by a limit, or by whatever ended the child.
func (r *running) tell() sandbox.Result {
	result := r.result
	result.Wall = time.Since(r.began)
	if r.ended != nil {
		result.End, result.Code, result.CPU, result.Peak, result.Fetched = r.ended.End, r.ended.Code, r.ended.CPU, r.ended.Peak, r.ended.Fetched
		if r.why != "" {
			result.End, result.Code, result.Fetched = r.why, 0, nil
		}
		return result
	}
	result.CPU = max(r.p.spent()-r.before.cpu, 0)
	result.End = r.why
	if r.why == "" {
		result.End, result.Code = fate(r.p.command.ProcessState, r.p.errs.text())
	}
	if result.End == sandbox.CPULimit || result.CPU > r.limits.CPU {
		result.End, result.Code = sandbox.CPULimit, 0
	}
	return result
}

// abort is the number of the signal of a program that gives up.
const abort = 6

// fate is the end of a job whose child died without a word.
func fate(state *os.ProcessState, said string) (sandbox.End, int) {
	if strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory") {
		return sandbox.MemoryLimit, 0
	}
	if strings.Contains(said, "SIGXCPU") {
		return sandbox.CPULimit, 0
	}
	signal, _ := procstat.Status(state)
	return sandbox.Signalled, cmp.Or(signal, abort)
}
