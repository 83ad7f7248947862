package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKernelsAreUpToDate(t *testing.T) {
	t.Parallel()
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || string(got) != want {
			t.Errorf("%s is stale (%v): run go generate ./tiny/transformer", name, err)
		}
	}
}
