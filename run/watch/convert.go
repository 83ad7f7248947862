package watch

import (
	"errors"
	"math"
	"path/filepath"

	"github.com/quintain-rl/quintain/trace"
)

// convertLines reads files into a new trace in a folder. Program names the writer in the trace.
func convertLines(files []string, folder, program string) error {
	whole := trace.Settings{On: true, MaxBytes: math.MaxInt64, SegmentBytes: trace.Default().SegmentBytes}
	to, err := trace.NewWriter(folder, trace.Head{Run: filepath.Base(files[0]), Program: program}, whole)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := readLines(file, to.Write); err != nil {
			return errors.Join(err, to.Close())
		}
	}
	return to.Close()
}
