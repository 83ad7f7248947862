//go:build amd64 || arm64

package native

import (
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// zygoteSource is what a zygote runs.
//
//go:embed zygote.py
var zygoteSource string

// A zygote is an interpreter that forks for each job.
type zygote struct {
	control *net.UnixConn // to our own code there, before a job runs
	asking  sync.Mutex    // held from a request to its answer
	answers chan answer   // to requests
	spare   chan *fork    // the next fork, made ahead
	live    *sync.WaitGroup
	lost    chan struct{} // closed after its end
	why     error         // of its end, once lost
	born    standing      // its own, and that of each fork unless somebody changed it
	retired atomic.Bool   // it should fork no more

	mu    sync.Mutex
	forks map[int]*fork // by their numbers as the zygote knows them
}

// An answer is a fork, or why there is none.
type answer struct {
	fork *fork
	err  error
}

// A fork is a process of a zygote.
type fork struct {
	job     int         // socket from which it reads its job
	pidfd   int         // names it
	reports chan report // of its start and its end; closed after that, or if the zygote is lost
}

// close closes the descriptors. A fork that has no job yet ends.
func (f *fork) close() {
	for _, fd := range []*int{&f.job, &f.pidfd} {
		_ = unix.Close(*fd) // of -1: an error
		*fd = -1
	}
}

// pid is the number of the process as we know it.
func (f *fork) pid() (int, error) {
	text, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(f.pidfd))
	if err != nil {
		return 0, err
	}
	var pid int
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "Pid: %d", &pid); err == nil {
			return pid, nil // of an ended one: -1
		}
	}
	return 0, errors.New("a pidfd without a number")
}

// newZygote starts a zygote, and waits until it serves. Live waits for its end.
func (b *Box) newZygote(live *sync.WaitGroup) (*zygote, error) {
	pipes, err := newPipes(true, b.owner)
	defer pipes.close()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := connected()
	if err != nil {
		return nil, err
	}
	pipes.theirs = append(pipes.theirs, theirs)
	z := &zygote{live: live, answers: make(chan answer, 1), spare: make(chan *fork, 1), lost: make(chan struct{}), forks: map[int]*fork{}}
	if z.control, err = conn(ours); err != nil {
		return nil, err
	}
	p, err := b.zygotePlan(pipes, theirs)
	if err != nil {
		_ = z.control.Close()
		return nil, err
	}
	started := make(chan error)
	said := pipes.stderr
	pipes.stderr = nil // run closes it
	live.Go(func() { z.run(p, pipes, started, said) })
	if err := <-started; err != nil {
		_ = z.control.Close()
		return nil, err
	}
	live.Go(z.read)
	first, err := z.fork() // when it serves
	if err != nil {
		_ = z.control.Close()
		return nil, err
	}
	defer first.close()
	pid, err := first.pid()
	z.born = standingOf(pid)
	b.sees.Store(b.asOwner(func() error { return (&holdings{files: map[uint64]int64{}}).add(Usage{PID: pid, Alive: pid}) }) == nil)
	return z, err
}

// zygotePlan plans a zygote that has its end of the control socket.
func (b *Box) zygotePlan(pipes *pipes, control int) (*plan, error) {
	program, err := lookUp(b.config.Zygote[0])
	if err != nil {
		return nil, err
	}
	rules, err := newRules(b.abi, b.dir, b.config.Read)
	if err != nil {
		return nil, err
	}
	pipes.theirs = append(pipes.theirs, rules)
	p := newPlan(pipes.said)
	p.attach(pipes.standard)
	add(&p.first, "fcntl", unix.SYS_FCNTL, uintptr(control), unix.F_SETFD, 0)
	p.become(b.owner, b.strength.Holds(LayerUserSpace), b.strength.Holds(LayerPIDSpace)) // as its init, which no job can signal
	p.needParent(pipes.started)
	add(&p.last, "chdir", unix.SYS_CHDIR, p.text(b.dir))
	p.limitAlways()
	p.shut(rules, filtering{fork: true, kill: true, cut: b.abi >= cutABI, zygote: true})

	last := newLastFilter(filtering{kill: b.abi >= scopeABI})
	code := unsafe.Slice((*byte)(unsafe.Pointer(&last.code[0])), len(last.code)*int(unsafe.Sizeof(last.code[0])))
	argv := slices.Concat(b.config.Zygote, []string{"-c", zygoteSource, strconv.Itoa(control), hex.EncodeToString(code)})
	for _, at := range last.pids {
		argv = append(argv, strconv.Itoa(at))
	}
	p.exec(program, argv, sandbox.Job{}.Environ(b.dir, "PATH="+searchPath))
	return p, nil
}

