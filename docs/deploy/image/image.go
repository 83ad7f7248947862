// Image writes the program as a container image, from nothing but the binaries: an OCI layout in a tar file, which docker load
// and podman load also take, and skopeo and crane copy to a registry. It holds an image for each processor; several share a
// name by an index, and each has one of its own, such as quintain:1-arm64. The same input and the same Go make the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// user runs the program: nobody on any machine.
const user = 65532

// An image is what becomes the image for one processor.
type image struct {
	arch  string // as Go names it
	files [][]file
}

// Contents are what an image holds beside the program.
type contents struct {
	certificates []byte // of authorities; none: it trusts no server by TLS
	licences     []file // at the root of the image
}

// A file is an entry of a layer; its folders come before it.
type file struct {
	name string // without a slash before it; a folder ends with one
	mode int64
	body []byte
}

// of returns the image of a program.
func of(arch string, program []byte, with contents) image {
	system := append([]file{
		{"etc/", 0o755, nil},
		{"etc/group", 0o644, fmt.Appendf(nil, "quintain:x:%d:\n", user)},
		{"etc/passwd", 0o644, fmt.Appendf(nil, "quintain:x:%d:%d::/:/sbin/nologin\n", user, user)},
		{"etc/ssl/", 0o755, nil},
		{"etc/ssl/certs/", 0o755, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, with.certificates},
		{"tmp/", 0o1777, nil},
	}, with.licences...)
	return image{arch, [][]file{system, {{"quintain", 0o755, program}}}}
}

// Types of blobs.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// A blob names content by its digest.
type blob struct {
	Type        string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	body        []byte
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// A manifest lists what an image consists of.
type manifest struct {
	Schema int    `json:"schemaVersion"`
	Type   string `json:"mediaType"`
	Config blob   `json:"config"`
	Layers []blob `json:"layers"`
}

// An index lists images.
type index struct {
	Schema    int    `json:"schemaVersion"`
	Type      string `json:"mediaType"`
	Manifests []blob `json:"manifests"`
}

// A configuration says how to run an image.
type configuration struct {
	platform
	Config struct {
		User       string   `json:"User"`
		Entrypoint []string `json:"Entrypoint"`
		WorkingDir string   `json:"WorkingDir"`
	} `json:"config"`
	RootFS struct {
		Type  string   `json:"type"`
		Diffs []string `json:"diff_ids"` // digests of the layers before compression
	} `json:"rootfs"`
	Created time.Time `json:"created"`
}

// A saved image is what docker load reads.
type saved struct {
	Config string
	Tags   []string `json:"RepoTags"`
	Layers []string
}

// made is an image as blobs.
type made struct {
	manifest blob
	parts    []blob // configuration and layers
}

// blobs returns the image as blobs.
func (i image) blobs() (made, error) {
	c := configuration{platform: platform{i.arch, "linux"}, Created: time.Unix(0, 0).UTC()}
	c.Config.User, c.Config.Entrypoint, c.Config.WorkingDir = fmt.Sprintf("%d:%d", user, user), []string{"/quintain"}, "/"
	c.RootFS.Type = "layers"
	m := manifest{Schema: 2, Type: typeManifest}
	for _, files := range i.files {
		diff, layer, err := pack(files)
		if err != nil {
			return made{}, err
		}
		c.RootFS.Diffs = append(c.RootFS.Diffs, diff)
		m.Layers = append(m.Layers, layer)
	}
	var err error
	if m.Config, err = jsonBlob(typeConfig, c); err != nil {
		return made{}, err
	}
	top, err := jsonBlob(typeManifest, m)
	top.Platform = &c.platform
	return made{top, append([]blob{m.Config}, m.Layers...)}, err
}

// write writes images of one name, such as quintain:dev, and returns the digest that the name stands for: of the
// manifest of a single image, else of an index.
func write(to io.Writer, name string, images ...image) (digest string, err error) {
	var all, named []blob
	var docker []saved
	each := index{Schema: 2, Type: typeIndex}
	for _, i := range images {
		m, err := i.blobs()
		if err != nil {
			return "", err
		}
		own := name
		if len(images) > 1 {
			own += "-" + i.arch
		}
		each.Manifests = append(each.Manifests, m.manifest)
		named = append(named, m.manifest.named(own))
		docker = append(docker, m.saved(own))
		all = append(append(all, m.manifest), m.parts...)
	}
	if len(images) > 1 {
		top, err := jsonBlob(typeIndex, each)
		if err != nil {
			return "", err
		}
		all, named = append(all, top), append([]blob{top.named(name)}, named...)
	}
	entries, err := layout(all, index{2, typeIndex, named}, docker)
	if err != nil {
		return "", err
	}
	return named[0].Digest, writeTar(to, entries)
}

// layout returns the files of a layout, with those that docker load reads beside it.
func layout(blobs []blob, top index, docker []saved) ([]file, error) {
	entries := []file{{"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}
	written := map[string]bool{} // images share layers
	for _, b := range blobs {
		if !written[b.Digest] {
			entries = append(entries, file{b.path(), 0o644, b.body})
		}
		written[b.Digest] = true
	}
	topBody, err := json.Marshal(top)
	dockerBody, also := json.Marshal(docker)
	return append(entries, file{"index.json", 0o644, topBody}, file{"manifest.json", 0o644, dockerBody},
		file{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}), errors.Join(err, also)
}

// saved names the parts of the image for docker load.
func (m made) saved(name string) saved {
	s := saved{Config: m.parts[0].path(), Tags: []string{name}}
	for _, layer := range m.parts[1:] {
		s.Layers = append(s.Layers, layer.path())
	}
	return s
}

// named returns the blob as an image of that name.
func (b blob) named(name string) blob {
	b.Annotations = map[string]string{"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name[strings.LastIndexByte(name, ':')+1:]}
	return b
}

// path is the place of a blob in the layout.
func (b blob) path() string { return "blobs/sha256/" + b.Digest[len("sha256:"):] }

func jsonBlob(kind string, value any) (blob, error) {
	body, err := json.Marshal(value)
	return newBlob(kind, body), err
}

func newBlob(kind string, body []byte) blob {
	return blob{Type: kind, Digest: digestOf(body), Size: len(body), body: body}
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// pack makes a layer, and returns its digest before compression too.
func pack(files []file) (diff string, layer blob, err error) {
	var plain, packed bytes.Buffer
	if err := writeTar(&plain, files); err != nil {
		return "", blob{}, err
	}
	to := gzip.NewWriter(&packed)
	if _, err := to.Write(plain.Bytes()); err != nil {
		return "", blob{}, err
	}
	if err := to.Close(); err != nil {
		return "", blob{}, err
	}
	return digestOf(plain.Bytes()), newBlob(typeLayer, packed.Bytes()), nil
}

// writeTar writes files of root, of the beginning of 1970.
func writeTar(to io.Writer, files []file) error {
	t := tar.NewWriter(to)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.body)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if f.name[len(f.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := t.Write(f.body); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return t.Close()
}
