package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
)

// Folders returns the folders of the queues in a data folder, the default run's first, or dir
// itself if it is such a folder. It is an error if there is no queue.
func Folders(dir string) ([]string, error) {
	if some, err := isQueue(dir); some || err != nil {
		return []string{dir}, err
	}
	main := filepath.Join(dir, datadir.Queue)
	if some, err := isQueue(main); !some {
		if err == nil || os.IsNotExist(err) {
			err = fmt.Errorf("%s: holds no queue: want a data folder, or the folder of a queue in it", dir)
		}
		return nil, err
	}
	list := []string{main}
	runs, err := os.ReadDir(filepath.Join(dir, datadir.Runs))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, run := range runs {
		if strings.Contains(run.Name(), ".") { // of a run that is being removed
			continue
		}
		folder := filepath.Join(dir, datadir.Runs, run.Name())
		if some, err := isQueue(folder); run.IsDir() && err == nil && some {
			list = append(list, folder)
		}
	}
	return list, nil
}

// isQueue reports whether a folder has files of a queue.
func isQueue(dir string) (bool, error) {
	names, err := wal.NewFolder(dir, nil).Names()
	return slices.ContainsFunc(names, func(name string) bool { return name == manifestName || ours(name) }), err
}
