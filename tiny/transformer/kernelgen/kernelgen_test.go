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
			t.Errorf("%s is not what kernelgen writes (%v): run go generate ./transformer", name, err)
		}
	}
}
