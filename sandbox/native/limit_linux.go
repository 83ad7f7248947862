package native

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// limit sets the kernel's limits of a process that has just started.
func limit(pid int, l sandbox.Limits) {
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CPU: uint64((l.CPU+time.Second-1)/time.Second) + 1, unix.RLIMIT_AS: uint64(4 * l.Memory),
		unix.RLIMIT_FSIZE: uint64(l.FileSize), unix.RLIMIT_NOFILE: uint64(l.Open), unix.RLIMIT_CORE: 0,
	} {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil) // an error: it has ended
	}
}
