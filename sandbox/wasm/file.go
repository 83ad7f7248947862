package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the most bytes of a program.
const maxFile = 512 << 20

// read reads a program, and makes sure that it is the one.
func (f File) read() ([]byte, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: want a regular file of %d MiB at most", f.Path, maxFile>>20)
	}
	content, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	has := hex.EncodeToString(sum[:])
	switch {
	case f.SHA256 == "":
		return nil, fmt.Errorf("the SHA-256 of %s is %s: give it, if it is that of the file you mean", f.Path, has)
	case !strings.EqualFold(f.SHA256, has):
		return nil, fmt.Errorf("the SHA-256 of %s is %s, want %s", f.Path, has, f.SHA256)
	}
	return content, nil
}

// check reports whether the file is the one.
func (f File) check() error {
	_, err := f.read()
	return err
}

// cacheFolder is the folder of compiled programs; empty: there is none, and every child compiles.
// Whoever can write there can have any code run.
func cacheFolder(given string) string {
	if given != "" {
		return given
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "quintain", "wasm")
}
