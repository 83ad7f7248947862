package image

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/quintain-rl/quintain/sandbox/box"
)

// A stack is the file system of an image, topmost folder first, as an overlay shows it.
type stack []box.Lower

// find returns what an absolute, clean path names, without following links: above it there are folders alone.
func (s stack) find(name string) (fs.FileInfo, bool) {
	at := ""
	for _, l := range s {
		if (name == l.At || strings.HasPrefix(name, l.At+"/")) && len(l.At) > len(at) {
			at = l.At
		}
	}
	rest := strings.Split(strings.TrimPrefix(strings.TrimPrefix(name, at), "/"), "/")
	for _, l := range s {
		if l.At != at {
			continue
		}
		if info, ends := look(l.Dir, rest); ends {
			return info, info != nil
		}
	}
	return nil, false
}

// look looks for a path in one folder. It ends the search also if the folder hides those below; then there is no info.
func look(dir string, parts []string) (info fs.FileInfo, ends bool) {
	info, err := os.Lstat(dir)
	for _, part := range parts {
		if part == "" { // the folder itself
			continue
		}
		if err == nil && !info.IsDir() { // it hides the folders below, if there are some
			return nil, true
		}
		dir = filepath.Join(dir, part)
		if info, err = os.Lstat(dir); err != nil {
			return nil, ends
		}
		if info.Mode().Type() == fs.ModeDevice|fs.ModeCharDevice { // a whiteout: other devices are not unpacked
			return nil, true
		}
		ends = ends || info.IsDir() && isOpaque(dir)
	}
	return info, err == nil
}

// mostLinks bounds the links that a path goes through.
const mostLinks = 40

// resolve follows the links in an absolute path as far as there are files, in the file system and in what is laid over it. The name
// itself is followed, too.
func resolve(name string, find func(string) (fs.FileMode, string)) (string, error) {
	done, left := "/", strings.Split(path.Clean("/" + name)[1:], "/")
	for links := 0; len(left) > 0; {
		part := left[0]
		left = left[1:]
		next := path.Join(done, part)
		mode, link := find(next)
		if mode.Type() != fs.ModeSymlink {
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
		}
		if !path.IsAbs(link) {
			link = path.Join(done, link)
		}
		left = append(strings.Split(path.Clean(link)[1:], "/"), left...)
		done = "/"
	}
	return done, nil
}
