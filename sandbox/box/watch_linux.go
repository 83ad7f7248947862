//go:build amd64 || arm64

package box

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox/native"
)

// How often a watcher looks at a phase: while a command runs; while only what commands left behind does; and while that sleeps.
const (
	every  = 20 * time.Millisecond
	rare   = 250 * time.Millisecond
	rarest = time.Second
)

// A watcher holds the processes of a phase to its limits, as long as there are any.
type watcher struct {
	s       *Session
	wake    chan struct{}
	stopped chan struct{}
	over    sync.WaitGroup
	starved atomic.Int32 // how often a process was killed for memory
	full    atomic.Int32 // how often all were for storage
	storage storage
	cpu     time.Duration // at the last look
	number  int           // of processes

	mu    sync.Mutex
	calls map[*seen]bool
}

// A seen is a command as its watcher sees it.
type seen struct {
	most, before  time.Duration // of the processor
	cpu           atomic.Int64  // that was used since, in nanoseconds
	beyond        chan struct{} // closed once it is beyond
	once          sync.Once
	late, over    atomic.Bool
	starved, full int32
	attempts      int64
}

// start begins to watch a session.
func (w *watcher) start(s *Session) {
	w.s, w.wake, w.stopped, w.calls = s, make(chan struct{}, 1), make(chan struct{}), map[*seen]bool{}
	w.storage.start(s)
	w.over.Go(w.run)
}

// stop ends it.
func (w *watcher) stop() {
	if w.stopped != nil {
		close(w.stopped)
		w.over.Wait()
	}
}

// begin has it look at a command that is about to start.
func (w *watcher) begin(c Command) *seen {
	one := &seen{most: c.CPU, beyond: make(chan struct{}), starved: w.starved.Load(), full: w.full.Load(), attempts: w.attempts()}
	if c.CPU > 0 {
		one.before = w.sum()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[one] = true
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return one
}

// end has it look no more.
func (w *watcher) end(one *seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, one)
}

// tell adds to a result what the watcher saw.
func (w *watcher) tell(one *seen, r *Result) {
	r.TimedOut, r.OverCPU = one.late.Load(), one.over.Load()
	r.MemoryKilled, r.StorageFull = w.starved.Load() > one.starved, w.full.Load() > one.full
	r.Unreachable = w.attempts() > one.attempts
	if one.most > 0 {
		now := w.sum()
		r.CPU = max(r.CPU, time.Duration(one.cpu.Load()), now-one.before)
	}
}

// run looks, until the session ends.
func (w *watcher) run() {
	wait := rare
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-w.stopped:
			return
		case <-w.s.over:
			return
		case <-w.wake:
		case <-timer.C:
		}
		busy, alive, awake := w.look()
		switch {
		case busy:
			wait = every
		case awake:
			wait = rare
		default:
			wait = min(2*max(wait, rare), rarest)
		}
		if timer.Reset(wait); !busy && !alive {
			timer.Stop() // until the next command
		}
	}
}

// look looks once, and reports whether a command runs, whether anything does, and whether it has done something since the last look.
func (w *watcher) look() (busy, alive, awake bool) {
	all := w.s.processes()
	cpu := usage(all)
	if awake = cpu != w.cpu || len(all) != w.number; awake && w.hold(all) {
		w.cpu, w.number = cpu, len(all)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.calls {
		if one.most <= 0 {
			continue
		}
		one.cpu.Store(int64(cpu - one.before))
		if cpu-one.before > one.most {
			one.over.Store(true)
			one.once.Do(func() { close(one.beyond) })
		}
	}
	return len(w.calls) > 0, len(all) > 1, awake
}

// hold holds all processes together to the limits, and reports whether it has looked at all.
func (w *watcher) hold(all []process) bool {
	full, looked := w.storage.beyond(all)
	w.memory(all)
	if full {
		w.full.Add(1)
		w.s.signal(unix.SIGKILL, -1)
	}
	return looked
}

// memory kills the largest process if all together have too much, or are too many; the second time the phase ends.
func (w *watcher) memory(all []process) {
	var sum, shared int64
	threads := 0
	largest := process{}
	for _, p := range all {
		sum += p.anonymous
		if shared = max(shared, p.shared); p.PID == 1 {
			continue
		}
		if threads += p.Threads; p.anonymous >= largest.anonymous {
			largest = p
		}
	}
	most := w.s.trial.limits
	sum += max(shared, w.storage.memory)
	switch {
	case sum > most.Memory && w.starved.Add(1) > 1:
		_ = unix.PidfdSendSignal(w.s.pidfd, unix.SIGKILL, nil, 0)
	case sum > most.Memory:
		w.s.signal(unix.SIGKILL, largest.PID)
	case threads > 2*most.Processes: // the kernel counts those of each user
		w.s.signal(unix.SIGKILL, -1)
	}
}

// sum is the processor time of all processes that ever ran in the phase, by what is known of them.
func (w *watcher) sum() time.Duration { return usage(w.s.processes()) }

// usage adds processor times up.
func usage(all []process) (cpu time.Duration) {
	for _, p := range all {
		cpu += p.CPU
	}
	return cpu
}

// A process is one inside, with its number there.
type process struct {
	native.Usage
	anonymous, shared int64 // bytes of memory that are no file's: its own, and in files of memory
}

// processes lists those of the phase, its init among them.
func (s *Session) processes() (all []process) {
	names, _ := os.ReadDir(s.procName(""))
	for _, entry := range names {
		if name := entry.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		one, ok := native.ReadUsage(s.procName(entry.Name()))
		if !ok {
			continue
		}
		p := process{Usage: one}
		text, _ := os.ReadFile(s.procName(entry.Name()) + "/status")
		p.anonymous, p.shared = memory(text, "\nRssAnon:"), memory(text, "\nRssShmem:")
		all = append(all, p)
	}
	return all
}

// memory reads a number of bytes in a process's status.
func memory(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	text, _, _ := bytes.Cut(rest, []byte(" kB"))
	kib, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return kib << 10
}

// attempts counts connections that had no way, and questions to a server of names that is not there.
func (w *watcher) attempts() (n int64) {
	text, _ := os.ReadFile(w.s.procName("1/net/snmp"))
	var names []string
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || len(names) != len(fields) || names[0] != fields[0] {
			names = fields
			continue
		}
		for i, name := range names {
			if name == "OutNoRoutes" || name == "NoPorts" && fields[0] == "Udp:" {
				v, _ := strconv.ParseInt(fields[i], 10, 64)
				n += v
			}
		}
	}
	return n
}
