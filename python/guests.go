// Package python holds files of the Python package that the program needs, too.
package python

import (
	"embed"
	"io/fs"
)

//go:embed quintain/guests/*.py
var guests embed.FS

// Guests returns the files of the hosts that play environments of Python packages: host.py, and a module
// for each.
func Guests() fs.FS {
	files, err := fs.Sub(guests, "quintain/guests")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}
