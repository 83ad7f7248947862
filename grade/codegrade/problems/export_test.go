package problems

import (
	"testing"

	"github.com/quintain-rl/quintain/tasks/dataset"
)

// Opened opens a file of rows for a test.
func Opened(t testing.TB, path string) *dataset.File {
	t.Helper()
	file, err := dataset.OpenRows(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
