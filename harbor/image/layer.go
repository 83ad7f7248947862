package image

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A layer is what a layer's folder says about it.
type layer struct {
	Digest  string  `json:"digest"`           // of its uncompressed archive
	Archive int64   `json:"archive"`          // bytes of that
	Bytes   int64   `json:"bytes"`            // of its files
	Entries int     `json:"entries"`          // of its archive
	Devices int     `json:"devices"`          // left out
	Xattrs  int     `json:"xattrs"`           // left out
	Opaque  bool    `json:"opaque,omitempty"` // it hides all layers below
	Kept    []moved `json:"kept,omitempty"`   // what later entries replaced, by its number in kept/
}

// A moved file or folder was at a path until the contents of so many files had been unpacked.
type moved struct {
	Path  []byte `json:"path"` // names need not be UTF-8
	Files int    `json:"files"`
}

// Names in the folder of a layer.
const (
	rootName   = "root"
	keptName   = "kept"
	streamName = "stream.zst"
	aboutName  = "about.json"
)

// layer returns what is known of a layer that is in the store.
func (s *disk) layer(digest string) (l layer, err error) {
	text, err := os.ReadFile(filepath.Join(s.layerPath(digest), aboutName))
	if err == nil {
		err = strictjson.Unmarshal(text, &l)
	}
	if err != nil {
		return l, fmt.Errorf("layer %s: %w", digest, err)
	}
	return l, nil
}

// A part is the folder of a layer that is being made. It is locked, and belongs to nobody once its maker is dead.
type part struct {
	path string
	lock *os.File
}

const (
	maxPath   = 4095     // bytes of a name; longer ones no program can use
	roomEvery = 64 << 20 // bytes between two looks at the disk
)

const partSuffix = ".part"

// newPart makes a folder for a layer.
func (s *disk) newPart() (*part, error) {
	dir, err := os.MkdirTemp(s.path("single", "layers"), "*"+partSuffix)
	if err != nil {
		return nil, err
	}
	p := &part{path: dir}
	if p.lock, err = os.Open(dir); err == nil {
		err = flock(p.lock, exclusive)
	}
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, rootName), 0o755), os.Mkdir(filepath.Join(dir, keptName), 0o755))
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

// remove removes the folder.
func (p *part) remove() error {
	err := os.RemoveAll(p.path)
	if p.lock != nil {
		unlock(p.lock)
	}
	return err
}

// finish gives the folder the name of its layer, for good, unless another has made it in the meantime.
func (p *part) finish(s *disk, l layer, durable bool) error {
	text, err := strictjson.Legible(l)
	if err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(p.path, keptName)) // it is empty, mostly
	if err := os.WriteFile(filepath.Join(p.path, aboutName), text, 0o644); err != nil {
		return err
	}
	if durable {
		if err := s.sync(int(p.lock.Fd())); err != nil {
			return fmt.Errorf("making layer %s durable: %w", l.Digest, err)
		}
	}
	to := s.layerPath(l.Digest)
	if err := os.Rename(p.path, to); err != nil {
		if _, e := s.layer(l.Digest); e == nil {
			return p.remove()
		}
		return err
	}
	unlock(p.lock)
	return datadir.SyncFolder(filepath.Dir(to))
}

// sweep removes what dead programs left half made.
func (s *disk) sweep() error {
	list, err := filepath.Glob(s.path("single", "layers", "*"+partSuffix))
	for _, path := range list {
		f, e := os.Open(path)
		if e != nil {
			continue // its maker has finished
		}
		if flock(f, attempt) == nil {
			err = errors.Join(err, os.RemoveAll(path))
		}
		unlock(f)
	}
	return err
}

