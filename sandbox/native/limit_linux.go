package native

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// limit sets the kernel's limits of a process that has just started.
func limit(pid int, l sandbox.Limits) {
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CPU: uint64((l.CPU+time.Second-1)/time.Second) + 1, unix.RLIMIT_AS: addresses(l),
		unix.RLIMIT_FSIZE: uint64(l.FileSize), unix.RLIMIT_NOFILE: uint64(l.Open), unix.RLIMIT_CORE: 0,
	} {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil) // an error: it has ended
	}
}

// addresses bounds the addresses of a process, in bytes. Interpreters and the runtime of Go reserve many more than they
// use, whatever the limit; the watcher is exact.
func addresses(l sandbox.Limits) uint64 { return uint64(4*l.Memory + 512<<20) }
