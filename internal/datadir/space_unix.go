//go:build linux || darwin

package datadir

import "syscall"

// Space returns how many bytes an ordinary user may still write to the disk of dir, and the
// size of that disk; ok is false if the system does not tell.
func Space(dir string) (free, total int64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), true
}
