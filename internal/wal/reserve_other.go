//go:build !linux

package wal

import (
	"os"
	"syscall"
)

// errQuota says that the user's quota is exhausted; not all systems have a number for it.
const errQuota = syscall.ENOSPC

func reserve(*os.File, int64) error { return nil }
