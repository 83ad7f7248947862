package problems

import (
	"testing"

	"github.com/quintain-rl/quintain/internal/jsonl/rows"
)

// Opened opens a file of rows for a test.
func Opened(t testing.TB, path string) *rows.File {
	t.Helper()
	file, err := rows.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
