//go:build amd64 || arm64

package native

import (
	"errors"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The accesses of landlock, by the version that knows them.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	noRights   = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE

	leastABI  = 2 // of the floor: files
	cutABI    = 3 // truncation; before it, the filter refuses that by name
	tcpABI    = 4 // TCP, which the filter refuses too
	deviceABI = 5 // ioctl of devices
	scopeABI  = 6 // signals, abstract sockets; before it, the filter refuses both
)

// readable are the folders and files that every program may read.
var readable = []string{
	"/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime",
}

// devices are the devices that every program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"}

// landlockABI is the version of landlock, 0 if there is none.
func landlockABI() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// newRules makes the rules of a job whose folder is dir: it writes there, reads what all may
// read, and reaches nothing else. The caller must close the descriptor.
func newRules(abi int, dir string, read []string) (rules int, err error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: readRights | writeRights | noRights}
	own, size := uint64(readRights|writeRights), unsafe.Offsetof(attr.Handled_access_net)
	if abi < cutABI {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
		own &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= tcpABI {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Scoped)
	}
	if abi >= deviceABI {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= scopeABI {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return 0, errno
	}
	rules = int(n)
	unix.CloseOnExec(rules)
	err = allow(rules, dir, own)
	for _, name := range readable {
		err = errors.Join(err, allow(rules, name, readRights))
	}
	for _, name := range read {
		err = errors.Join(err, allow(rules, name, readRights))
	}
	for _, name := range devices {
		err = errors.Join(err, allow(rules, name, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE))
	}
	if err != nil {
		return 0, errors.Join(err, unix.Close(rules))
	}
	return rules, nil
}

// allow adds a rule. A file or folder that does not exist needs none.
func allow(rules int, name string, rights uint64) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &fs.PathError{Op: "landlock", Path: name, Err: errno}
	}
	return nil
}
