package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/quintain-rl/quintain/sandbox/box"
)

// A buildContext is the folder of a Dockerfile.
type buildContext struct {
	root   *os.Root
	ignore ignore
}

// openContext opens a folder with its .dockerignore.
func openContext(folder string) (c buildContext, err error) {
	if c.root, err = os.OpenRoot(folder); err != nil {
		return c, err
	}
	text, err := c.root.ReadFile(".dockerignore")
	if err == nil {
		c.ignore, err = parseIgnore(string(text))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, errors.Join(err, c.root.Close())
	}
	return c, nil
}

// hash hashes names, kinds, permissions and contents of all that an image may have of the folder, and more texts.
func (c buildContext) hash(more ...string) (string, error) {
	sum := sha256.New()
	for _, text := range more {
		fmt.Fprintf(sum, "%d %s", len(text), text)
	}
	err := fs.WalkDir(c.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && name == "." || c.ignore.drops(name) {
			return err
		}
		it, err := itemOf(c.root, name, name)
		if err != nil {
			return err
		}
		size := it.size
		if !it.mode.IsRegular() {
			size = 0
		}
		fmt.Fprintf(sum, "%d %s %s %d %s", len(name), name, it.mode, size, it.link)
		if !it.mode.IsRegular() {
			return nil
		}
		f, err := it.open()
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(sum, f)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// A topping is a layer of our own that is being thought out: the files that COPY and WORKDIR put over an image.
type topping struct {
	context buildContext
	below   []box.Lower
	items   map[string]item // by absolute path
}

// find returns the kind of a file as it will be, and where it leads as a link; no kind of file: there is none.
func (t *topping) find(name string) (fs.FileMode, string) {
	if it, ok := t.items[name]; ok {
		return it.mode, it.link
	}
	at := box.Find(t.below, name)
	info, err := os.Lstat(at)
	if at == "" || err != nil {
		return fs.ModeIrregular, ""
	}
	link, _ := os.Readlink(at) // others lead nowhere
	return info.Mode(), link
}

// folder makes a folder and those above it, where they are missing; a resolved path.
func (t *topping) folder(name string) error {
	if name == "/" {
		return nil
	}
	if err := t.folder(path.Dir(name)); err != nil {
		return err
	}
	mode, _ := t.find(name)
	switch {
	case mode.IsDir(): // its entry repeats what is there, lest the layer change it
		mode &= fs.ModePerm | fs.ModeSticky | fs.ModeSetgid | fs.ModeSetuid
	case mode.Type() == fs.ModeIrregular:
		mode = 0o755
	default:
		return fmt.Errorf("%s is no folder", name)
	}
	t.items[name] = folderItem(name[1:], mode)
	return nil
}

// put puts a file of the context at a resolved path.
func (t *topping) put(from, to string) error {
	if err := t.folder(path.Dir(to)); err != nil {
		return err
	}
	it, err := itemOf(t.context.root, from, to[1:])
	if err != nil {
		return err
	}
	if mode, _ := t.find(to); mode.IsDir() {
		return fmt.Errorf("%s is a file, and the image has a folder at %s", from, to)
	}
	if kind := it.mode.Type(); kind != 0 && kind != fs.ModeSymlink {
		return fmt.Errorf("%s is no file, folder or link", from)
	}
	t.items[to] = it
	return nil
}

// copy does an instruction COPY in a working folder.
func (t *topping) copy(text, dir string, env []string) error {
	from, to, err := copyNames(text, env)
	if err != nil {
		return err
	}
	intoFolder := strings.HasSuffix(to, "/") || path.Base(to) == "."
	var names []string
	for _, pattern := range from {
		more, err := t.context.glob(pattern)
		if err != nil {
			return err
		}
		names = append(names, more...)
	}
	if !path.IsAbs(to) {
		to = path.Join("/", dir, to)
	}
	if to, err = resolve(to, t.find); err != nil {
		return err
	}
	mode, _ := t.find(to)
	if len(names) > 1 && !intoFolder && !mode.IsDir() {
		return errors.New("COPY of several files wants a folder as destination, with a slash at its end")
	}
	for _, name := range names {
		if err := t.copyOne(name, to, intoFolder || mode.IsDir() || to == "/"); err != nil {
			return err
		}
	}
	return nil
}

// copyOne copies a source: of a folder all that is in it, of others, which may be links, the file itself.
func (t *topping) copyOne(name, to string, intoFolder bool) error {
	info, err := t.context.root.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		file, err := t.context.follow(name)
		if err != nil {
			return err
		}
		if intoFolder {
			to = path.Join(to, path.Base(name))
		}
		return t.put(file, to)
	}
	if err := t.folder(to); err != nil {
		return err
	}
	return fs.WalkDir(t.context.root.FS(), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == name || t.context.ignore.drops(at) {
			return err
		}
		target := path.Join(to, strings.TrimPrefix(at, strings.TrimSuffix(name, ".")))
		if !d.IsDir() {
			return t.put(at, target)
		}
		if err := t.folder(target); err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			t.items[target] = folderItem(target[1:], info.Mode().Perm())
		}
		return err
	})
}

// follow returns the file to which a name of the context leads.
func (c buildContext) follow(name string) (string, error) {
	file, err := resolve("/"+name, func(at string) (fs.FileMode, string) {
		info, err := c.root.Lstat(at[1:])
		if err != nil {
			return fs.ModeIrregular, ""
		}
		link, _ := c.root.Readlink(at[1:]) // others lead nowhere
		return info.Mode(), link
	})
	return strings.TrimPrefix(file, "/"), err
}

// glob returns the files of the context that a source names; none is an error.
func (c buildContext) glob(pattern string) ([]string, error) {
	clean := path.Clean("/" + pattern)[1:]
	if clean == "" {
		return []string{"."}, nil
	}
	names := []string{clean}
	if strings.ContainsAny(clean, "*?[\\") {
		var err error
		if names, err = fs.Glob(c.root.FS(), clean); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		info, err := c.root.Stat(name)
		return err != nil || !info.IsDir() && c.ignore.drops(name)
	})
	if len(names) == 0 {
		return nil, fmt.Errorf("the folder has no %s, or .dockerignore names it", pattern)
	}
	return names, nil
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
