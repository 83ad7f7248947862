//go:build amd64 || arm64

package box

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox/native"
)

// spaces are the namespaces that a phase has of its own.
const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// A Session is a phase under way. Many goroutines may use it.
type Session struct {
	trial     *Trial
	phase     Phase
	control   *net.UnixConn
	pid       int
	pidfd     int
	address   uint64              // where the init has the data of messages
	proc      *os.File            // /proc as the phase sees it
	memory    map[string]*os.File // its file systems in memory, by where they stand
	listeners map[int]net.Listener

	asking  sync.Mutex  // held from a message to its answer
	answers chan record // to messages
	ended   sync.WaitGroup
	over    chan struct{} // closed once the init is gone
	watch   watcher

	mu      sync.Mutex
	pending *call            // whose process is about to start
	calls   map[uint32]*call // by the numbers of their processes inside
	early   map[uint32]record
	given   []int // descriptors that the init handed over
	closed  bool
}

// Start begins a phase. There is one at a time. The caller must Close the session.
func (t *Trial) Start(ctx context.Context, p Phase) (*Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.live != nil || t.dir == "" {
		return nil, errors.New("a trial has one phase at a time")
	}
	t.forget()
	t.phases++
	for i := range t.groups {
		if err := t.mkdir(t.work(i)); err != nil {
			return nil, fmt.Errorf("the folder of a phase: %w", err)
		}
	}
	if err := t.hide(p); err != nil {
		return nil, fmt.Errorf("hiding new files: %w", err)
	}
	s := &Session{trial: t, phase: p, pidfd: -1, answers: make(chan record, 1), over: make(chan struct{}), calls: map[uint32]*call{}, early: map[uint32]record{}}
	s.memory, s.listeners = map[string]*os.File{}, map[int]net.Listener{}
	if err := s.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("a trial: %w", explain(err, t.dir)), s.close())
	}
	t.live, t.last = s, s
	return s, nil
}

// begin forks the init, and has it make the phase.
func (s *Session) begin() error {
	r, err := newRegion()
	if err != nil {
		return err
	}
	defer func() { _ = r.free() }()
	s.address = r.program().base
	if err := s.fork(r); err != nil {
		return err
	}
	s.ended.Go(s.read)
	given, fds, err := s.give()
	defer closeAll(fds)
	if err != nil {
		return err
	}
	p := &setup{program: r.program(), trial: s.trial, phase: s.phase, nonce: nonce(), given: given, opened: map[string]uint64{}}
	for some := range slices.Chunk(fds, mostGiven) {
		hand := s.newProgram()
		hand.slot = p.slot
		for i := range some {
			hand.opens("hand over", unix.SYS_DUP, givenFD+uint64(i))
		}
		if err := s.do(hand, some); err != nil {
			return err
		}
		p.slot = hand.slot
	}
	s.become(p.program)
	p.plan()
	if err := s.do(p.program, nil); err != nil {
		return err
	}
	if err := s.receive(); err != nil {
		return err
	}
	s.watch.start(s)
	return nil
}

// fork forks the init.
func (s *Session) fork(r *region) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socketpair: %w", err)
	}
	defer func() { _ = unix.Close(fds[1]) }()
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 2*messageSize)
	file := os.NewFile(uintptr(fds[0]), "control")
	conn, err := net.FileConn(file)
	_ = file.Close()
	if err != nil {
		return err
	}
	s.control = conn.(*net.UnixConn)
	p := r.program()
	p.prologue(fds[1])
	raw, err := p.message(false)
	if err != nil {
		return err
	}
	copy(r.bytes[cellSize:], raw)
	if s.pid, err = r.cell.fork(spaces | unix.CLONE_PIDFD); err != nil {
		return &stepError{"clone", err}
	}
	s.pidfd = int(r.cell.pidfd)
	return nil
}

// prologue has an init keep its control socket alone, and begin as programs expect it.
func (p *program) prologue(control int) {
	if control != controlFD {
		p.call("dup3", unix.SYS_DUP3, uint64(control), controlFD, unix.O_CLOEXEC)
	}
	p.call("close_range", unix.SYS_CLOSE_RANGE, 0, controlFD-1, 0)
	p.call("close_range", unix.SYS_CLOSE_RANGE, controlFD+1, 1<<32-1, 0)
	child := p.words(1 << (unix.SIGCHLD - 1))
	none := p.words(0, 0, 0, 0)
	for signal := uint64(1); signal <= 64; signal++ {
		p.try("rt_sigaction", unix.SYS_RT_SIGACTION, signal, none, 0, 8)
	}
	p.call("rt_sigprocmask", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, child, 0, 8)
	p.call("signalfd", unix.SYS_SIGNALFD4, ^uint64(0), child, 8, unix.SFD_CLOEXEC|unix.SFD_NONBLOCK).to = signalFD
}

