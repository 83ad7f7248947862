package datadir

import "golang.org/x/sys/unix"

// Born is when a file was made, in nanoseconds since 1970, or 0 if the disk does not tell.
// Nobody can set it, and a copy has its own.
func Born(path string) uint64 {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return uint64(st.Btime.Sec)*1e9 + uint64(st.Btime.Nsec)
}