// run starts the zygote, and stays with it to its end.
func (z *zygote) run(p *plan, pipes *pipes, started chan<- error, said *os.File) {
	runtime.LockOSThread() // see plan.start
	defer runtime.UnlockOSThread()
	defer said.Close()
	pid, err := p.start()
	pipes.closeTheirs()
	if err != nil {
		started <- fmt.Errorf("clone: %w", err)
		return
	}
	started <- p.failed(readRecords(pipes.started))
	text, _ := io.ReadAll(io.LimitReader(said, 4<<10)) // until it ends, with the forks that have no job
	var status unix.WaitStatus
	_, err = wait(pid, &status, nil)
	z.why = errors.Join(fmt.Errorf("the zygote ended with wait status %#x: %s", uint32(status), text), err)
	close(z.lost)
}

// fork returns a process that waits for its job, and has the next one made.
func (z *zygote) fork() (f *fork, err error) {
	select {
	case f = <-z.spare:
	default:
		f, err = z.ask()
	}
	if err == nil {
		z.live.Go(z.refill)
	}
	return f, err
}

// refill makes the next fork, if there is none.
func (z *zygote) refill() {
	f, err := z.ask()
	if err != nil {
		return // the next request will tell
	}
	select {
	case z.spare <- f:
	default:
		f.close()
	}
	if z.retired.Load() {
		z.spend()
	}
}

// spend ends the next fork, if there is one.
func (z *zygote) spend() {
	select {
	case f := <-z.spare:
		f.close()
	default:
	}
}

// ask asks for a process that waits for its job.
func (z *zygote) ask() (*fork, error) {
	ours, theirs, err := connected()
	if err != nil {
		return nil, err
	}
	z.asking.Lock()
	defer z.asking.Unlock()
	_, _, err = z.control.WriteMsgUnix([]byte{reportForked}, unix.UnixRights(theirs), nil)
	_ = unix.Close(theirs)
	got := answer{err: err}
	if err == nil || errors.Is(err, unix.EPIPE) || errors.Is(err, net.ErrClosed) { // it has ended, and tells why
		select {
		case got = <-z.answers:
		case <-z.lost:
			got.err = z.why
		}
	}
	if got.err != nil {
		_ = unix.Close(ours)
		return nil, got.err
	}
	got.fork.job = ours
	return got.fork, nil
}

// read takes what the zygote says, to its end.
func (z *zygote) read() {
	packet, extra := make([]byte, 1<<10), make([]byte, unix.CmsgSpace(4*4))
	for {
		n, m, _, _, err := z.control.ReadMsgUnix(packet, extra)
		if err != nil || z.take(packet[:n], received(extra[:m])) != nil {
			break // what says nonsense is ended too
		}
	}
	_ = z.control.Close() // which ends it
	<-z.lost
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, f := range z.forks {
		close(f.reports)
	}
	z.forks = nil
	z.spend()
}

