package image

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A machineState is what names the tools of the machine.
type machineState struct {
	tools string   // digest
	etc   []string // names in /etc to which links in the folders lead, or below which
}

// machineNames are the folders at the root in which the tools of a machine lie. On most, all but the first are links.
func machineNames() []string {
	return []string{"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"}
}

// AddMachine adds an image of the machine's own tools, under a name: its /usr, and its /bin, /lib, /lib64 and /sbin as far as they are no
// links, are read-only folders of a trial, which nobody copies; all else is a small layer of our own. Its digest stands for that layer,
// and for the names, kinds, permissions, sizes and links of all in those folders, without __pycache__: not for contents. Once they
// change, [Store.Find] refuses the image until it is added again.
func (s *Store) AddMachine(ctx context.Context, name string) (img Image, err error) {
	if err := checkName(name); err != nil {
		return img, err
	}
	done, err := s.begin()
	if err != nil {
		return img, err
	}
	defer done()
	var folders []string
	items := []item{}
	for _, name := range machineNames() {
		info, err := os.Lstat("/" + name)
		switch {
		case err != nil: // there is none
		case info.IsDir():
			folders = append(folders, "/"+name)
			items = append(items, folderItem(name, 0o755))
		case info.Mode().Type() == fs.ModeSymlink:
			link, err := os.Readlink("/" + name)
			if err != nil {
				return img, err
			}
			items = append(items, item{name: name, mode: fs.ModeSymlink | 0o777, link: link})
		}
	}
	state, err := readMachine(ctx, folders)
	if err != nil {
		return img, err
	}
	l, err := s.unpackMade(ctx, true, func(t *tar.Writer) error {
		for _, it := range slices.Concat(items, ownFolders(), ownEtc()) {
			if err := it.write(t); err != nil {
				return err
			}
		}
		return packEtc(t, state.etc)
	})
	if err != nil {
		return img, err
	}
	c := newConfig([]string{machinePath(), "LANG=C.UTF-8"}, l.Digest)
	c.Machine = &machineMark{Folders: folders, Tools: state.tools}
	text, err := strictjson.Canonical(c)
	if err != nil {
		return img, err
	}
	s.remember(folders, state)
	return s.bind(manifest{Config: string(text), From: "this machine"}, name)
}

// machinePath returns the usual search path, with those folders below /usr that are in the search path here.
func machinePath() string {
	all := strings.Split(strings.TrimPrefix(usualPath, "PATH="), ":")
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if strings.HasPrefix(folder, "/usr/") && !slices.Contains(all, folder) && filepath.Clean(folder) == folder {
			all = append(all, folder)
		}
	}
	return "PATH=" + strings.Join(all, ":")
}

// ownFolders returns the folders that each system has.
func ownFolders() []item {
	all := []item{folderItem("tmp", 0o777|fs.ModeSticky), folderItem("root", 0o700)}
	for _, name := range strings.Fields("dev proc sys run home opt srv mnt media var var/log var/lib var/cache var/spool var/mail") {
		all = append(all, folderItem(name, 0o755))
	}
	return append(all, folderItem("var/tmp", 0o777|fs.ModeSticky),
		item{name: "var/run", mode: fs.ModeSymlink | 0o777, link: "/run"}, item{name: "var/lock", mode: fs.ModeSymlink | 0o777, link: "/run/lock"}, folderItem("run/lock", 0o777|fs.ModeSticky))
}

// fromEtc are names below /etc that the tools of a machine need: the loader, TLS, names of ports. No machine has all.
func fromEtc() []string {
	return strings.Fields("ld.so.cache ld.so.conf ld.so.conf.d ssl pki ca-certificates ca-certificates.conf crypto-policies services protocols mime.types os-release debian_version alternatives java")
}

// ownEtc returns what each system has in /etc.
func ownEtc() []item {
	return []item{
		folderItem("etc", 0o755),
		textItem("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"),
		textItem("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
		textItem("etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
		textItem("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
		{name: "etc/mtab", mode: fs.ModeSymlink | 0o777, link: "/proc/mounts"},
	}
}

// Bounds of the machine's /etc: what has more is no configuration of tools.
const (
	maxEtcFile  = 8 << 20
	maxEtcFiles = 20_000
)

// packEtc packs of the machine's /etc what its tools need and everybody may read: also what links in their folders lead to.
func packEtc(t *tar.Writer, linked []string) error {
	root, err := os.OpenRoot("/etc")
	if err != nil {
		return err
	}
	defer root.Close()
	names := append(fromEtc(), linked...)
	slices.Sort(names)
	count := 0
	for _, name := range slices.Compact(names) {
		if slices.ContainsFunc(ownEtc(), func(it item) bool { return it.name == "etc/"+name }) {
			continue
		}
		err := fs.WalkDir(root.FS(), name, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it is not there, or not for us
			}
			it, err := itemOf(root, name, "etc/"+name)
			kind, perm := it.mode.Type(), it.mode.Perm()
			switch {
			case err != nil:
				return nil //nolint:nilerr // as above
			case d.IsDir() && perm&0o005 != 0o005:
				return fs.SkipDir
			case kind == 0 && (perm&0o004 == 0 || it.size > maxEtcFile), kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink:
				return nil
			}
			if count++; count > maxEtcFiles {
				return fmt.Errorf("more than %d files of /etc are needed by tools of this machine", maxEtcFiles)
			}
			return it.write(t)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// machineTools returns the digest of what names the tools in folders of the machine.
func (s *Store) machineTools(folders []string) (string, error) {
	s.mu.Lock()
	state, known := s.tools[strings.Join(folders, ":")]
	s.mu.Unlock()
	if known {
		return state.tools, nil
	}
	state, err := readMachine(context.Background(), folders)
	if err == nil {
		s.remember(folders, state)
	}
	return state.tools, err
}

// remember keeps what names the tools in folders of the machine, as long as this program runs.
func (s *Store) remember(folders []string, state machineState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools[strings.Join(folders, ":")] = state
}

// readMachine reads what names the tools in folders, and which names of /etc their links need. What others may not read does not count.
func readMachine(ctx context.Context, folders []string) (machineState, error) {
	sum, etc := sha256.New(), map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it has just gone
			}
			if err != nil {
				return err
			}
			mode, size, link := info.Mode(), int64(0), ""
			switch {
			case d.IsDir() && (d.Name() == "__pycache__" || mode.Perm()&0o005 != 0o005):
				return fs.SkipDir
			case mode.IsRegular():
				size = info.Size()
			case mode.Type() == fs.ModeSymlink:
				if link, err = os.Readlink(name); err != nil {
					return err
				}
				to := link
				if !path.IsAbs(to) {
					to = path.Join(path.Dir(name), to)
				}
				if rest, ok := strings.CutPrefix(path.Clean(to), "/etc/"); ok {
					top, _, _ := strings.Cut(rest, "/")
					etc[top] = true
				}
			}
			fmt.Fprintf(sum, "%s\x00%s\x00%d\x00%s\x00", name, mode, size, link)
			return nil
		})
		if err != nil {
			return machineState{}, fmt.Errorf("the machine's tools: %w", err)
		}
	}
	state := machineState{tools: digestPrefix + hex.EncodeToString(sum.Sum(nil))}
	state.etc = slices.Sorted(maps.Keys(etc))
	return state, nil
}
