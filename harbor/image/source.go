package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Bounds of what an archive of images is read of.
const (
	maxJSON    = 8 << 20
	maxMembers = 100_000
	maxWindow  = 32 << 20 // of zstd
)

// An archive has the files of images, by their names.
type archive interface {
	open(name string) (io.ReadCloser, int64, error) // with its bytes
	Close() error
}

// A folderArchive is a folder.
type folderArchive struct{ *os.Root }

func (a folderArchive) open(name string) (io.ReadCloser, int64, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// A tarArchive is a file whose members lie as they are.
type tarArchive struct {
	*os.File
	members map[string]member
}

type member struct {
	at, size int64
	link     string // name of another member
}

func (a tarArchive) open(name string) (io.ReadCloser, int64, error) {
	m, ok := a.members[path.Clean(name)]
	for range 10 {
		if m.link != "" {
			m, ok = a.members[m.link]
		}
	}
	if !ok || m.link != "" {
		return nil, 0, fmt.Errorf("the archive has no %s", name)
	}
	return io.NopCloser(io.NewSectionReader(a.File, m.at, m.size)), m.size, nil
}

// indexTar finds the members of a file.
func indexTar(f *os.File) (tarArchive, error) {
	a := tarArchive{f, map[string]member{}}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return a, err
	}
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		at, e := f.Seek(0, io.SeekCurrent)
		if err = errors.Join(err, e); err == nil && len(a.members) == maxMembers {
			err = fmt.Errorf("it has more than %d members", maxMembers)
		}
		if err != nil {
			return a, fmt.Errorf("the archive: %w", err)
		}
		name := path.Clean("/" + h.Name)[1:]
		switch h.Typeflag {
		case tar.TypeReg:
			a.members[name] = member{at: at, size: h.Size}
		case tar.TypeSymlink:
			a.members[name] = member{link: path.Join(path.Dir(name), h.Linkname)}
		case tar.TypeLink:
			a.members[name] = member{link: path.Clean("/" + h.Linkname)[1:]}
		}
	}
}

// unpacked finds out how a stream is compressed, by its first bytes, and returns it uncompressed.
func unpacked(in io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(in, 1<<18)
	head, _ := b.Peek(6) // a shorter one is not compressed
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case bytes.HasPrefix(head, []byte("\xfd7zXZ")):
		return nil, errors.New("it is compressed by xz: xz -dc FILE | quintain images add NAME -")
	case bytes.HasPrefix(head, []byte("BZh")):
		return nil, errors.New("it is compressed by bzip2: bzip2 -dc FILE | quintain images add NAME -")
	}
	return io.NopCloser(b), nil
}

// readJSON reads a file of an archive; with a digest, the file must have it.
func readJSON(a archive, name, digest string, v any) ([]byte, error) {
	f, _, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(text) > maxJSON:
		return nil, fmt.Errorf("%s has more than %s", name, Bytes(maxJSON))
	case digest != "" && digestOf(text) != digest:
		return nil, fmt.Errorf("the content of %s is %s: the image is damaged, or forged", name, digestOf(text))
	}
	if err := strictjson.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// A found is an image of an archive.
type found struct {
	names    []string // that the archive gives it
	manifest string   // digest of its manifest; empty: it has none
	config   []byte
	layers   []string // names of their files in the archive, the lowest first
}

// A descriptor is one of an OCI layout.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Annotations map[string]string `json:"annotations"`
	URLs        []string          `json:"urls"`
	Platform    *struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

// blob returns the name of its file.
func (d descriptor) blob() (string, error) {
	if !isDigest(d.Digest) {
		return "", fmt.Errorf("the digest %.80q is none of SHA-256", d.Digest)
	}
	return blobName(d.Digest), nil
}

