package doctor

import "golang.org/x/sys/unix"

// fileSystem is the kind of the file system of a folder; empty: unknown.
func fileSystem(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
