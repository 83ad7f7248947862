package image

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Add adds an image under a name: that of an OCI layout (a folder, or a tar file), of an archive of docker save or podman save, or a root
// file system (a tar file, or a folder). Files may be compressed by gzip or zstd; "-" is standard input. An empty name stands for all
// images of the archive, under the names that it gives them. What is in the store already is not unpacked again.
func (s *Store) Add(ctx context.Context, name, file string, stdin io.Reader) (added []Image, err error) {
	if err := checkName(name); name != "" && err != nil {
		return nil, err
	}
	done, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer done()
	if added, err = s.add(ctx, name, file, stdin); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return added, nil
}

// begin locks the store for somebody who adds to it.
func (s *Store) begin() (done func(), err error) {
	lock, err := s.lock("store", shared)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.sweep(), s.probe()); err != nil {
		unlock(lock)
		return nil, err
	}
	return func() { unlock(lock) }, nil
}

// checkName refuses what is no name of an image.
func checkName(name string) error {
	if name == "" || len(name) > 255 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) || isDigest(name) || strings.HasPrefix(name, builtPrefix) {
		return fmt.Errorf("%.100q is no name of an image, want one such as python:3.12-slim", name)
	}
	return nil
}

// add adds an image, or several.
func (s *Store) add(ctx context.Context, name, file string, stdin io.Reader) ([]Image, error) {
	if file == "-" {
		return s.addStream(ctx, name, "standard input", stdin, 0)
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return s.addFolder(ctx, name, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 8<<10)
	n, _ := io.ReadFull(f, head) // a short file is read again
	if first, err := firstMember(bufio.NewReader(strings.NewReader(string(head[:n])))); err == nil && ofImages().MatchString(first) && info.Mode().IsRegular() {
		return s.addTar(ctx, name, file, f)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return s.addStream(ctx, name, file, f, info.Size())
}

// addFolder adds a folder.
func (s *Store) addFolder(ctx context.Context, name, folder string) ([]Image, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	a := folderArchive{root}
	defer a.Close()
	all, err := images(a)
	if err != nil || len(all) > 0 {
		return s.addAll(ctx, intake{a, folder, name}, all, err)
	}
	return s.addRoot(name, folder, func() (layer, error) {
		return s.unpackMade(ctx, true, func(t *tar.Writer) error { return packFolder(t, root) })
	})
}

// addTar adds what is in an uncompressed archive of images.
func (s *Store) addTar(ctx context.Context, name, from string, f *os.File) ([]Image, error) {
	a, err := indexTar(f)
	if err != nil {
		return nil, err
	}
	all, err := images(a)
	if err == nil && len(all) == 0 {
		err = errors.New("it has neither index.json nor manifest.json")
	}
	return s.addAll(ctx, intake{a, from, name}, all, err)
}

// addStream adds what a stream has, of a size; 0: nobody knows.
func (s *Store) addStream(ctx context.Context, name, from string, in io.Reader, size int64) ([]Image, error) {
	plain, err := unpacked(&meter{in: in, tell: s.Progress, at: Progress{Layer: 1, Size: size}})
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	b := bufio.NewReaderSize(plain, 1<<18)
	first, err := firstMember(b)
	if err != nil {
		return nil, err
	}
	if !ofImages().MatchString(first) {
		return s.addRoot(name, from, func() (layer, error) { return s.unpack(ctx, b, "", true) })
	}
	f, err := os.CreateTemp(s.dir, "archive") // its members must be read in another order
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	if _, err := io.Copy(&roomy{s.disk, f, 0}, &stopped{ctx, b}); err != nil {
		return nil, err
	}
	return s.addTar(ctx, name, from, f)
}

// A meter tells how much of a stream is read.
type meter struct {
	in   io.Reader
	tell func(Progress)
	at   Progress
}

// Read implements [io.Reader].
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if m.at.Read += int64(n); m.tell != nil {
		m.tell(m.at)
	}
	return n, err
}

// A stopped reader ends with its context.
type stopped struct {
	ctx context.Context //nolint:containedctx // io.Reader has none
	in  io.Reader
}

// Read implements [io.Reader].
func (s *stopped) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.in.Read(p)
}

// A roomy writer looks at the disk now and then.
type roomy struct {
	store *disk
	out   io.Writer
	n     int64
}

// Write implements [io.Writer].
func (r *roomy) Write(p []byte) (int, error) {
	if before := r.n; (before+int64(len(p)))/roomEvery > before/roomEvery {
		if err := r.store.room(0); err != nil {
			return 0, err
		}
	}
	n, err := r.out.Write(p)
	r.n += int64(n)
	return n, err
}

