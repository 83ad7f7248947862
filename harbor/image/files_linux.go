package image

import (
	"fmt"
	"io/fs"
	"syscall"
)

// diskNumber identifies a file that has several names; empty: it has one.
func diskNumber(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink < 2 {
		return ""
	}
	return fmt.Sprint(st.Dev, ".", st.Ino)
}
