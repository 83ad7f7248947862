package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// A manifest is an image as the store keeps it.
type manifest struct {
	Config string    `json:"config"`         // the configuration, byte by byte as it came: its SHA-256 is the image's digest
	From   string    `json:"from"`           // file, builder or image of which it came
	Base   string    `json:"base,omitempty"` // digest of the image below, if it was made by a Dockerfile's last instructions
	Added  time.Time `json:"added"`
}

// A config is what we read of an image's configuration.
type config struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Config       struct {
		Env        []string `json:"Env,omitempty"`
		WorkingDir string   `json:"WorkingDir,omitempty"`
		User       string   `json:"User,omitempty"`
	} `json:"config"`
	Rootfs struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"` // of the layers, the lowest first
	} `json:"rootfs"`
	Machine *machineMark `json:"quintain.machine,omitempty"` // it stands on folders of the machine
}

// A machineMark says on which folders of the machine an image stands, and what names the tools in them.
type machineMark struct {
	Folders []string `json:"folders"` // absolute
	Tools   string   `json:"tools"`   // digest
}

// newConfig returns the configuration of an image of our own for this machine.
func newConfig(env []string, layers ...string) (c config) {
	c.Architecture, c.OS, c.Config.Env = runtime.GOARCH, "linux", env
	c.Rootfs.Type, c.Rootfs.DiffIDs = "layers", layers
	return c
}

// usualPath is the search path of an image that names none.
const usualPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// digestOf returns the digest of a text.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// parseConfig reads a configuration, and refuses what no image of this machine has.
func parseConfig(text []byte) (c config, err error) {
	if err := strictjson.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("the image's configuration: %w", err)
	}
	if c.OS != "linux" || c.Architecture != runtime.GOARCH {
		return c, fmt.Errorf("the image is for %s/%s, and this machine is linux/%s", c.OS, c.Architecture, runtime.GOARCH)
	}
	for _, id := range c.Rootfs.DiffIDs {
		if !isDigest(id) {
			return c, fmt.Errorf("the image's configuration: a layer has the digest %.80q, want sha256: and 64 digits", id)
		}
	}
	c.Config.Env = slices.DeleteFunc(c.Config.Env, func(v string) bool { return strings.IndexByte(v, '=') < 1 || strings.ContainsRune(v, 0) })
	if !slices.ContainsFunc(c.Config.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") }) {
		c.Config.Env = append(c.Config.Env, usualPath)
	}
	if c.Config.WorkingDir != "" {
		c.Config.WorkingDir = path.Clean("/" + c.Config.WorkingDir)
	}
	return c, nil
}

// keep writes an image's manifest, unless there is one already, and returns its digest. Its layers are in the store.
func (s *Store) keep(m manifest) (digest string, err error) {
	digest = digestOf([]byte(m.Config))
	if _, err := os.Stat(s.manifestPath(digest)); err == nil {
		return digest, nil
	}
	m.Added = time.Now().UTC().Truncate(time.Second)
	text, err := strictjson.Legible(m)
	if err != nil {
		return "", err
	}
	return digest, datadir.WriteFile(s.manifestPath(digest), text)
}

// manifest returns an image as it is kept; the error is [ErrNoImage] if there is none.
func (s *Store) manifest(digest string) (m manifest, c config, err error) {
	text, err := os.ReadFile(s.manifestPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return m, c, fmt.Errorf("%s: %w", digest, ErrNoImage)
	}
	if err == nil {
		err = strictjson.Unmarshal(text, &m)
	}
	if err == nil && digestOf([]byte(m.Config)) != digest {
		err = errors.New("its configuration has another digest")
	}
	if err == nil {
		c, err = parseConfig([]byte(m.Config))
	}
	if err != nil {
		return m, c, fmt.Errorf("image %s is damaged: %w: remove it, and add it again", digest, err)
	}
	return m, c, nil
}

// image returns an image of the store, with all that a trial needs.
func (s *Store) image(digest string) (Image, error) {
	m, c, err := s.manifest(digest)
	if err != nil {
		return Image{}, err
	}
	img := Image{Digest: digest, Base: m.Base, Env: c.Config.Env, Dir: c.Config.WorkingDir, User: c.Config.User}
	var folders []string
	if c.Machine != nil {
		folders = c.Machine.Folders
		if now, err := s.machineTools(folders); err != nil {
			return img, err
		} else if now != c.Machine.Tools {
			return img, fmt.Errorf("the tools of this machine are others than those of image %s: add it again, by quintain images add NAME --machine", digest)
		}
	}
	for _, id := range slices.Backward(c.Rootfs.DiffIDs) {
		l, err := s.layer(id)
		if err != nil {
			return img, fmt.Errorf("image %s: %w: remove it, and add it again", digest, err)
		}
		img.Bytes += l.Bytes
		img.Lowers = append(img.Lowers, s.lowers(id, folders)...)
		if l.Opaque {
			return img, nil
		}
	}
	for _, folder := range folders {
		img.Lowers = append(img.Lowers, box.Lower{Dir: folder, At: folder})
	}
	return img, nil
}

// lowers returns the folders of one layer, over those of the machine.
func (s *disk) lowers(id string, folders []string) []box.Lower {
	root := filepath.Join(s.layerPath(id), rootName)
	all := []box.Lower{{Dir: root}}
	for _, folder := range folders {
		below := filepath.Join(root, folder)
		if entries, err := os.ReadDir(below); err == nil && len(entries) > 0 {
			all = append(all, box.Lower{Dir: below, At: folder})
		}
	}
	return all
}
