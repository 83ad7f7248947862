package datadir

import (
	"os"
	"path/filepath"
	"strings"
)

// MarkOf returns the path of the mark of a queue, a folder or a file in the data folder root.
func MarkOf(root, name string) string {
	return filepath.Join(root, marks, strings.ReplaceAll(filepath.ToSlash(name), "/", "."))
}

// MarkBeside is [MarkOf] a folder or file at a path that stands in a data folder; empty: it is in
// none.
func MarkBeside(path string) string {
	root := filepath.Dir(filepath.Clean(path))
	if _, err := os.Stat(filepath.Join(root, "format.json")); err != nil {
		return ""
	}
	return MarkOf(root, filepath.Base(path))
}
