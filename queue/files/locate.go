package files

import (
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Folder returns the folder of the queue in a data folder, or dir itself if it has none.
func Folder(dir string) string {
	below := filepath.Join(dir, datadir.Queue)
	info, err := os.Stat(below)
	if err != nil || !info.IsDir() {
		return dir
	}
	return below
}
