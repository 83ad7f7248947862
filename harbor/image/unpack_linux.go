package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxKept bounds what an unpacker remembers.
const maxKept = 10_000

// An unpacker fills the folder of a layer.
type unpacker struct {
	store  *disk
	part   *part
	tree   tree
	kept   int // descriptor of kept/
	record *recorder
	time   time.Time // of the root
	buffer []byte
	about  layer
	looked int64 // bytes after which the room on the disk was looked at
}

// unpack unpacks the archive of a layer, uncompressed, into the store. Its digest must be the given one; empty: any. At most a few
// megabytes of memory are used, whatever the layer. Unless it is to be durable, a power cut may spoil it.
func (s *disk) unpack(ctx context.Context, archive io.Reader, digest string, durable bool) (_ layer, err error) {
	if err := s.room(0); err != nil {
		return layer{}, err
	}
	p, err := s.newPart()
	if err != nil {
		return layer{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	u := &unpacker{store: s, part: p, buffer: make([]byte, 256<<10)}
	if err := u.run(ctx, archive); err != nil {
		return layer{}, err
	}
	u.about.Digest = digestPrefix + hex.EncodeToString(u.record.sum.Sum(nil))
	if digest != "" && digest != u.about.Digest {
		return layer{}, fmt.Errorf("the content of layer %s is %s: the image is damaged, or forged", digest, u.about.Digest)
	}
	return u.about, p.finish(s, u.about, durable)
}

// run unpacks all entries.
func (u *unpacker) run(ctx context.Context, archive io.Reader) (err error) {
	stream, err := os.Create(filepath.Join(u.part.path, streamName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	out, err := newEncoder(stream)
	if err != nil {
		return err
	}
	// Headers and padding are three times as large as the smallest files; the archive of a layer is bounded by that.
	u.record = &recorder{ctx: ctx, from: bufio.NewReaderSize(archive, 1<<18), sum: sha256.New(), out: out, most: u.store.Limits.Layer + int64(u.store.Limits.Entries)*2048}
	for _, at := range []struct {
		fd   *int
		name string
	}{{&u.tree.root, rootName}, {&u.kept, keptName}} {
		if *at.fd, err = openFolder(unix.AT_FDCWD, filepath.Join(u.part.path, at.name)); err != nil {
			return err
		}
		defer func(fd int) { _ = unix.Close(fd) }(*at.fd)
	}
	defer u.tree.leave(0)
	if err := u.entries(); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, u.record); err != nil { // what follows the end counts for the digest
		return err
	}
	u.about.Archive = u.record.n
	u.tree.leave(0)
	if !u.time.IsZero() {
		_ = setTime(u.tree.root, ".", u.time)
	}
	return out.Close()
}

// entries unpacks the entries of the archive.
func (u *unpacker) entries() error {
	for t := tar.NewReader(u.record); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive of the layer: %w", err)
		}
		if u.about.Entries++; u.about.Entries > u.store.Limits.Entries {
			return fmt.Errorf("the layer has more than %d files, folders and links (images.layer_entries)", u.store.Limits.Entries)
		}
		if err := u.entry(h, t); err != nil {
			return fmt.Errorf("%.200q in the layer: %w", h.Name, err)
		}
	}
}

// entry unpacks one entry.
func (u *unpacker) entry(h *tar.Header, content io.Reader) error {
	parts, err := cleanPath(h.Name)
	if err != nil || h.Typeflag == tar.TypeXGlobalHeader {
		return err
	}
	if len(parts) == 0 {
		if h.Typeflag == tar.TypeDir {
			u.time = h.ModTime
			return unix.Fchmod(u.tree.root, mode(h)|0o700)
		}
		return errors.New("it is the root, and no folder")
	}
	name := parts[len(parts)-1]
	dir, err := u.tree.enter(parts[:len(parts)-1], u.imply)
	if err != nil {
		return err
	}
	if hidden, ok := strings.CutPrefix(name, ".wh."); ok {
		return u.hide(dir, parts, hidden)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return u.folder(dir, parts, h)
	case tar.TypeReg, tar.TypeRegA, tar.TypeCont, tar.TypeGNUSparse: //nolint:staticcheck // old archives have the deprecated one
		return u.file(dir, parts, h, content)
	case tar.TypeSymlink:
		err = u.place(dir, parts, func() error { return unix.Symlinkat(h.Linkname, dir, name) })
	case tar.TypeLink:
		err = u.link(dir, parts, h.Linkname)
	case tar.TypeFifo:
		err = u.place(dir, parts, func() error { return unix.Mknodat(dir, name, unix.S_IFIFO|mode(h), 0) })
	case tar.TypeChar, tar.TypeBlock:
		u.about.Devices++
		return nil
	default:
		return fmt.Errorf("it is of the unknown kind %q", h.Typeflag)
	}
	if err != nil || h.Typeflag == tar.TypeLink {
		return err
	}
	return setTime(dir, name, h.ModTime)
}

// mode returns the permissions of an entry, with setuid, setgid and the sticky bit.
func mode(h *tar.Header) uint32 { return uint32(h.Mode) & 0o7777 }

// imply makes a folder that the archive needs and does not have, yet.
func (u *unpacker) imply(dir int, parts []string, err error) error {
	name := parts[len(parts)-1]
	_, hidden := kindOf(dir, name)
	if hidden {
		err = unix.Unlinkat(dir, name, 0)
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return absent(dir, parts, err)
	}
	if err := unix.Mkdirat(dir, name, 0o755); err != nil {
		return err
	}
	if hidden {
		return opaque(dir, name)
	}
	return nil
}

// hide hides what lower layers have, by the rest of a name after ".wh.". What this layer has stays, whatever the order.
func (u *unpacker) hide(dir int, parts []string, name string) error {
	if name == ".wh..opq" {
		if len(parts) == 1 {
			u.about.Opaque = true
			return nil
		}
		return unix.Fsetxattr(dir, opaqueName, []byte("y"), 0)
	}
	if strings.HasPrefix(name, ".wh.") {
		return nil // notes of aufs to itself
	}
	if name == "" || name == "." || name == ".." {
		return errors.New("it hides a folder in which it is")
	}
	switch kind, _ := kindOf(dir, name); kind {
	case 0:
		return whiteout(dir, name)
	case unix.S_IFDIR:
		return opaque(dir, name)
	}
	return nil
}

// place makes a file by create, in place of another one that is there.
func (u *unpacker) place(dir int, parts []string, create func() error) error {
	err := create()
	if !errors.Is(err, unix.EEXIST) {
		return err
	}
	if err := u.clear(dir, parts); err != nil {
		return err
	}
	return create()
}

// clear removes what an entry replaces. Contents are kept, for the archive cannot be written again without them.
func (u *unpacker) clear(dir int, parts []string) error {
	name := parts[len(parts)-1]
	kind, _ := kindOf(dir, name)
	if kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return unix.Unlinkat(dir, name, 0)
	}
	n := len(u.about.Kept)
	if n == maxKept {
		return fmt.Errorf("more than %d entries of the layer replace others", maxKept)
	}
	u.about.Kept = append(u.about.Kept, moved{[]byte(strings.Join(parts, "/")), u.record.files})
	return unix.Renameat(dir, name, u.kept, fmt.Sprint(n))
}

