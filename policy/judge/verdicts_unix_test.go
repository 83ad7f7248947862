//go:build unix

package judge_test

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/policy/judge"
)

func TestFolderBelongsToOneStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, end := open(t, dir, 8)
	if _, err := judge.OpenStore(dir, 8); !errors.Is(err, datadir.ErrInUse) {
		t.Errorf("a second store: error %v", err)
	}
	end()
	open(t, dir, 8)
}