// images returns the images of an archive for this machine; none: it is no archive of images.
func images(a archive) ([]found, error) {
	if f, _, err := a.open("manifest.json"); err == nil {
		return dockerImages(a, f.Close())
	}
	f, _, err := a.open("index.json")
	if err != nil {
		return nil, nil //nolint:nilerr // it is no archive of images
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	var all []found
	err = eachManifest(a, descriptor{}, 0, func(d descriptor) error {
		one, err := ociImage(a, d)
		all = append(all, one)
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("the archive has no image for linux/%s", runtime.GOARCH)
	}
	return all, err
}

// dockerImages reads the manifest.json of docker save and podman save.
func dockerImages(a archive, err error) (all []found, _ error) {
	var list []struct {
		Config   string   `json:"Config"`
		RepoTags []string `json:"RepoTags"`
		Layers   []string `json:"Layers"`
	}
	if err != nil {
		return nil, err
	}
	if _, err := readJSON(a, "manifest.json", "", &list); err != nil {
		return nil, err
	}
	for _, m := range list {
		text, err := readJSON(a, m.Config, "", &struct{}{})
		if err != nil {
			return nil, err
		}
		all = append(all, found{names: m.RepoTags, config: text, layers: m.Layers})
	}
	return all, nil
}

// eachManifest calls f for the manifests of an index, and of those in it; a descriptor without a digest stands for index.json.
func eachManifest(a archive, in descriptor, depth int, f func(descriptor) error) error {
	var index struct {
		Manifests []descriptor `json:"manifests"`
	}
	name := "index.json"
	if in.Digest != "" {
		var err error
		if name, err = in.blob(); err != nil {
			return err
		}
	}
	if _, err := readJSON(a, name, in.Digest, &index); err != nil {
		return err
	}
	for _, d := range index.Manifests {
		if p := d.Platform; p != nil && (p.OS != "linux" || p.Architecture != runtime.GOARCH) {
			continue
		}
		if len(d.Annotations) == 0 {
			d.Annotations = in.Annotations
		}
		visit := f
		if strings.Contains(d.MediaType, "index") || strings.Contains(d.MediaType, "manifest.list") {
			if depth == 3 {
				return errors.New("the index of the archive is too deep")
			}
			visit = func(d descriptor) error { return eachManifest(a, d, depth+1, f) }
		}
		if err := visit(d); err != nil {
			return err
		}
	}
	return nil
}

// ociImage reads a manifest of an OCI layout.
func ociImage(a archive, d descriptor) (one found, err error) {
	var m struct {
		Config descriptor   `json:"config"`
		Layers []descriptor `json:"layers"`
	}
	name, err := d.blob()
	if err != nil {
		return one, err
	}
	if _, err := readJSON(a, name, d.Digest, &m); err != nil {
		return one, err
	}
	one.manifest = d.Digest
	for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
		if name := d.Annotations[key]; name != "" {
			one.names = append(one.names, name)
		}
	}
	if name, err = m.Config.blob(); err != nil {
		return one, err
	}
	if one.config, err = readJSON(a, name, m.Config.Digest, &struct{}{}); err != nil {
		return one, err
	}
	for _, l := range m.Layers {
		if len(l.URLs) > 0 || strings.Contains(l.MediaType, "foreign") || strings.Contains(l.MediaType, "encrypted") {
			return one, fmt.Errorf("layer %s lies elsewhere, or is encrypted (%s)", l.Digest, l.MediaType)
		}
		if name, err = l.blob(); err != nil {
			return one, err
		}
		one.layers = append(one.layers, name)
	}
	return one, nil
}

// choose returns the image of an archive that is meant by a name: the only one, or that of this name.
func choose(all []found, name string) (found, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, one := range all {
		names = append(names, one.names...)
		if slices.ContainsFunc(spellings(name), func(form string) bool { return slices.Contains(one.names, form) }) {
			return one, nil
		}
	}
	return found{}, fmt.Errorf("the archive has several images, and none is called %s: name one of %s, or give no name to add all", name, strings.Join(names, ", "))
}

// ofImages matches the first member of an archive of images; a root file system begins otherwise.
var ofImages = compiled.Regexp(`^([0-9a-f]{64}(/.*|\.json|\.tar)|blobs(/.*)?|oci-layout|index\.json|manifest\.json|repositories)$`)

// firstMember returns the first name in an archive that lies at the beginning of a stream, of which nothing is lost.
func firstMember(b *bufio.Reader) (string, error) {
	head, err := b.Peek(1 << 14) // a longer name is no layer's
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	for t := tar.NewReader(bytes.NewReader(head)); ; {
		h, err := t.Next()
		if err != nil {
			return "", fmt.Errorf("it is no archive of images, no OCI layout and no tar of a root file system: %w", err)
		}
		if name := path.Clean("/" + h.Name)[1:]; name != "" && h.Typeflag != tar.TypeXGlobalHeader {
			return name, nil
		}
	}
}
