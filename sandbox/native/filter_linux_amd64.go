package native

import "golang.org/x/sys/unix"

// auditArch names the processor to a filter.
const auditArch = unix.AUDIT_ARCH_X86_64

// forks are the calls besides clone that start processes.
var forks = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
