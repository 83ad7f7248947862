// Image writes the program as a container image, from nothing but the binary: an OCI layout in a tar file, which docker load
// and podman load also take, and skopeo and crane copy to a registry. The same input and the same Go make the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// user runs the program: nobody on any machine.
const user = 65532

// An image is what becomes the image.
type image struct {
	name  string // such as quintain:dev
	arch  string // as Go names it
	files [][]file
}

// A file is an entry of a layer; its folders come before it.
type file struct {
	name string // without a slash before it; a folder ends with one
	mode int64
	body []byte
}

// of returns the image of a program with certificates of authorities; none: it trusts no server by TLS.
func of(name, arch string, program, certificates []byte) image {
	system := []file{
		{"etc/", 0o755, nil},
		{"etc/group", 0o644, fmt.Appendf(nil, "quintain:x:%d:\n", user)},
		{"etc/passwd", 0o644, fmt.Appendf(nil, "quintain:x:%d:%d::/:/sbin/nologin\n", user, user)},
		{"etc/ssl/", 0o755, nil},
		{"etc/ssl/certs/", 0o755, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates},
		{"tmp/", 0o1777, nil},
	}
	return image{name, arch, [][]file{system, {{"quintain", 0o755, program}}}}
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

// write writes the image, and returns the digest of its manifest.
func (i image) write(to io.Writer) (digest string, err error) {
	c := configuration{platform: platform{i.arch, "linux"}, Created: time.Unix(0, 0).UTC()}
	c.Config.User, c.Config.Entrypoint, c.Config.WorkingDir = fmt.Sprintf("%d:%d", user, user), []string{"/quintain"}, "/"
	c.RootFS.Type = "layers"
	m := manifest{Schema: 2, Type: typeManifest}
	for _, files := range i.files {
		diff, layer, err := pack(files)
		if err != nil {
			return "", err
		}
		c.RootFS.Diffs = append(c.RootFS.Diffs, diff)
		m.Layers = append(m.Layers, layer)
	}
	if m.Config, err = jsonBlob(typeConfig, c); err != nil {
		return "", err
	}
	top, err := jsonBlob(typeManifest, m)
	if err != nil {
		return "", err
	}
	top.Platform = &c.platform
	top.Annotations = map[string]string{"io.containerd.image.name": i.name, "org.opencontainers.image.ref.name": i.name}
	entries, err := i.layout(top, m)
	if err != nil {
		return "", err
	}
	return top.Digest, writeTar(to, entries)
}

// layout returns the files of the layout, with those that docker load reads beside it.
func (i image) layout(top blob, m manifest) ([]file, error) {
	all, err := jsonform.Marshal(index{2, typeIndex, []blob{top}})
	if err != nil {
		return nil, err
	}
	s := saved{Config: m.Config.path(), Tags: []string{i.name}}
	entries := []file{{"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}
	for _, b := range append([]blob{top, m.Config}, m.Layers...) {
		entries = append(entries, file{b.path(), 0o644, b.body})
	}
	for _, b := range m.Layers {
		s.Layers = append(s.Layers, b.path())
	}
	docker, err := jsonform.Marshal([]saved{s})
	if err != nil {
		return nil, err
	}
	return append(entries, file{"index.json", 0o644, all}, file{"manifest.json", 0o644, docker}, file{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}), nil
}

// path is the place of a blob in the layout.
func (b blob) path() string { return "blobs/sha256/" + b.Digest[len("sha256:"):] }

func jsonBlob(kind string, value any) (blob, error) {
	body, err := jsonform.Marshal(value)
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
