package wal

import (
	"os"
	"syscall"
)

// errQuota says that the user's quota is exhausted.
const errQuota = syscall.EDQUOT

// keepSize is FALLOC_FL_KEEP_SIZE.
const keepSize = 1

func reserve(f *os.File, size int64) error {
	return os.NewSyscallError("fallocate", syscall.Fallocate(int(f.Fd()), keepSize, 0, size))
}