// folder makes a folder, or gives another mode to one that is there.
func (u *unpacker) folder(dir int, parts []string, h *tar.Header) error {
	name := parts[len(parts)-1]
	err := unix.Mkdirat(dir, name, 0o700)
	if errors.Is(err, unix.EEXIST) {
		kind, hidden := kindOf(dir, name)
		switch {
		case kind == unix.S_IFDIR:
			err = nil
		case hidden:
			err = errors.Join(unix.Unlinkat(dir, name, 0), unix.Mkdirat(dir, name, 0o700), opaque(dir, name))
		default:
			err = errors.Join(u.clear(dir, parts), unix.Mkdirat(dir, name, 0o700))
		}
	}
	if err != nil {
		return err
	}
	fd, err := openFolder(dir, name)
	if err != nil {
		return err
	}
	// Its owner must be able to enter it.
	_ = setTime(fd, ".", h.ModTime) // a time that the disk refuses is not worth an error
	return errors.Join(unix.Fchmod(fd, mode(h)|0o700), u.xattrs(fd, h), unix.Close(fd))
}

// link makes a hard link to a file or a link of this layer.
func (u *unpacker) link(dir int, parts []string, to string) error {
	target, err := cleanPath(to)
	if err != nil {
		return err
	}
	if len(target) == 0 {
		return errors.New("it is a hard link to the root")
	}
	if strings.Join(target, "/") == strings.Join(parts, "/") {
		return nil
	}
	other := tree{root: u.tree.root}
	defer other.leave(0)
	base := target[len(target)-1]
	above, err := other.enter(target[:len(target)-1], absent)
	if err != nil {
		return fmt.Errorf("its hard link: %w", err)
	}
	if kind, _ := kindOf(above, base); kind != unix.S_IFREG && kind != unix.S_IFLNK && kind != unix.S_IFIFO {
		return fmt.Errorf("it is a hard link to %.200q, which is no file of this layer", to)
	}
	return u.place(dir, parts, func() error { return unix.Linkat(above, base, dir, parts[len(parts)-1], 0) })
}

