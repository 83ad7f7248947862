// Package image keeps the file systems in which trials start. A [Store] unpacks the images of builders once, each layer into a
// folder of its digest, and gives the folders to package box. It also makes images of its own: from the machine's own tools
// ([Store.AddMachine]), and by the last instructions of a Dockerfile, which only copy files and set variables ([Store.For]).
//
// A store is a folder; many programs may use it at once:
//
//	single/layers/HEX/      a layer, HEX the SHA-256 of its uncompressed archive: the files in root/; all other bytes of the
//	                        archive in stream.zst, so that it can be written again, bit by bit; about.json
//	manifests/HEX.json      an image, HEX the SHA-256 of its configuration
//	names.json              the names of images
//	made/HEX                the digest of the image that was made by a Dockerfile's last instructions
//	locks/                  who uses what
//
// Whatever is written is complete when it gets its name. What a dead program left half made goes with the next image.
package image

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// An Image is a file system for trials, and what its processes find.
type Image struct {
	Name   string      // by which it was found; empty: by its digest
	Digest string      // "sha256:" and the SHA-256 of its configuration, which names all layers: the ID that docker shows
	Base   string      // digest of the image below, if it was made by a Dockerfile's last instructions; else empty
	Lowers []box.Lower // topmost first
	Env    []string    // NAME=VALUE
	Dir    string      // working folder; empty: the image names none
	User   string      // user of its processes; empty: root
	Bytes  int64       // of the files of its layers, without the machine's own folders
}

// Variable names the environment variable with the folder of the store.
const Variable = settings.Prefix + "IMAGES"

// Limits bound what an image may have, and what a store may take of the disk.
type Limits struct {
	Layer   int64 // bytes of a layer, unpacked
	Entries int   // files, folders and links of a layer
	Layers  int   // of an image
	Free    int64 // bytes that stay free on the disk
}

// DefaultLimits returns limits that all images of the field meet.
func DefaultLimits() Limits {
	return Limits{Layer: 20 << 30, Entries: 2_000_000, Layers: 128, Free: 1 << 30}
}

// Declare implements [settings.Declarer].
func (l *Limits) Declare(d *settings.Section) {
	d.Int64(&l.Layer, "layer_size", "bytes of a layer, unpacked").AtLeast(1)
	d.Int(&l.Entries, "layer_entries", "files, folders and links of a layer").AtLeast(1)
	d.Int(&l.Layers, "layers", "layers of an image").Between(1, 500)
	d.Int64(&l.Free, "min_free", "bytes that images leave free on the disk").AtLeast(0)
}

// A Store is a folder of images. It is safe for concurrent use, once its fields are set, and those of its disk, which are its own.
type Store struct {
	*disk
	Progress func(Progress) // told while an image is unpacked, also about small steps; nil: nobody is

	mu    sync.Mutex              // guards tools
	tools map[string]machineState // by folders; of the machine, which changes seldom
}

// A disk is the folder of a store, with its layers and locks.
type disk struct {
	Limits Limits

	dir  string
	sync func(fd int) error // makes a file system durable
}

// Progress is how far an image is unpacked.
type Progress struct {
	Layer, Layers int   // the layer that is unpacked, from 1; 0 layers: their number is unknown
	Read, Size    int64 // bytes of its archive, as it lies there; a size of 0 is unknown
}

// Errors of stores.
var (
	ErrNoImage  = errors.New("there is no such image")             // the store knows no image of a name or digest
	ErrNotBuilt = errors.New("the environment is not built")       // a Dockerfile's instructions must be run by a builder
	ErrInUse    = errors.New("a trial or another program uses it") // what is to be removed
)

// Open opens the store in a folder, which it makes if it is missing; empty: that of $QUINTAIN_IMAGES, or quintain/images in the
// user's data folder. Nobody else may enter the folder, for images have programs that run with the rights of their owner.
func Open(folder string) (*Store, error) {
	if folder = cmp.Or(folder, os.Getenv(Variable)); folder == "" {
		data := os.Getenv("XDG_DATA_HOME")
		if !filepath.IsAbs(data) {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, fmt.Errorf("a folder for images: %w: name one in %s", err, Variable)
			}
			data = filepath.Join(home, ".local", "share")
		}
		folder = filepath.Join(data, "quintain", "images")
	}
	if runtime.GOOS != "linux" {
		return nil, errors.New("images need Linux: trials are made of its namespaces")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	s := &Store{disk: &disk{DefaultLimits(), folder, syncDisk}, tools: map[string]machineState{}}
	_, err = os.Stat(folder)
	for _, name := range []string{"", "single/layers", "manifests", "made", "failed", "locks"} {
		if e := os.MkdirAll(filepath.Join(folder, name), 0o755); e != nil {
			return nil, fmt.Errorf("the store of images: %w", e)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Chmod(folder, 0o700); err != nil {
			return nil, fmt.Errorf("the store of images: %w", err)
		}
	}
	return s, nil
}

// A locking says how to lock a file.
type locking int

const (
	shared    locking = iota // wait until nobody has it exclusively
	exclusive                // wait until nobody has it
	attempt                  // exclusively, or ErrInUse
)

// Folder returns the absolute path of the store.
func (s *disk) Folder() string { return s.dir }

// path returns a path in the store.
func (s *disk) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// layerPath returns the folder of a layer, and manifestPath the file of an image; digests are valid ones.
func (s *disk) layerPath(digest string) string    { return s.path("single", "layers", hexOf(digest)) }
func (s *disk) manifestPath(digest string) string { return s.path("manifests", hexOf(digest)+".json") }

// digestPrefix begins the digests, of which all are SHA-256.
const digestPrefix = "sha256:"

func hexOf(digest string) string { return strings.TrimPrefix(digest, digestPrefix) }

// isDigest reports whether a text is "sha256:" and 64 hexadecimal digits.
func isDigest(text string) bool {
	hex, ok := strings.CutPrefix(text, digestPrefix)
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// Size returns the bytes of all layers in the store, what is free on its disk, and the size of that; ok is false if the system does not
// tell about the disk.
func (s *disk) Size() (layers, free, disk int64, ok bool) {
	list, _ := os.ReadDir(s.path("single", "layers")) // an empty store has none
	for _, e := range list {
		if l, err := s.layer(digestPrefix + e.Name()); err == nil {
			layers += l.Bytes
		}
	}
	free, disk, ok = datadir.Space(s.dir)
	return layers, free, disk, ok
}

// room reports whether more bytes leave enough of the disk free.
func (s *disk) room(more int64) error {
	free, _, ok := datadir.Space(s.dir)
	if !ok || free-more >= s.Limits.Free {
		return nil
	}
	layers, _, _, _ := s.Size()
	return fmt.Errorf("the disk has %s free, of which %s are to stay free (images.min_free), and the images take %s: remove some by quintain images gc, or name a folder on another disk in %s",
		Bytes(free), Bytes(s.Limits.Free), Bytes(layers), Variable)
}

// Bytes writes a number of bytes for people: "1.2 GB", "350 MB", "12 KB".
func Bytes(bytes int64) string {
	switch b := float64(bytes); {
	case b >= 999.5e6:
		return fmt.Sprintf("%.1f GB", b/1e9)
	case b >= 999.5e3:
		return fmt.Sprintf("%.0f MB", b/1e6)
	default:
		return fmt.Sprintf("%.0f KB", b/1e3)
	}
}
