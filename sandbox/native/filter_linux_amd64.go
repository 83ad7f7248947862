package native

import "golang.org/x/sys/unix"

// auditArch names the processor to a filter.
const auditArch = unix.AUDIT_ARCH_X86_64

// forks are the calls besides clone that start processes.
var forks = []uint32{unix.SYS_FORK, unix.SYS_VFORK}

// marks are the calls of this processor that change a file's mode, owner and times by name.
var marks = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