// A recorder reads the archive of a layer and writes down all of it but the contents of files, which lie in the layer's folder. What it
// writes is a sequence of numbers (uvarint) and bytes: 2n and n bytes of the archive, or 2n+1, the length of a name and the name of a
// file of which n bytes are the next ones of the archive.
type recorder struct {
	ctx  context.Context //nolint:containedctx // of the whole reading, which ends with it
	from io.Reader
	sum  hash.Hash
	out  *zstd.Encoder

	n, most int64 // bytes read, and how many there may be
	files   int   // whose contents are left out
	inFile  bool  // what is read now is the content of a file
}

// Read implements [io.Reader].
func (r *recorder) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	n, err := r.from.Read(p)
	if n == 0 {
		return 0, err
	}
	r.sum.Write(p[:n])
	if r.n += int64(n); r.n > r.most {
		return 0, fmt.Errorf("the archive of the layer has more than %s (images.layer_size)", Bytes(r.most))
	}
	if !r.inFile {
		if e := errors.Join(r.number(uint64(n)*2), r.bytes(p[:n])); e != nil {
			return 0, e
		}
	}
	return n, err
}

// leaveOut begins the content of a file, of n bytes; inFile ends with it.
func (r *recorder) leaveOut(name string, n int64) error {
	r.files++
	r.inFile = true
	return errors.Join(r.number(uint64(n)*2+1), r.number(uint64(len(name))), r.bytes([]byte(name)))
}

func (r *recorder) number(n uint64) error { return r.bytes(binary.AppendUvarint(nil, n)) }

func (r *recorder) bytes(b []byte) error {
	_, err := r.out.Write(b)
	return err
}

// newEncoder compresses in little memory.
func newEncoder(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
}

// write writes the archive of a layer again, bit by bit.
func (s *disk) write(ctx context.Context, w io.Writer, digest string) error {
	l, err := s.layer(digest)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.layerPath(digest))
	if err != nil {
		return err
	}
	defer root.Close()
	stream, err := root.Open(streamName)
	if err != nil {
		return err
	}
	defer stream.Close()
	plain, err := zstd.NewReader(stream, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer plain.Close()
	p := player{root: root, in: bufio.NewReader(plain), out: w, kept: map[string][]int{}, layer: l}
	for i, m := range l.Kept {
		p.kept[string(m.Path)] = append(p.kept[string(m.Path)], i)
	}
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := p.step(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("layer %s: %w", digest, err)
		}
	}
}

// A player writes what a recorder has read.
type player struct {
	root  *os.Root
	in    *bufio.Reader
	out   io.Writer
	layer layer
	kept  map[string][]int // of layer.Kept, by path
	files int
}

// step writes the next bytes; [io.EOF] is the end.
func (p *player) step() error {
	n, err := binary.ReadUvarint(p.in)
	if err != nil {
		return err
	}
	if n%2 == 0 {
		return whole(io.CopyN(p.out, p.in, int64(n/2)))
	}
	size, err := binary.ReadUvarint(p.in)
	if err != nil || size > maxPath {
		return fmt.Errorf("%s is damaged: %w", streamName, errors.Join(err, io.ErrUnexpectedEOF))
	}
	name := make([]byte, size)
	if _, err := io.ReadFull(p.in, name); err != nil {
		return whole(0, err)
	}
	f, err := p.root.Open(p.find(string(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	p.files++
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != int64(n/2) {
		return fmt.Errorf("%s is not the file that was unpacked: %w", name, errors.Join(err, io.ErrUnexpectedEOF))
	}
	return whole(io.Copy(p.out, f))
}

// whole turns an early end into an error.
func whole(_ int64, err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// find returns where the content of the next file lies: at its place, or in kept/, if it, or a folder above it, was replaced later.
func (p *player) find(name string) string {
	first, at := len(p.layer.Kept), path.Join(rootName, name)
	for above := name; above != "."; above = path.Dir(above) {
		for _, i := range p.kept[above] {
			if p.layer.Kept[i].Files > p.files && i < first {
				first, at = i, path.Join(keptName, fmt.Sprint(i), strings.TrimPrefix(name, above))
			}
		}
	}
	return at
}
