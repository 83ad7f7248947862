package datadir_test

import (
	"path/filepath"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
)

func TestSpace(t *testing.T) {
	dir := t.TempDir()
	if free, total, ok := datadir.Space(dir); ok != (total > 0) || free < 0 || free > total {
		t.Errorf("%d of %d bytes are free, known: %v", free, total, ok)
	}
	if free, total, ok := datadir.Space(filepath.Join(dir, "none")); ok || free != 0 || total != 0 {
		t.Errorf("%d of %d bytes of a missing folder are free, known: %v", free, total, ok)
	}
}
