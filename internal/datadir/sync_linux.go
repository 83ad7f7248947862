package datadir

import (
	"os"
	"syscall"
)

// SyncsData says whether [SyncData] writes less than [os.File.Sync].
const SyncsData = true

// SyncData makes the data of f durable, with its size if that has changed, and not its times.
func SyncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