// file makes a file.
func (u *unpacker) file(dir int, parts []string, h *tar.Header, content io.Reader) (err error) {
	if u.about.Bytes+h.Size > u.store.Limits.Layer || h.Size < 0 {
		return fmt.Errorf("with its %s the layer has more than %s (images.layer_size)", Bytes(h.Size), Bytes(u.store.Limits.Layer))
	}
	if u.about.Bytes += h.Size; u.about.Bytes-u.looked >= roomEvery || h.Size >= roomEvery {
		u.looked = u.about.Bytes
		if err := u.store.room(h.Size); err != nil {
			return err
		}
	}
	name, fd := parts[len(parts)-1], -1
	if err := u.place(dir, parts, func() (err error) {
		fd, err = unix.Openat(dir, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	sparse := h.Typeflag == tar.TypeGNUSparse
	for key := range h.PAXRecords {
		sparse = sparse || strings.HasPrefix(key, "GNU.sparse.")
	}
	if h.Size > 0 && !sparse { // the archive of a sparse file has less than the file
		if err := u.record.leaveOut(strings.Join(parts, "/"), h.Size); err != nil {
			return err
		}
	}
	err = u.fill(fd, content, sparse)
	u.record.inFile = false
	if err == nil && sparse {
		err = unix.Ftruncate(fd, h.Size)
	}
	// Its owner must be able to read it.
	return errors.Join(err, u.xattrs(fd, h), unix.Fchmod(fd, mode(h)|0o400), setTime(dir, name, h.ModTime))
}

// fill writes the content of a file, in a sparse one without blocks of zeros.
func (u *unpacker) fill(fd int, content io.Reader, sparse bool) error {
	for {
		n, err := content.Read(u.buffer)
		b := u.buffer[:n]
		var wrong error
		if sparse && len(bytes.TrimLeft(b, "\x00")) == 0 {
			_, wrong = unix.Seek(fd, int64(n), io.SeekCurrent)
		} else {
			wrong = writeAll(fd, b)
		}
		if wrong != nil || errors.Is(err, io.EOF) {
			return wrong
		}
		if err != nil {
			return err
		}
	}
}

// writeAll writes b to a descriptor.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// xattrs keeps the extended attributes of users; others would say something only with the rights of root.
func (u *unpacker) xattrs(fd int, h *tar.Header) error {
	for key, value := range h.PAXRecords {
		name, ok := strings.CutPrefix(key, "SCHILY.xattr.")
		switch {
		case !ok:
		case strings.HasPrefix(name, "user.overlay."):
			return fmt.Errorf("it has the attribute %.100q, which is the overlay's", name)
		case !strings.HasPrefix(name, "user.") || unix.Fsetxattr(fd, name, []byte(value), 0) != nil:
			u.about.Xattrs++
		}
	}
	return nil
}

// probe reports why a store cannot have images on its disk; nil: it can.
func (s *disk) probe() error {
	p, err := s.newPart()
	if err != nil {
		return err
	}
	root, err := openFolder(unix.AT_FDCWD, p.path)
	if err != nil {
		return errors.Join(err, p.remove())
	}
	defer func() { _ = unix.Close(root) }()
	if err := whiteout(root, "whiteout"); err != nil {
		return errors.Join(fmt.Errorf("this user, or the disk of %s, can make no whiteouts (%w): Linux 5.8 can on its own file systems, so name a folder on another disk in %s", s.dir, err, Variable), p.remove())
	}
	if err := opaque(root, rootName); err != nil {
		return errors.Join(fmt.Errorf("the disk of %s keeps no extended attributes of users (%w), which overlays need: name a folder on another one in %s", s.dir, err, Variable), p.remove())
	}
	return p.remove()
}
