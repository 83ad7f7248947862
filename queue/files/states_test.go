package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// TestStatesAreShortened changes and deletes states: their file stays in proportion to its
// content, even after the folder is reopened.
func TestStatesAreShortened(t *testing.T) {
	const keys, rounds = 200, 60
	dir := t.TempDir()
	q := openDir(t, dir, files.Options{})
	value := []byte(strings.Repeat("x", 1000))
	for round := range rounds {
		list := make([]queue.State, keys)
		for i := range list {
			list[i] = queue.State{Key: fmt.Sprint("k-", round%3, "-", i), Value: value}
			if round%3 == 2 {
				list[i].Key, list[i].Value = fmt.Sprint("k-0-", i), nil
			}
		}
		if err := q.SetStates(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if round%20 == 19 {
			queuetest.Close(t, q)
			q = openDir(t, dir, files.Options{})
		}
	}
	list, err := q.States(t.Context(), "k-")
	if err != nil || len(list) != keys {
		t.Errorf("%d records are left, want %d: %v", len(list), keys, err)
	}
	queuetest.Close(t, q)
	info, err := os.Stat(filepath.Join(dir, "states.log"))
	if err != nil {
		t.Fatal(err)
	}
	// A mebibyte, four times the largest content, one round, and the reserved space.
	if most := int64(1<<20 + 6*2*keys*1100 + 256<<10); info.Size() > most {
		t.Errorf("their file has %d bytes, want at most %d", info.Size(), most)
	}
}
