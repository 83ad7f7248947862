package image

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Entry is an image in the list of a store.
type Entry struct {
	Digest string
	Names  []string  // sorted; without those by which only the store itself finds it
	Built  bool      // it is what a builder made of the first part of a Dockerfile
	Base   string    // digest of the image below, if it was made by a Dockerfile's last instructions; else empty
	From   string    // file, builder or image of which it came
	Added  time.Time // when
	Used   time.Time // when it was held last; zero: never
	Bytes  int64     // of all its layers, also those that other images have
	Layers []string  // digests, the lowest first
}

// List returns all images, those with names first, then by the time of their adding.
func (s *Store) List() ([]Entry, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(s.path("manifests", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, file := range files {
		e := Entry{Digest: digestPrefix + strings.TrimSuffix(filepath.Base(file), ".json")}
		m, c, err := s.manifest(e.Digest)
		if errors.Is(err, ErrNoImage) {
			continue // it has just gone
		}
		if err != nil {
			return nil, err
		}
		e.Base, e.From, e.Added, e.Layers = m.Base, m.From, m.Added, c.Rootfs.DiffIDs
		for name, digest := range names {
			switch {
			case digest != e.Digest || isDigest(name):
			case strings.HasPrefix(name, builtPrefix):
				e.Built = true
			default:
				e.Names = append(e.Names, name)
			}
		}
		slices.Sort(e.Names)
		for _, id := range e.Layers {
			l, _ := s.layer(id) // Check tells of missing ones
			e.Bytes += l.Bytes
		}
		if info, err := os.Stat(s.path("locks", hexOf(e.Digest))); err == nil {
			e.Used = info.ModTime()
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(min(len(b.Names), 1), min(len(a.Names), 1)), a.Added.Compare(b.Added), cmp.Compare(a.Digest, b.Digest))
	})
	return all, nil
}

// Hold keeps an image from being removed until it is released. The error is [ErrNoImage] if the store has it no more.
func (s *Store) Hold(digest string) (release func(), err error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("%q: %w", digest, ErrNoImage)
	}
	f, err := s.lock(hexOf(digest), shared)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.manifestPath(digest)); err != nil {
		unlock(f)
		return nil, fmt.Errorf("%s: %w", digest, ErrNoImage)
	}
	_ = os.Chtimes(f.Name(), time.Now(), time.Now()) // gc asks when it was used last, and may do without
	return sync.OnceFunc(func() { unlock(f) }), nil
}

// Removed is what a removal has done.
type Removed struct {
	Images, Layers int
	Bytes          int64 // of the layers
	InUse          int   // images that stay because trials use them
}

// Remove takes names from images. An image without a name goes, unless a builder or a Dockerfile made it, with the layers that no other
// has; the error is [ErrInUse], and the name stays, while a trial uses it.
func (s *Store) Remove(ctx context.Context, names ...string) (Removed, error) {
	digests := map[string]string{}
	for _, name := range names {
		digest, err := s.digest(name)
		if err != nil {
			return Removed{}, err
		}
		digests[name] = digest
		lock, err := s.lock(hexOf(digest), attempt)
		if err != nil {
			return Removed{}, fmt.Errorf("%s: %w", name, err)
		}
		unlock(lock)
	}
	err := s.rename(func(all map[string]string) {
		for name, digest := range digests {
			for _, form := range append(spellings(name), name) {
				if all[form] == digest {
					delete(all, form)
					break
				}
			}
			if isDigest(name) {
				deleteValue(all, digest)
			}
		}
	})
	if err != nil {
		return Removed{}, err
	}
	return s.collect(ctx, func(e Entry) bool { return len(e.Names) == 0 && !e.Built && e.Base == "" })
}

// deleteValue removes all names of an image.
func deleteValue(all map[string]string, digest string) {
	for name, of := range all {
		if of == digest {
			delete(all, name)
		}
	}
}

// Collect removes what is not needed: images without a name, unless a builder or a Dockerfile made them, layers of no image, and what dead
// programs left. With a time, images that were not used for so long go, too; with a size, those that were not used for the longest, until
// the layers have at most that many bytes. What a trial uses stays.
func (s *Store) Collect(ctx context.Context, unused time.Duration, most int64) (Removed, error) {
	layers, _, _, _ := s.Size()
	list, err := s.List()
	if err != nil {
		return Removed{}, err
	}
	last := func(e Entry) time.Time { return slices.MaxFunc([]time.Time{e.Added, e.Used}, time.Time.Compare) }
	slices.SortFunc(list, func(a, b Entry) int { return last(a).Compare(last(b)) })
	doomed, users := map[string]bool{}, map[string]int{}
	for _, e := range list {
		for _, id := range e.Layers {
			users[id]++
		}
	}
	for _, e := range list {
		old := unused > 0 && time.Since(last(e)) > unused
		if doomed[e.Digest] = old || most > 0 && layers > most || len(e.Names) == 0 && !e.Built && e.Base == ""; !doomed[e.Digest] {
			continue
		}
		for _, id := range e.Layers {
			if users[id]--; users[id] == 0 {
				l, _ := s.layer(id) // a missing one frees nothing
				layers -= l.Bytes
			}
		}
	}
	return s.collect(ctx, func(e Entry) bool { return doomed[e.Digest] })
}