// become has an init be root in its namespace of users.
func (s *Session) become(p *program) {
	if s.trial.owner >= 0 { // s.give has written the maps
		p.call("setgroups", unix.SYS_SETGROUPS, 0, 0)
		p.call("setresgid", unix.SYS_SETRESGID, 0, 0, 0)
		p.call("setresuid", unix.SYS_SETRESUID, 0, 0, 0)
		return
	}
	write := func(name, text string) {
		fd := p.opens(name, unix.SYS_OPENAT, cwd, p.text("/proc/self/"+name), unix.O_WRONLY|unix.O_CLOEXEC)
		p.call(name, unix.SYS_WRITE, fd, p.text(text), uint64(len(text)))
		p.call(name, unix.SYS_CLOSE, fd)
	}
	write("setgroups", "deny")
	write("uid_map", fmt.Sprintf("0 %d 1", os.Geteuid()))
	write("gid_map", fmt.Sprintf("0 %d 1", os.Getegid()))
}

// give gives an init the users of its namespace, and makes mounts of the folders that it needs, which only we may see: those
// whose files belong to users of the machine have users of the trial instead. A user who is not root gives nothing, and has
// nothing to: the init is the same user.
func (s *Session) give() (given map[string]uint64, fds []int, err error) {
	t := s.trial
	if t.owner < 0 {
		return nil, nil, nil
	}
	for _, name := range []string{"uid_map", "gid_map"} {
		text := fmt.Sprintf("0 %d %d", t.owner, rangeSize)
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/%s", s.pid, name), []byte(text), 0); err != nil {
			return nil, nil, fmt.Errorf("users of a trial: %w", err)
		}
	}
	users, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", s.pid))
	if err != nil {
		return nil, nil, err
	}
	defer users.Close()
	given = map[string]uint64{}
	add := func(dir string, attributes uint64) {
		if _, ok := given[dir]; ok || err != nil {
			return
		}
		var fd int
		if fd, err = tree(dir, attributes, int(users.Fd())); err == nil {
			given[dir] = slotFD + uint64(len(fds))
			fds = append(fds, fd)
		}
	}
	add(t.dir, 0)
	for _, g := range t.groups {
		for _, dir := range g.lowers {
			add(dir, unix.MOUNT_ATTR_IDMAP)
		}
	}
	for _, m := range s.phase.Mounts {
		switch {
		case m.Host == "":
		case m.Writable:
			err = errors.Join(err, os.Lchown(m.Host, t.owner, t.owner))
			add(m.Host, tame)
		default:
			add(m.Host, readOnly|unix.MOUNT_ATTR_IDMAP)
		}
	}
	return given, fds, err
}

// tree makes a mount of a folder.
func tree(dir string, attributes uint64, users int) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("a mount of %s: %w", dir, err)
	}
	if attributes == 0 {
		return fd, nil
	}
	set := unix.MountAttr{Attr_set: attributes}
	if attributes&unix.MOUNT_ATTR_IDMAP != 0 {
		set.Userns_fd = uint64(users)
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &set); err != nil {
		_ = unix.Close(fd)
		return -1, &stepError{"overlay", fmt.Errorf("%s with other owners, which ext4, xfs, btrfs and tmpfs have: %w", dir, err)}
	}
	return fd, nil
}

// closeAll closes descriptors.
func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// nonce is a text that nobody can guess.
func nonce() string { return strings.ToLower(rand.Text()[:8]) }

// A stepError is a step that failed in an init.
type stepError struct {
	what string
	err  error
}

// Error implements error.
func (e *stepError) Error() string { return e.what + ": " + e.err.Error() }

// Unwrap returns the error of the system.
func (e *stepError) Unwrap() error { return e.err }

// do has the init make the steps of a program, with descriptors.
func (s *Session) do(p *program, fds []int) error {
	raw, err := p.message(false)
	if err != nil {
		return err
	}
	got, err := s.ask(raw, fds, nil)
	if err == nil && got.Kind == recordFailed {
		return &stepError{p.name(got.Index), unix.Errno(got.Value)}
	}
	return err
}

// ask sends a message, and returns the answer. If it starts a process, that is one's who is given.
func (s *Session) ask(raw []byte, fds []int, starts *call) (record, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	s.mu.Lock()
	s.pending = starts
	s.mu.Unlock()
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	if _, _, err := s.control.WriteMsgUnix(raw, rights, nil); err != nil {
		return record{}, fmt.Errorf("%w: %w", ErrOver, err)
	}
	select {
	case got := <-s.answers:
		return got, nil
	case <-s.over:
		return record{}, ErrOver
	}
}

