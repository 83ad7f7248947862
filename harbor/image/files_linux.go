package image

import (
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskNumber identifies a file that has several names; empty: it has one.
func diskNumber(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink < 2 {
		return ""
	}
	return fmt.Sprint(st.Dev, ".", st.Ino)
}

// isOpaque reports whether a folder hides those of lower layers.
func isOpaque(folder string) bool {
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(folder, opaqueName, value)
	return err == nil && string(value[:n]) == "y"
}
