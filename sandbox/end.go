package sandbox

// Signals of Linux and macOS by which the kernel ends a process at a limit.
const (
	sigXCPU = 24
	sigXFSZ = 25
)

// EndOf tells the end of a program by its signal (0: none) or its exit status.
func EndOf(signal, code int) (End, int) {
	switch signal {
	case 0:
		return Exited, code
	case sigXCPU:
		return CPULimit, 0
	case sigXFSZ:
		return DiskLimit, 0
	}
	return Signalled, signal
}
