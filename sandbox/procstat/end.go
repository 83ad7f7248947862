package procstat

import "github.com/quintain-rl/quintain/sandbox"

// Signals of Linux and macOS by which the kernel ends a process at a limit.
const (
	sigXCPU = 24
	sigXFSZ = 25
)

// End tells the end of a program by its signal (0: none) or its exit status.
func End(signal, code int) (sandbox.End, int) {
	switch signal {
	case 0:
		return sandbox.Exited, code
	case sigXCPU:
		return sandbox.CPULimit, 0
	case sigXFSZ:
		return sandbox.DiskLimit, 0
	}
	return sandbox.Signalled, signal
}
