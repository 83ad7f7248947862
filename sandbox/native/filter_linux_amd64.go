package native

import "golang.org/x/sys/unix"

// auditArch names the processor to a filter.
const auditArch = unix.AUDIT_ARCH_X86_64

// forks are the calls besides clone that start processes.
var forks = []uint32{unix.SYS_FORK, unix.SYS_VFORK}

// opens are the calls that open files, with the argument that has the flags.
var opens = map[uint32]uint32{unix.SYS_OPEN: 1, unix.SYS_OPENAT: 2}

// marks are the calls of this processor that change a file's mode, owner and times by name.
var marks = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
