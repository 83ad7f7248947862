package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// mostRounds bounds the looks for processes that start others meanwhile.
const mostRounds = 10

// killStrays ends the processes whose environment names a file in a folder, wherever they went.
func killStrays(folder string) {
	mark := []byte("=" + filepath.Clean(folder) + "/")
	for range mostRounds {
		all, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			return
		}
		found := false
		for _, path := range all {
			environ, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(environ, mark) {
				continue // of somebody else, or gone
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
