//go:build amd64 || arm64

package box

import (
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox/native"
)

// cwd stands for the working folder of a process where a call takes a descriptor.
const cwd = ^uint64(99)

// attributes of file systems and folders that are mounted
const (
	tame     = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	readOnly = tame | unix.MOUNT_ATTR_RDONLY
)

// A setup is the program that makes the view of a phase, and what it needs to know.
type setup struct {
	*program
	trial  *Trial
	phase  Phase
	nonce  string            // in the names that things get which stand in the way
	given  map[string]uint64 // descriptors that we hand over, by the folder
	opened map[string]uint64 // those of folders of the machine
	root   uint64            // descriptor of the new root
	held   []uint64          // descriptors that the init hands to us, in order
}

// plan makes the program of a phase.
func (s *setup) plan() {
	s.call("private", unix.SYS_MOUNT, 0, s.text("/"), 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	own := s.folder(s.trial.dir)
	for i, g := range s.trial.groups {
		changes := fmt.Sprintf(",volatile,upperdir=%d,workdir=%d", s.inside(own, g.upper), s.inside(own, s.trial.work(i)))
		mount := s.overlay(g, s.trial.attributes(), changes)
		if i == 0 {
			s.attach(mount)
			s.root = mount
		} else {
			s.place(mount, s.aim(g.at))
		}
	}
	s.pristine()
	s.devices()
	s.proc()
	for _, m := range s.phase.Mounts {
		s.mount(m)
	}
	s.enter()
	s.network()
	s.confine()
}

// folder returns a descriptor of a folder of the machine, on a mount of the init's namespace.
func (s *setup) folder(dir string) uint64 {
	if fd, ok := s.opened[dir]; ok {
		return fd
	}
	fd, ok := s.given[dir]
	if ok {
		s.attach(fd)
	} else {
		fd = s.opens("open "+dir, unix.SYS_OPENAT, cwd, s.text(dir), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	}
	s.opened[dir] = fd
	return fd
}

// attach mounts something over the old root, where nobody looks: it goes with it.
func (s *setup) attach(tree uint64) {
	s.call("attach", unix.SYS_MOVE_MOUNT, tree, s.text(""), cwd, s.text("/"), unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// inside opens a folder of ours in another one of ours.
func (s *setup) inside(dir uint64, name string) uint64 {
	return s.opens("open "+name, unix.SYS_OPENAT, dir, s.text(name), unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
}

// filesystem makes a file system.
func (s *setup) filesystem(kind string, attributes uint64, options ...[2]string) uint64 {
	fs := s.opens(kind, unix.SYS_FSOPEN, s.text(kind), unix.FSOPEN_CLOEXEC)
	for _, o := range options {
		s.call(kind+": "+o[0], unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_STRING, s.text(o[0]), s.text(o[1]), 0)
	}
	s.call(kind, unix.SYS_FSCONFIG, fs, unix.FSCONFIG_CMD_CREATE, 0, 0, 0)
	return s.opens(kind+": mount", unix.SYS_FSMOUNT, fs, unix.FSMOUNT_CLOEXEC, attributes)
}

// overlay makes that of a group, by mount(2): the new interface takes many folders only since Linux 6.8. Here options have room on
// a page: folders are open, and named by their numbers from /proc/self/fd.
func (s *setup) overlay(g group, attributes uint64, options string) uint64 {
	own := s.folder(s.trial.dir)
	lowers := make([]string, len(g.lowers))
	for i, dir := range g.lowers {
		lowers[i] = strconv.FormatUint(s.folder(dir), 10)
	}
	at := s.text(fmt.Sprintf("%d/%s", own, mountName))
	s.call("enter", unix.SYS_CHDIR, s.text("/proc/self/fd"))
	options = "lowerdir=" + strings.Join(lowers, ":") + ",userxattr" + options
	s.call("overlay", unix.SYS_MOUNT, s.text("overlay"), at, s.text("overlay"), attributes, s.text(options)) // attributes are the flags of old
	tree := s.clone(own, mountName)
	s.call("unmount", unix.SYS_UMOUNT2, at, unix.MNT_DETACH)
	return tree
}

// mountName is the folder of a trial on which an overlay is mounted for a moment.
const mountName = "mount"

// parts are the names in a path.
func parts(at string) []string {
	return slices.DeleteFunc(strings.Split(path.Clean("/"+at), "/"), func(s string) bool { return s == "" })
}

// point makes sure that a path below a folder is one of folders, without a link, and opens the last. What stands in the way
// is renamed.
func (s *setup) point(below uint64, at string) uint64 {
	dir := below
	for _, name := range parts(at) {
		next := s.slot
		s.slot++
		text := s.text(name)
		open := func() *step {
			one := s.call("open "+at, unix.SYS_OPENAT, dir, text, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
			one.to = next
			return one
		}
		s.try("mkdir "+at, unix.SYS_MKDIRAT, dir, text, 0o755)
		first := open()
		first.soft, first.skip = 1, 3
		s.aside(dir, name)
		s.call("mkdir "+at, unix.SYS_MKDIRAT, dir, text, 0o755)
		open()
		dir = uint64(next)
	}
	return dir
}

// aside renames what is not what it should be.
func (s *setup) aside(dir uint64, name string) {
	away := ".was-" + name[:min(len(name), 200)] + "-" + s.nonce
	s.call("rename "+name, unix.SYS_RENAMEAT2, dir, s.text(name), dir, s.text(away), 0)
}

// aim is point, of a place where something is mounted.
func (s *setup) aim(at string) uint64 {
	s.trial.points[path.Clean("/"+at)] = true
	return s.point(s.root, at)
}

// place mounts something on an open folder or file.
func (s *setup) place(tree, point uint64) {
	empty := s.text("")
	s.call("place", unix.SYS_MOVE_MOUNT, tree, empty, point, empty, unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// clone makes a mount of a folder or file below an open one.
func (s *setup) clone(dir uint64, name string) uint64 {
	flags := uint64(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC)
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	return s.opens("clone "+name, unix.SYS_OPEN_TREE, dir, s.text(name), flags)
}

// set sets attributes of a mount.
func (s *setup) set(tree uint64, attributes uint64) {
	s.call("attributes", unix.SYS_MOUNT_SETATTR, tree, s.text(""), unix.AT_EMPTY_PATH, s.words(attributes, 0, 0, 0), 32)
}

// pristine lays folders of the image over those of the trial.
func (s *setup) pristine() {
	images := map[int]uint64{}
	for _, at := range s.phase.Pristine {
		names := parts(at)
		if len(names) == 0 {
			continue // see Trial.hide
		}
		i, rest := s.trial.groupOf(names)
		target, kind := s.trial.image(i, rest)
		switch kind {
		case unix.S_IFDIR:
			if _, made := images[i]; !made {
				images[i] = s.image(s.trial.groups[i])
			}
			from := s.clone(images[i], strings.Join(rest, "/"))
			s.set(from, readOnly&^unix.MOUNT_ATTR_NOSUID)
			s.place(from, s.aim(at))
		case unix.S_IFLNK:
			if s.trial.changed(i, rest) {
				s.symlink(names, target)
			}
		}
	}
}

// image makes a mount of what a group is without changes, which nobody can write to.
func (s *setup) image(g group) uint64 {
	var tree uint64
	if len(g.lowers) == 1 {
		tree = s.clone(s.folder(g.lowers[0]), "")
	} else {
		tree = s.overlay(g, s.trial.attributes()|unix.MOUNT_ATTR_RDONLY, "")
	}
	s.attach(tree)
	return tree
}

// symlink makes a link as the image has it.
func (s *setup) symlink(names []string, target string) {
	last := len(names) - 1
	dir := s.point(s.root, path.Join(names[:last]...))
	away := ".was-" + names[last] + "-" + s.nonce
	s.try("rename", unix.SYS_RENAMEAT2, dir, s.text(names[last]), dir, s.text(away), 0)
	s.call("symlink", unix.SYS_SYMLINKAT, s.text(target), dir, s.text(names[last]))
}

// devices makes /dev.
func (s *setup) devices() {
	dev := s.filesystem("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, [2]string{"mode", "0755"}, [2]string{"size", "64k"}, [2]string{"nr_inodes", "256"})
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		s.call("make /dev/"+name, unix.SYS_MKNODAT, dev, s.text(name), unix.S_IFREG|0o666, 0)
	}
	for _, one := range [][2]string{
		{"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"}, {"pts/ptmx", "ptmx"},
	} {
		s.call("link /dev/"+one[1], unix.SYS_SYMLINKAT, s.text(one[0]), dev, s.text(one[1]))
	}
	for _, name := range []string{"shm", "pts"} {
		s.call("make /dev/"+name, unix.SYS_MKDIRAT, dev, s.text(name), 0o755)
	}
	s.place(dev, s.aim("/dev"))
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		tree, ok := s.given["/dev/"+name]
		if !ok {
			tree = s.clone(cwd, "/dev/"+name)
		}
		s.place(tree, s.opens("open /dev/"+name, unix.SYS_OPENAT, dev, s.text(name), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC))
	}
	shm := s.filesystem("tmpfs", tame, [2]string{"mode", "1777"}, [2]string{"size", "64m"})
	s.place(shm, s.inside(dev, "shm"))
	pts := s.filesystem("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, [2]string{"mode", "0620"}, [2]string{"ptmxmode", "0666"})
	s.place(pts, s.inside(dev, "pts"))
}

// proc makes /proc, of the phase's processes, and hands it to us.
func (s *setup) proc() {
	proc := s.filesystem("proc", tame|unix.MOUNT_ATTR_NOEXEC)
	s.place(proc, s.aim("/proc"))
	s.held = append(s.held, proc)
}

// mount mounts a folder of the machine, or a file system in memory, which it hands to us.
func (s *setup) mount(m Mount) {
	if m.Host == "" {
		size := m.Size
		if size <= 0 {
			size = 64 << 20
		}
		tree := s.filesystem("tmpfs", tame, [2]string{"mode", "0755"}, [2]string{"size", strconv.FormatInt(size, 10)})
		s.place(tree, s.aim(m.At))
		s.held = append(s.held, tree)
		return
	}
	tree, ok := s.given[m.Host]
	if !ok {
		tree = s.clone(cwd, m.Host)
	}
	if attributes := uint64(tame); !ok { // else it has them
		if !m.Writable {
			attributes = readOnly
		}
		s.set(tree, attributes)
	}
	s.place(tree, s.aim(m.At))
}

// enter makes the new root the root, and goes to the working folder.
func (s *setup) enter() {
	dot := s.text(".")
	s.call("enter", unix.SYS_FCHDIR, s.root)
	s.call("pivot_root", unix.SYS_PIVOT_ROOT, dot, dot)
	s.call("leave the old root", unix.SYS_UMOUNT2, dot, unix.MNT_DETACH)
	s.call("enter", unix.SYS_CHDIR, s.text("/"))
	host := s.trial.o.Host
	s.call("host name", unix.SYS_SETHOSTNAME, s.text(host), uint64(len(host)))
	s.call("umask", unix.SYS_UMASK, 0o022)
	if dir := path.Clean("/" + s.phase.Dir); dir != "/" {
		names := parts(dir)
		s.try("enter "+dir, unix.SYS_CHDIR, s.text(dir)).skip = uint32(len(names)) + 1
		for i := range names {
			s.try("mkdir", unix.SYS_MKDIRAT, cwd, s.text("/"+path.Join(names[:i+1]...)), 0o755)
		}
		s.call("enter the working folder "+dir, unix.SYS_CHDIR, s.text(dir))
	}
}

// network has the loopback work, and listens on it.
func (s *setup) network() {
	lo := make([]byte, 40)
	copy(lo, "lo")
	binary.LittleEndian.PutUint16(lo[unix.IFNAMSIZ:], unix.IFF_UP)
	socket := s.opens("socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	s.call("loopback", unix.SYS_IOCTL, socket, unix.SIOCSIFFLAGS, s.put(lo))
	for _, port := range s.phase.Listen {
		listener := s.opens("socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		address := make([]byte, 16)
		binary.LittleEndian.PutUint16(address, unix.AF_INET)
		binary.BigEndian.PutUint16(address[2:], uint16(port))
		copy(address[4:], []byte{127, 0, 0, 1})
		s.call(fmt.Sprintf("bind 127.0.0.1:%d", port), unix.SYS_BIND, listener, s.put(address), 16)
		s.call("listen", unix.SYS_LISTEN, listener, 128)
		s.held = append(s.held, listener)
	}
}

// Capabilities that root inside keeps: what Docker gives, without MKNOD, NET_RAW, SYS_CHROOT and AUDIT_WRITE.
const (
	kept = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_KILL | 1<<unix.CAP_SETGID |
		1<<unix.CAP_SETUID | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_NET_BIND_SERVICE | 1<<unix.CAP_SETFCAP
	lastCapability = unix.CAP_LAST_CAP
)

// confine takes from the init, and from all that it starts, what they do not need, and hands the descriptors to us.
func (s *setup) confine() {
	for c := range uint64(lastCapability + 1) {
		if kept>>c&1 == 0 {
			s.try("bounding set", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c)
		}
	}
	for _, resource := range []uint64{unix.RLIMIT_CORE, unix.RLIMIT_MSGQUEUE, unix.RLIMIT_MEMLOCK, unix.RLIMIT_NICE, unix.RLIMIT_RTPRIO} {
		s.call("rlimit", unix.SYS_PRLIMIT64, 0, resource, s.words(0, 0), 0)
	}
	s.call("rlimit fsize", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_FSIZE, s.words(uint64(s.trial.limits.File), uint64(s.trial.limits.File)), 0)
	shm := s.try("shmall", unix.SYS_OPENAT, cwd, s.text("/proc/sys/kernel/shmall"), unix.O_WRONLY|unix.O_CLOEXEC)
	shm.to = s.slot
	s.slot++
	s.try("shmall", unix.SYS_WRITE, uint64(shm.to), s.text("16384"), 5) // pages, where the kernel lets us say so
	s.affinity()
	s.call("name", unix.SYS_PRCTL, unix.PR_SET_NAME, s.text("init"))
	s.call("undumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0)
	s.say()
	s.call("close", unix.SYS_CLOSE_RANGE, signalFD+1, 1<<32-1, 0)
	if s.trial.owner < 0 {
		s.call("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	filter := native.TrialFilter(s.phase.Trace)
	var raw []byte
	for _, one := range filter {
		raw = binary.LittleEndian.AppendUint16(raw, one.Code)
		raw = append(raw, one.Jt, one.Jf)
		raw = binary.LittleEndian.AppendUint32(raw, one.K)
	}
	s.call("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, s.words(uint64(len(filter)), s.put(raw)))
	low := uint64(kept) | uint64(kept)<<32 // effective, permitted; inheritable: none
	s.call("capabilities", unix.SYS_CAPSET, s.words(unix.LINUX_CAPABILITY_VERSION_3), s.words(low, 0, 0))
}

// affinity has processes see as many processors as the trial may use.
func (s *setup) affinity() {
	if set := s.trial.processors(); set != nil {
		s.call("processors", unix.SYS_SCHED_SETAFFINITY, 0, uint64(len(set)*8), s.words(set...))
	}
}

// say sends the descriptors that we want.
func (s *setup) say() {
	raw := make([]byte, recordSize)
	binary.LittleEndian.PutUint32(raw, recordGiven)
	vector := s.words(s.put(raw), recordSize)
	var fds []byte
	for _, fd := range s.held {
		fds = binary.LittleEndian.AppendUint32(fds, uint32(fd))
	}
	size := 16 + len(fds)
	control := binary.LittleEndian.AppendUint64(nil, uint64(size))
	control = binary.LittleEndian.AppendUint32(control, unix.SOL_SOCKET)
	control = binary.LittleEndian.AppendUint32(control, unix.SCM_RIGHTS)
	control = append(control, fds...)
	for len(control)%8 != 0 {
		control = append(control, 0)
	}
	message := s.words(0, 0, vector, 1, s.put(control), uint64(len(control)), 0)
	s.call("hand over", unix.SYS_SENDMSG, controlFD, message, unix.MSG_NOSIGNAL)
}
