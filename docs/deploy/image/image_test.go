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
	licence := file{"LICENSE", 0o644, []byte("licence")}
	digest, err := write(&written, "example/quintain:1", of("arm64", program, contents{certificates, []file{licence}}))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := entries(t, &written)
	var top index
	decode(t, files["index.json"], &top)
	if len(top.Manifests) != 1 || top.Manifests[0].Digest != digest || top.Manifests[0].Annotations["io.containerd.image.name"] != "example/quintain:1" || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1" {
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
	if root["quintain"] != "-rwxr-xr-x "+string(program) || root["etc/ssl/certs/ca-certificates.crt"] != "-rw-r--r-- certificates" || root["tmp/"] != "dtrwxrwxrwx " || root["etc/passwd"] == "" || root["LICENSE"] != "-rw-r--r-- licence" {
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
		digest, err := write(&written, "a:1", of("amd64", []byte(program), contents{}), of("arm64", []byte(program), contents{}))
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

// An index names the image of each processor, and so does a name of its own.
func TestImagesOfTwoProcessors(t *testing.T) {
	var written bytes.Buffer
	digest, err := write(&written, "quintain:1", of("amd64", []byte("x"), contents{}), of("arm64", []byte("y"), contents{}))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := entries(t, &written) // none is there twice, though they share a layer
	var top, each index
	decode(t, files["index.json"], &top)
	var names []string
	for _, m := range top.Manifests {
		names = append(names, m.Annotations["org.opencontainers.image.ref.name"])
	}
	if !slices.Equal(names, []string{"1", "1-amd64", "1-arm64"}) || top.Manifests[0].Digest != digest || top.Manifests[0].Type != typeIndex {
		t.Fatalf("names %q in %+v", names, top)
	}
	decode(t, take(t, files, top.Manifests[0]), &each)
	for i, arch := range []string{"amd64", "arm64"} {
		if m := each.Manifests[i]; m.Platform.Architecture != arch || m.Digest != top.Manifests[i+1].Digest {
			t.Errorf("image %d for %s is %+v", i, arch, m)
		}
	}
	var docker []saved
	decode(t, files["manifest.json"], &docker)
	if len(docker) != 2 || docker[1].Tags[0] != "quintain:1-arm64" {
		t.Errorf("docker load gets %+v", docker)
	}
}

func TestCommand(t *testing.T) {
	folder := t.TempDir()
	program, out := filepath.Join(folder, "quintain"), filepath.Join(folder, "image.tar")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-program", "amd64=" + program, "-out", out, "-certificates", filepath.Join(folder, "none")}); err == nil || !strings.HasPrefix(err.Error(), "certificates: ") {
		t.Errorf("without the certificates: %v", err)
	}
	for want, args := range map[string][]string{"program: is missing, want ARCH=FILE": nil, `program: is "x", want ARCH=FILE`: {"-program", "x"}} {
		if err := run(append(args, "-out", out, "-certificates", "")); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", args, err, want)
		}
	}
	if err := run([]string{"-program", "amd64=" + program, "-out", out, "-certificates", "", "-licence", program}); err != nil {
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