// An intake is an archive of which images are taken.
type intake struct {
	archive
	from string
	name string // of the image; empty: all are taken, under the names that they have
}

// addAll adds one image of an archive, or all.
func (s *Store) addAll(ctx context.Context, in intake, all []found, err error) (added []Image, _ error) {
	if err != nil {
		return nil, err
	}
	if in.name != "" {
		one, err := choose(all, in.name)
		if err != nil {
			return nil, err
		}
		one.names = []string{in.name}
		all = []found{one}
	}
	for _, one := range all {
		if len(one.names) == 0 {
			return added, errors.New("it gives an image no name: give one")
		}
		img, err := s.addFound(ctx, in, one)
		if err != nil {
			return added, err
		}
		added = append(added, img)
	}
	return added, nil
}

// addFound adds an image of an archive.
func (s *Store) addFound(ctx context.Context, in intake, one found) (Image, error) {
	c, err := parseConfig(one.config)
	if err != nil {
		return Image{}, err
	}
	ids := c.Rootfs.DiffIDs
	switch {
	case len(ids) != len(one.layers):
		return Image{}, fmt.Errorf("it has %d files of layers, and its configuration names %d", len(one.layers), len(ids))
	case len(ids) > s.Limits.Layers:
		return Image{}, fmt.Errorf("it has %d layers, at most %d are allowed (images.layers)", len(ids), s.Limits.Layers)
	case c.Machine != nil:
		return Image{}, errors.New("it stands on folders of the machine on which it was made: add it here by --machine")
	}
	for i, id := range ids {
		if _, err := s.layer(id); err == nil {
			continue
		}
		if err := s.addLayer(ctx, in, one.layers[i], id, Progress{Layer: i + 1, Layers: len(ids)}); err != nil {
			return Image{}, err
		}
	}
	return s.bind(manifest{Config: string(one.config), From: in.from}, append(one.names, one.manifest)...)
}

// addLayer unpacks a layer of an archive.
func (s *Store) addLayer(ctx context.Context, in intake, file, id string, at Progress) error {
	f, size, err := in.open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.room(size); err != nil {
		return err
	}
	at.Size = size
	plain, err := unpacked(&meter{in: f, tell: s.Progress, at: at})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer plain.Close()
	if _, err := s.unpack(ctx, plain, id, true); err != nil {
		return fmt.Errorf("layer %d: %w", at.Layer, err)
	}
	return nil
}

// addRoot adds a root file system, which has no configuration: it is an image of one layer.
func (s *Store) addRoot(name, from string, unpack func() (layer, error)) ([]Image, error) {
	if name == "" {
		return nil, errors.New("a root file system has no name: give one")
	}
	l, err := unpack()
	if err != nil {
		return nil, err
	}
	text, err := strictjson.Canonical(newConfig([]string{usualPath}, l.Digest))
	if err != nil {
		return nil, err
	}
	img, err := s.bind(manifest{Config: string(text), From: from}, name)
	return []Image{img}, err
}

// bind keeps an image, and gives it names; empty ones are left out.
func (s *Store) bind(m manifest, names ...string) (img Image, err error) {
	if abs, err := filepath.Abs(m.From); err == nil && strings.ContainsRune(m.From, filepath.Separator) {
		m.From = abs
	}
	digest, err := s.keep(m)
	if err != nil {
		return img, err
	}
	for _, name := range names {
		if err := checkName(name); name != "" && !isDigest(name) && !strings.HasPrefix(name, builtPrefix) && err != nil {
			return img, err
		}
	}
	if len(names) > 0 {
		err = s.rename(func(all map[string]string) {
			for _, name := range names {
				if name != "" {
					all[name] = digest
				}
			}
		})
	}
	if err != nil {
		return img, err
	}
	img, err = s.image(digest)
	img.Name = cmp.Or(names...)
	return img, err
}

// unpackMade unpacks a layer of our own, which pack writes.
func (s *disk) unpackMade(ctx context.Context, durable bool, pack func(*tar.Writer) error) (layer, error) {
	r, w := io.Pipe()
	var packing sync.WaitGroup
	packing.Go(func() {
		t := tar.NewWriter(w)
		err := pack(t)
		if err == nil {
			err = t.Close()
		}
		_ = w.CloseWithError(err) // it never fails
	})
	l, err := s.unpack(ctx, r, "", durable)
	_ = r.CloseWithError(io.ErrClosedPipe) // it never fails
	packing.Wait()
	return l, err
}