// collect removes images, unless they are in use, and then the layers that no image has. Nobody adds anything meanwhile.
func (s *Store) collect(ctx context.Context, doomed func(Entry) bool) (r Removed, err error) {
	lock, err := s.lock("store", attempt)
	if err != nil {
		return r, fmt.Errorf("the store: %w", err)
	}
	defer unlock(lock)
	if err := s.sweep(); err != nil {
		return r, err
	}
	list, err := s.List()
	if err != nil {
		return r, err
	}
	needed, gone := map[string]bool{}, map[string]bool{}
	for _, e := range list {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if doomed(e) && s.removeImage(e, &r) {
			gone[e.Digest] = true
			continue
		}
		for _, id := range e.Layers {
			needed[id] = true
		}
	}
	if len(gone) > 0 {
		if err := s.rename(func(all map[string]string) {
			for digest := range gone {
				deleteValue(all, digest)
			}
		}); err != nil {
			return r, err
		}
	}
	layers, err := os.ReadDir(s.path("single", "layers"))
	for _, e := range layers {
		id := digestPrefix + e.Name()
		if !isDigest(id) || needed[id] || ctx.Err() != nil {
			continue
		}
		l, _ := s.layer(id) // what is damaged goes, too
		if e := s.discard(id); e != nil {
			err = errors.Join(err, e)
			continue
		}
		r.Layers++
		r.Bytes += l.Bytes
	}
	return r, err
}

// removeImage removes the manifest of an image; false: it is in use.
func (s *Store) removeImage(e Entry, r *Removed) bool {
	lock, err := s.lock(hexOf(e.Digest), attempt)
	if err != nil || os.Remove(s.manifestPath(e.Digest)) != nil {
		r.InUse++
		return false
	}
	_ = os.Remove(lock.Name()) // an empty file
	unlock(lock)
	r.Images++
	return true
}

// discard removes the folder of a layer. A crash leaves it whole, or as one that a dead program was making.
func (s *disk) discard(id string) error {
	gone := s.layerPath(id) + partSuffix
	if err := os.Rename(s.layerPath(id), gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// Check reads all layers of images again, or of all images if none is named, and reports for each image why it is not what was added;
// nil: it is.
func (s *Store) Check(ctx context.Context, tell func(Entry, error), names ...string) error {
	list, err := s.List()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, name := range names {
		digest, err := s.digest(name)
		if err != nil {
			return err
		}
		wanted[digest] = true
	}
	seen := map[string]error{}
	for _, e := range list {
		if len(names) > 0 && !wanted[e.Digest] {
			continue
		}
		_, err := s.image(e.Digest)
		for _, id := range e.Layers {
			if _, again := seen[id]; !again {
				seen[id] = s.checkLayer(ctx, id)
			}
			err = errors.Join(err, seen[id])
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		tell(e, err)
	}
	return nil
}

// Export writes images as an OCI layout, a tar file that [Store.Add] reads on another machine, where they have the same digests.
func (s *Store) Export(ctx context.Context, out io.Writer, names ...string) error {
	t := tar.NewWriter(out)
	ex := &exporter{ctx: ctx, store: s, out: t, done: map[string]bool{}}
	for _, name := range names {
		if err := ex.image(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	index, err := strictjson.Canonical(map[string]any{"schemaVersion": 2, "mediaType": ociIndex, "manifests": ex.manifests})
	return errors.Join(err, ex.text("index.json", index), ex.text("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), t.Close())
}

const (
	ociIndex    = "application/vnd.oci.image.index.v1+json"
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar"
)

// An exporter writes images into one archive.
type exporter struct {
	ctx       context.Context //nolint:containedctx // of one call
	store     *Store
	out       *tar.Writer
	done      map[string]bool // names of files
	manifests []map[string]any
}

// image writes an image.
func (ex *exporter) image(name string) error {
	digest, err := ex.store.digest(name)
	if err != nil {
		return err
	}
	release, err := ex.store.Hold(digest)
	if err != nil {
		return err
	}
	defer release()
	m, c, err := ex.store.manifest(digest)
	if err != nil {
		return err
	}
	if c.Machine != nil {
		return errors.New("it stands on folders of this machine: quintain images add NAME --machine adds one there")
	}
	layers := []map[string]any{}
	for _, id := range c.Rootfs.DiffIDs {
		l, err := ex.store.layer(id)
		if err == nil {
			err = ex.file(blobName(id), l.Archive, func(w io.Writer) error { return ex.store.write(ex.ctx, w, id) })
		}
		if err != nil {
			return err
		}
		layers = append(layers, map[string]any{"mediaType": ociLayer, "digest": id, "size": l.Archive})
	}
	text, err := strictjson.Canonical(map[string]any{"schemaVersion": 2, "mediaType": ociManifest, "layers": layers,
		"config": map[string]any{"mediaType": ociConfig, "digest": digest, "size": len(m.Config)}})
	if err != nil {
		return err
	}
	own := digestOf(text)
	ex.manifests = append(ex.manifests, map[string]any{"mediaType": ociManifest, "digest": own, "size": len(text),
		"platform": map[string]any{"os": c.OS, "architecture": c.Architecture}, "annotations": map[string]string{"org.opencontainers.image.ref.name": name}})
	return errors.Join(ex.text(blobName(digest), []byte(m.Config)), ex.text(blobName(own), text))
}

// text writes a file that we know.
func (ex *exporter) text(name string, text []byte) error {
	return ex.file(name, int64(len(text)), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// blobName is that of a blob in a layout.
func blobName(digest string) string { return "blobs/sha256/" + hexOf(digest) }

// file writes a file of a size, once.
func (ex *exporter) file(name string, size int64, write func(io.Writer) error) error {
	if ex.done[name] {
		return nil
	}
	ex.done[name] = true
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: made()}
	if err := ex.out.WriteHeader(h); err != nil {
		return err
	}
	return write(ex.out)
}
