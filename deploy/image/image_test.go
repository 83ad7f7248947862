package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entries reads a tar file.
func entries(t *testing.T, from io.Reader) (bodies map[string][]byte, heads map[string]*tar.Header) {
	t.Helper()
	bodies, heads = map[string][]byte{}, map[string]*tar.Header{}
	for in := tar.NewReader(from); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return bodies, heads
		}
		if err != nil {
			t.Fatal(err)
		}
		if heads[h.Name] != nil {
			t.Errorf("%s is there twice", h.Name)
		}
		if bodies[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		heads[h.Name] = h
	}
}

// decode reads a JSON document strictly.
func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}

// take returns the content that a blob names, if digest and size are right.
func take(t *testing.T, files map[string][]byte, b blob) []byte {
	t.Helper()
	body := files[b.path()]
	if digestOf(body) != b.Digest || len(body) != b.Size {
		t.Fatalf("%s has the digest %s and %d bytes, want %d", b.Digest, digestOf(body), len(body), b.Size)
	}
	return body
}

// The tar file is read back as a container engine does: from the index over digests to the files.
func TestImageIsReadBack(t *testing.T) {
	program, certificates := bytes.Repeat([]byte("program"), 10_000), []byte("certificates")
	var written bytes.Buffer
	digest, err := of("example/quintain:1", "arm64", program, certificates).write(&written)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := entries(t, &written)
	var top index
	decode(t, files["index.json"], &top)
	if len(top.Manifests) != 1 || top.Manifests[0].Digest != digest || top.Manifests[0].Annotations["io.containerd.image.name"] != "example/quintain:1" {
		t.Fatalf("index %+v", top)
	}
	var m manifest
	decode(t, take(t, files, top.Manifests[0]), &m)
	var c configuration
	decode(t, take(t, files, m.Config), &c)
	if c.Architecture != "arm64" || c.OS != "linux" || c.Config.User != "65532:65532" || !slices.Equal(c.Config.Entrypoint, []string{"/quintain"}) || len(c.RootFS.Diffs) != len(m.Layers) {
		t.Errorf("configuration %+v", c)
	}
	root := map[string]string{}
	for i, layer := range m.Layers {
		in, err := gzip.NewReader(bytes.NewReader(take(t, files, layer)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if digestOf(plain) != c.RootFS.Diffs[i] {
			t.Errorf("layer %d has the digest %s before compression, want %s", i, digestOf(plain), c.RootFS.Diffs[i])
		}
		bodies, heads := entries(t, bytes.NewReader(plain))
		for name, h := range heads {
			root[name] = h.FileInfo().Mode().String() + " " + string(bodies[name])
		}
	}
	if root["quintain"] != "-rwxr-xr-x "+string(program) || root["etc/ssl/certs/ca-certificates.crt"] != "-rw-r--r-- certificates" || root["tmp/"] != "dtrwxrwxrwx " || root["etc/passwd"] == "" {
		t.Errorf("files %q", root)
	}
	var docker []saved
	decode(t, files["manifest.json"], &docker)
	if docker[0].Config != m.Config.path() || len(docker[0].Layers) != len(m.Layers) || docker[0].Layers[1] != m.Layers[1].path() || docker[0].Tags[0] != "example/quintain:1" {
		t.Errorf("docker load gets %+v", docker)
	}
}

// The same input makes the same file, and another program another digest.
func TestImageIsReproducible(t *testing.T) {
	made := func(program string) (string, string) {
		var written bytes.Buffer
		digest, err := of("a:1", "amd64", []byte(program), nil).write(&written)
		if err != nil {
			t.Fatal(err)
		}
		return digest, written.String()
	}
	one, first := made("x")
	same, again := made("x")
	other, _ := made("y")
	if one != same || first != again || one == other {
		t.Errorf("digests %s, %s, and of another program %s", one, same, other)
	}
}

func TestCommand(t *testing.T) {
	folder := t.TempDir()
	program, out := filepath.Join(folder, "quintain"), filepath.Join(folder, "image.tar")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-program", program, "-out", out, "-certificates", filepath.Join(folder, "none")}); err == nil || !strings.HasPrefix(err.Error(), "certificates: ") {
		t.Errorf("without the certificates: %v", err)
	}
	if err := run([]string{"-program", program, "-out", out, "-certificates", ""}); err != nil {
		t.Fatal(err)
	}
	written, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	if files, _ := entries(t, written); files["oci-layout"] == nil {
		t.Error("the file is no layout")
	}
}