// take takes one report with its descriptors.
func (z *zygote) take(packet []byte, fds []int) error {
	r, err := parseReport(packet)
	if want := r.kind == reportForked; err != nil || want != (len(fds) == 1) {
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
		return errors.Join(err, fmt.Errorf("a report with %d descriptors", len(fds)))
	}
	switch r.kind {
	case reportUnforked:
		return z.answer(answer{err: fmt.Errorf("fork: %w", unix.Errno(r.status))})
	case reportForked:
		f := &fork{job: -1, pidfd: fds[0], reports: make(chan report, 4)}
		z.mu.Lock()
		z.forks[r.pid] = f
		z.mu.Unlock()
		return z.answer(answer{fork: f})
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	f := z.forks[r.pid]
	if f == nil || len(f.reports) == cap(f.reports) {
		return fmt.Errorf("an unexpected report %q of process %d", r.kind, r.pid)
	}
	f.reports <- r
	if r.kind == reportEnded {
		close(f.reports)
		delete(z.forks, r.pid)
	}
	return nil
}

// answer answers the one request there may be.
func (z *zygote) answer(a answer) error {
	select {
	case z.answers <- a:
		return nil
	default:
		return errors.New("an answer without a request")
	}
}

// received returns the descriptors in the control data of a message.
func received(extra []byte) (fds []int) {
	messages, _ := unix.ParseSocketControlMessage(extra)
	for i := range messages {
		some, _ := unix.ParseUnixRights(&messages[i]) // of other data: an error, and none
		fds = append(fds, some...)
	}
	return fds
}

// connected makes two sockets that are connected, and end with exec.
func connected() (ours, theirs int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, fmt.Errorf("socketpair: %w", err)
	}
	return fds[0], fds[1], nil
}

// conn makes a connection of a socket, and takes it.
func conn(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "socket")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}

// zygotes are those of a box.
type zygotes struct {
	live sync.WaitGroup
	mu   sync.Mutex
	all  []*zygote // nil: not started yet
	next int

	retired []*zygote
}

// startZygotes starts one zygote, if the box should have any.
func (b *Box) startZygotes() error {
	if len(b.config.Zygote) == 0 || len(b.strength.Lacks) > 0 {
		return nil
	}
	b.zygotes.all = make([]*zygote, max(1, runtime.GOMAXPROCS(0)/2)) // the forks need the other half
	_, err := b.zygote()
	return err
}

// zygote returns one of the zygotes, in turn. It starts one that has never lived or has ended.
func (b *Box) zygote() (*zygote, error) {
	all := &b.zygotes
	all.mu.Lock()
	defer all.mu.Unlock()
	at := all.next % len(all.all)
	all.next++
	z := all.all[at]
	if z != nil {
		select {
		case <-z.lost:
			z = nil
		default:
		}
	}
	var err error
	if z == nil {
		z, err = b.newZygote(&all.live)
		all.all[at] = z
	}
	return z, err
}

// fork forks a zygote. One that was lost meanwhile is replaced, once, and so is one whose standing somebody
// changed: its jobs would get less of the processors than others.
func (b *Box) fork() (f *fork, pid int, err error) {
	for range 2 {
		z, e := b.zygote()
		if e != nil {
			return nil, 0, errors.Join(err, e)
		}
		if f, err = z.fork(); err != nil {
			continue
		}
		if pid, err = f.pid(); err == nil && standingOf(pid) == z.born {
			return f, pid, nil
		}
		err = errors.Join(err, errors.New("somebody changes the priority or the processors of the zygotes"))
		f.close()
		b.zygotes.retire(z)
	}
	return nil, 0, err
}

// A standing is what decides how much of the processors a process gets.
type standing struct {
	processors                unix.CPUSet
	priority, disk, scheduler uintptr
}

// standingOf is that of a process; of one that has ended, none.
func standingOf(pid int) (s standing) {
	_ = unix.SchedGetaffinity(pid, &s.processors)
	s.priority, _, _ = unix.RawSyscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, uintptr(pid), 0)
	s.disk, _, _ = unix.RawSyscall(unix.SYS_IOPRIO_GET, ioprioProcess, uintptr(pid), 0)
	s.scheduler, _, _ = unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(pid), 0, 0)
	return s
}

// retire has a zygote fork no more, and end with its last job.
func (z *zygotes) retire(old *zygote) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if i := slices.Index(z.all, old); i >= 0 {
		z.all[i] = nil
		z.retired = append(z.retired, old)
		old.retired.Store(true)
		old.spend()
		_, _ = old.control.Write([]byte{reportEnded})
	}
}

// close ends all zygotes, and what they forked.
func (z *zygotes) close() {
	z.mu.Lock()
	for _, one := range slices.Concat(z.all, z.retired) {
		if one != nil {
			_ = one.control.Close()
		}
	}
	z.mu.Unlock()
	z.live.Wait()
}
