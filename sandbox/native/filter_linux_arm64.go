package native

import "golang.org/x/sys/unix"

// auditArch names the processor to a filter.
const auditArch = unix.AUDIT_ARCH_AARCH64

// forks are the calls besides clone that start processes.
var forks = []uint32{}

// marks are the calls of this processor that change a file's mode, owner and times by name.
var marks = []uint32{}