// read takes what the init says, to its end.
func (s *Session) read() {
	defer close(s.over)
	raw, extra := make([]byte, recordSize), make([]byte, unix.CmsgSpace(4*64))
	for {
		n, m, _, _, err := s.control.ReadMsgUnix(raw, extra)
		if err != nil || n != recordSize {
			break
		}
		if m > 0 {
			s.mu.Lock()
			s.given = append(s.given, received(extra[:m])...)
			s.mu.Unlock()
		}
		s.take(*(*record)(unsafe.Pointer(&raw[0])))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		close(c.done)
	}
	s.calls = nil
}

// received returns the descriptors in the control data of a message.
func received(extra []byte) (fds []int) {
	messages, _ := unix.ParseSocketControlMessage(extra)
	for i := range messages {
		some, _ := unix.ParseUnixRights(&messages[i])
		fds = append(fds, some...)
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	return fds
}

// take takes a record.
func (s *Session) take(r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[r.Process]
	switch {
	case r.Kind == recordDone, r.Kind == recordFailed && r.Process == 1:
		s.answers <- r
	case r.Kind == recordStarted:
		if one, ok := s.early[r.Process]; ok {
			s.pending.failed = &one
			delete(s.early, r.Process)
		}
		s.pending.process = r.Process
		s.calls[r.Process] = s.pending
		s.answers <- r
	case r.Kind == recordFailed && c == nil:
		s.early[r.Process] = r
	case r.Kind == recordFailed:
		c.failed = &r
	case r.Kind == recordEnded && c != nil:
		c.end = r
		c.ended = true
		close(c.done)
		delete(s.calls, r.Process)
	}
}

// receive takes the descriptors that the init handed over: /proc, the file systems in memory, the listeners.
func (s *Session) receive() error {
	s.mu.Lock()
	fds := s.given
	s.given = nil
	s.mu.Unlock()
	next := func(name string) *os.File {
		if len(fds) == 0 {
			return nil
		}
		f := os.NewFile(uintptr(fds[0]), name)
		fds = fds[1:]
		return f
	}
	s.proc = next("proc")
	for _, m := range s.phase.Mounts {
		if m.Host == "" {
			s.memory[filepath.Clean("/"+m.At)] = next(m.At)
		}
	}
	var err error
	for _, port := range s.phase.Listen {
		f := next("listener")
		if f == nil {
			break
		}
		l, e := net.FileListener(f)
		if err = errors.Join(err, e, f.Close()); e == nil {
			s.listeners[port] = l
		}
	}
	if s.proc == nil || len(s.listeners) < len(s.phase.Listen) {
		err = errors.Join(err, errors.New("descriptors are missing"))
	}
	return err
}

// Listener is that of a port in [Phase.Listen]: who connects to it is inside. The session closes it; nil: there is none.
func (s *Session) Listener(port int) net.Listener {
	l, ok := s.listeners[port]
	if !ok {
		return nil
	}
	return l
}

// Close ends all processes of the phase, and returns once its namespaces are gone. Files can be read after that.
func (s *Session) Close() error {
	err := s.close()
	s.trial.mu.Lock()
	defer s.trial.mu.Unlock()
	if s.trial.live == s {
		s.trial.live = nil
	}
	return err
}

// close is Close, for the trial.
func (s *Session) close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	var err error
	if s.pidfd >= 0 {
		if e := unix.PidfdSendSignal(s.pidfd, unix.SIGKILL, nil, 0); !errors.Is(e, unix.ESRCH) {
			err = e
		}
		for {
			e := unix.Waitid(unix.P_PIDFD, s.pidfd, nil, unix.WEXITED, nil)
			if !errors.Is(e, unix.EINTR) {
				err = errors.Join(err, e)
				break
			}
		}
		_ = unix.Close(s.pidfd)
	}
	if s.control != nil {
		_ = s.control.Close()
	}
	s.ended.Wait()
	s.watch.stop()
	for _, l := range s.listeners {
		_ = l.Close() // its owner may have
	}
	if s.proc != nil {
		_ = s.proc.Close()
	}
	closeAll(s.given)
	for i := range s.trial.groups {
		_ = native.RemoveTree(filepath.Join(s.trial.dir, s.trial.work(i))) // else with the trial
	}
	return err
}

// newProgram begins a program for the init.
func (s *Session) newProgram() *program {
	return &program{base: s.address, data: make([]byte, unsafe.Sizeof(head{})), slot: slotFD}
}

// procName is the name of a file in the phase's /proc.
func (s *Session) procName(name string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(s.proc.Fd())) + "/" + name
}
