//go:build linux

package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// What one layer may do to the store as a whole.
func TestUnpackBounds(t *testing.T) {
	t.Parallel()
	zeros := func(n int64) io.Reader { return io.LimitReader(zeroes{}, n) }
	header := func(name string, kind byte, size string) []byte {
		text := tarOf(t, entry{name: name})[:512]
		text[156] = kind
		copy(text[124:136], size+strings.Repeat("\x00", 12-len(size)))
		return summed(text)
	}
	for _, test := range []struct {
		why, want string
		in        io.Reader
	}{
		{"more entries than are allowed", "more than 5 files", bytes.NewReader(tarOf(t, slices.Repeat([]entry{{name: "a", body: "1"}}, 6)...))},
		{"a file that is too large", "more than 1 MB", bytes.NewReader(header("a", tar.TypeReg, "77777777777"))},
		{"a file of more bytes than there are numbers", "more than", bytes.NewReader(header("a", tar.TypeReg, "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff"))},
		{"files that are too large together", "more than 1 MB", io.MultiReader(bytes.NewReader(tarOf(t, entry{name: "a", body: strings.Repeat("x", 600_000)}, entry{name: "b", body: strings.Repeat("x", 600_000)})))},
		{"zeros without end after the end", "the archive of the layer has more than", io.MultiReader(bytes.NewReader(tarOf(t)), zeros(1<<30))},
		{"content without end in what is no file", "unknown kind", io.MultiReader(bytes.NewReader(header("a", 'Q', "77777777777")), zeros(1<<30))},
		{"a cut archive", "unexpected EOF", bytes.NewReader(tarOf(t, entry{name: "a", body: "hello"})[:514])},
		{"no archive", "invalid tar header", strings.NewReader(strings.Repeat("no tar file ", 100))},
		{"an entry of an unknown kind", "unknown kind", bytes.NewReader(header("a", 'Q', "0"))},
		{"a name with NUL", "invalid tar header", io.MultiReader(bytes.NewReader(header("x", 'x', "11")), strings.NewReader("9 path=a\x00\n"+strings.Repeat("\x00", 503)), bytes.NewReader(tarOf(t, entry{name: "a"})))},
		{"a bomb of gzip", "more than 1 MB", gunzipped(t, zipped(t, tarOf(t, entry{name: "a", body: strings.Repeat("\x00", 20_000_000)})))},
		{"a bomb of gzip after the end", "the archive of the layer has more than", gunzipped(t, zipped(t, append(tarOf(t), make([]byte, 20_000_000)...)))},
		{"a broken reader", "no luck", io.MultiReader(bytes.NewReader(tarOf(t, entry{name: "a"})), broken{})},
	} {
		s := open(t)
		s.Limits.Layer, s.Limits.Entries = 1_000_000, 5
		if _, err := s.unpack(t.Context(), test.in, "", true); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
		if names := left(t, s); len(names) > 0 {
			t.Errorf("%s: %v are left", test.why, names)
		}
	}
}

// gunzipped is what is left of a compressed text, as the store reads it.
func gunzipped(t testing.TB, text []byte) io.Reader {
	t.Helper()
	in, err := unpacked(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// summed corrects the checksum of a header.
func summed(text []byte) []byte {
	copy(text[148:156], "        ")
	sum := 0
	for _, b := range text[:512] {
		sum += int(b)
	}
	copy(text[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return text
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("no luck") }

// A sparse file of 128 MiB takes no room, and its archive, which has only its parts, is written again as it was.
func TestSparseFiles(t *testing.T) {
	t.Parallel()
	text := tarOf(t, entry{name: "s", body: strings.Repeat("x", 512)})
	text[156] = tar.TypeGNUSparse
	copy(text[257:265], "ustar  \x00")
	copy(text[386:], fmt.Sprintf("%011o\x00%011o\x00", 1<<26, 512)) // where the only part is
	copy(text[483:], fmt.Sprintf("%011o\x00", 1<<27))
	s := open(t)
	l, err := s.unpack(t.Context(), bytes.NewReader(summed(text)), "", true)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(s.layerPath(l.Digest), rootName, "s"))
	if err != nil || info.Size() != 1<<27 {
		t.Errorf("%v, error %v, want 128 MiB", info, err)
	}
	if err := s.checkLayer(t.Context(), l.Digest); err != nil {
		t.Error(err)
	}
}

func TestTimesAreKept(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_500_000_000, 123456789)
	s := open(t)
	l, err := s.unpack(t.Context(), bytes.NewReader(tarOf(t, entry{name: "d/", time: at}, entry{name: "d/f", body: "1", time: at}, entry{name: "d/l", kind: tar.TypeSymlink, link: "f", time: at},
		entry{name: "e/", time: time.Unix(-1<<40, 0), pax: map[string]string{"comment": "a time that no disk has"}})), "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d", "d/f", "d/l"} {
		info, err := os.Lstat(filepath.Join(s.layerPath(l.Digest), rootName, name))
		if err != nil || info.ModTime().Sub(at).Abs() > time.Second {
			t.Errorf("%s has %v, error %v, want %v", name, info.ModTime(), err, at)
		}
	}
}

// A testImage is one that tests write in all forms.
type testImage struct {
	layers [][]byte // archives, the lowest first
	config string   // empty: one is made
}

// files returns the files of an archive of an image in the form of oci, or of docker save.
func (i testImage) files(t testing.TB, name string, oci bool, pack func([]byte) []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	blob := func(text []byte) string {
		digest := digestOf(text)
		files["blobs/sha256/"+hexOf(digest)] = text
		return digest
	}
	var ids, paths []string
	layers := []map[string]any{}
	for _, l := range i.layers {
		ids = append(ids, digestOf(l))
		digest := blob(pack(l))
		paths = append(paths, "blobs/sha256/"+hexOf(digest))
		layers = append(layers, map[string]any{"mediaType": ociLayer + "+any", "digest": digest, "size": len(pack(l))})
	}
	text := []byte(i.config)
	if len(text) == 0 {
		c := newConfig([]string{"A=1", "broken", usualPath}, ids...)
		c.Config.WorkingDir, c.Config.User = "/work", "root"
		text = jsonOf(t, c)
	}
	digest := blob(text)
	if !oci {
		files["manifest.json"] = jsonOf(t, []any{map[string]any{"Config": "blobs/sha256/" + hexOf(digest), "RepoTags": []string{name}, "Layers": paths}})
		return files
	}
	manifest := blob(jsonOf(t, map[string]any{"config": map[string]any{"digest": digest}, "layers": layers}))
	files["oci-layout"] = []byte("{}")
	files["index.json"] = jsonOf(t, map[string]any{"manifests": []any{
		map[string]any{"digest": digestOf([]byte("none")), "platform": map[string]string{"os": "linux", "architecture": "s390x"}},
		map[string]any{"digest": digestOf([]byte("none")), "platform": map[string]string{"os": "unknown", "architecture": "unknown"}},
		map[string]any{"digest": manifest, "annotations": map[string]string{"org.opencontainers.image.ref.name": name}},
	}})
	return files
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	text, err := strictjson.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tarFile writes files as an archive, in a good order.
func tarFile(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var all []entry
	for name, text := range files {
		all = append(all, entry{name: name, body: string(text)})
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return tarOf(t, all...)
}

// write writes a text into a new file.
func write(t testing.TB, text []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// folderOf writes files into a new folder.
func folderOf(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func twoLayers(t testing.TB) testImage {
	t.Helper()
	return testImage{layers: [][]byte{
		tarOf(t, entry{name: "etc/"}, entry{name: "etc/a", body: "low"}, entry{name: "etc/b", body: "low"}),
		tarOf(t, entry{name: "etc/"}, entry{name: "etc/.wh.b"}, entry{name: "etc/a", body: "high"}),
	}}
}

// The same image in all forms has the same digest.
func TestFormsOfImages(t *testing.T) {
	t.Parallel()
	plain := func(b []byte) []byte { return b }
	gz := func(b []byte) []byte { return zipped(t, b) }
	zst := func(b []byte) []byte {
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.EncodeAll(b, nil)
	}
	two := twoLayers(t)
	digest := ""
	for _, test := range []struct {
		why, file string
		stdin     []byte
	}{
		{"a folder of OCI, gzip", folderOf(t, two.files(t, "x:1", true, gz)), nil},
		{"a tar file of OCI, zstd", write(t, tarFile(t, two.files(t, "x:1", true, zst))), nil},
		{"a tar file of OCI, compressed again", write(t, gz(tarFile(t, two.files(t, "x:1", true, plain)))), nil},
		{"docker save", write(t, tarFile(t, two.files(t, "x:1", false, plain))), nil},
		{"docker save in a pipe", "-", tarFile(t, two.files(t, "x:1", false, plain))},
		{"docker save in a pipe, compressed", "-", zst(tarFile(t, two.files(t, "x:1", false, plain)))},
	} {
		s := open(t)
		all, err := s.Add(t.Context(), "", test.file, bytes.NewReader(test.stdin))
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %v, error %v", test.why, all, err)
			continue
		}
		img, err := s.Find("x:1")
		if err != nil {
			t.Fatal(err)
		}
		if digest == "" {
			digest = img.Digest
		}
		if img.Digest != digest || img.Dir != "/work" || img.User != "root" || !slices.Equal(img.Env, []string{"A=1", usualPath}) || img.Bytes != 10 {
			t.Errorf("%s: %+v, want the digest %s", test.why, img, digest)
		}
		if len(img.Lowers) != 2 || listing(t, img.Lowers[0].Dir) != "etc drwxr-xr-x\netc/a -rwxr-xr-x high\netc/b Dc---------" {
			t.Errorf("%s: %v", test.why, img.Lowers)
		}
	}
}

// A root file system is an image of one layer, in all forms.
func TestRootFileSystems(t *testing.T) {
	t.Parallel()
	text := tarOf(t, entry{name: "./"}, entry{name: "./bin/"}, entry{name: "./bin/sh", body: "sh"})
	dir := folderOf(t, map[string][]byte{"bin/sh": []byte("sh")})
	if err := os.Link(filepath.Join(dir, "bin/sh"), filepath.Join(dir, "bin/bash")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, file string
		stdin     []byte
		want      string
	}{
		{"a tar file", write(t, text), nil, "bin drwxr-xr-x\nbin/sh -rwxr-xr-x sh"},
		{"a compressed one", write(t, zipped(t, text)), nil, "bin drwxr-xr-x\nbin/sh -rwxr-xr-x sh"},
		{"a pipe", "-", text, "bin drwxr-xr-x\nbin/sh -rwxr-xr-x sh"},
		{"a folder", dir, nil, "bin drwxr-xr-x\nbin/bash -rw-r--r-- sh\nbin/sh -rw-r--r-- sh"},
	} {
		s := open(t)
		all, err := s.Add(t.Context(), "root", test.file, bytes.NewReader(test.stdin))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if got := listing(t, all[0].Lowers[0].Dir); got != test.want || all[0].Name != "root" || !slices.Equal(all[0].Env, []string{usualPath}) {
			t.Errorf("%s: %+v\n%s", test.why, all[0], got)
		}
	}
}

func TestImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	plain := func(b []byte) []byte { return b }
	two := twoLayers(t)
	change := func(name string, f func(text string) string) map[string][]byte {
		files := two.files(t, "x:1", true, plain)
		for at, text := range files {
			if strings.Contains(at, name) || strings.Contains(string(text), name) && strings.HasPrefix(at, "blobs") {
				files[at] = []byte(f(string(text)))
			}
		}
		return files
	}
	other := func(arch string) testImage {
		return testImage{config: `{"os":"linux","architecture":"` + arch + `"}`}
	}
	for _, test := range []struct {
		why, want string
		files     map[string][]byte
	}{
		{"a layer with another content", "damaged, or forged", change("high", func(s string) string { return strings.Replace(s, "high", "HIGH", 1) })},
		{"a configuration with another content", "damaged, or forged", change("diff_ids", func(s string) string { return s + " " })},
		{"a digest that is a path", "is none of SHA-256", change("index.json", func(string) string { return `{"manifests":[{"digest":"sha256:../../../etc/passwd"}]}` })},
		{"no image for this machine", "has no image for linux/", change("index.json", func(string) string {
			return `{"manifests":[{"digest":"sha256:1","platform":{"os":"windows","architecture":"amd64"}}]}`
		})},
		{"an index that names itself", "too deep", loop(t)},
		{"another processor", "is for linux/pdp11", other("pdp11").files(t, "x", true, plain)},
		{"a layer elsewhere", "lies elsewhere", foreign(t)},
		{"fewer layers than the configuration names", "names 2", testImage{config: string(jsonOf(t, newConfig(nil, digestOf(nil), digestOf(nil))))}.files(t, "x", true, plain)},
		{"a layer's digest that is a path", "want sha256:", testImage{config: string(jsonOf(t, newConfig(nil, "sha256:../x")))}.files(t, "x", false, plain)},
		{"no JSON", "index.json", change("index.json", func(string) string { return "{" })},
		{"compressed by xz", "xz -dc", testImage{layers: [][]byte{[]byte("\xfd7zXZ\x00 and more")}}.files(t, "x", true, plain)},
	} {
		s := open(t)
		_, err := s.Add(t.Context(), "", write(t, tarFile(t, test.files)), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
		for _, name := range left(t, s) {
			if strings.HasSuffix(name, partSuffix) {
				t.Errorf("%s: %s is left", test.why, name)
			}
		}
		if list, err := s.List(); err != nil || len(list) > 0 {
			t.Errorf("%s: the store has %v, error %v", test.why, list, err)
		}
	}
	s := open(t)
	for _, name := range []string{"a b", "built:1", digestOf(nil), strings.Repeat("x", 256), "a\x1b"} {
		if _, err := s.Add(t.Context(), name, write(t, tarFile(t, two.files(t, "x", true, plain))), nil); err == nil || !strings.Contains(err.Error(), "no name of an image") {
			t.Errorf("the name %q: error %v", name, err)
		}
	}
}

// loop is a layout whose index names an index that is not for this machine, and so on.
func loop(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"oci-layout": nil}
	inner := []byte(`{"manifests":[]}`)
	for range 6 {
		digest := digestOf(inner)
		files["blobs/sha256/"+hexOf(digest)] = inner
		inner = jsonOf(t, map[string]any{"manifests": []any{map[string]any{"mediaType": ociIndex, "digest": digest}}})
	}
	files["index.json"] = inner
	return files
}

// foreign is a layout with a layer that lies elsewhere.
func foreign(t testing.TB) map[string][]byte {
	t.Helper()
	c := jsonOf(t, newConfig(nil, digestOf(nil)))
	m := jsonOf(t, map[string]any{"config": map[string]any{"digest": digestOf(c)}, "layers": []any{map[string]any{"digest": digestOf(nil), "urls": []string{"https://example.org/x"}}}})
	return map[string][]byte{
		"oci-layout": nil, "blobs/sha256/" + hexOf(digestOf(c)): c, "blobs/sha256/" + hexOf(digestOf(m)): m,
		"index.json": jsonOf(t, map[string]any{"manifests": []any{map[string]any{"digest": digestOf(m)}}}),
	}
}

// An image goes to another machine with its digest, and what a store has changed by itself is found.
func TestExportAndCheck(t *testing.T) {
	t.Parallel()
	s, there := open(t), open(t)
	two := twoLayers(t)
	two.layers = append(two.layers, tarOf(t, entry{name: "r", body: "1"}, entry{name: "r/"}, entry{name: "r/x", body: "old"}, entry{name: "r/x", body: "new"}, entry{name: "r", body: "end"}))
	if _, err := s.Add(t.Context(), "x:1", write(t, tarFile(t, two.files(t, "x:1", true, func(b []byte) []byte { return b }))), nil); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Export(t.Context(), &file, "x:1"); err != nil {
		t.Fatal(err)
	}
	here, _ := s.Find("x:1")
	if all, err := there.Add(t.Context(), "", "-", &file); err != nil || len(all) != 1 || all[0].Digest != here.Digest || all[0].Name != "x:1" {
		t.Errorf("%+v, error %v, want %s", all, err, here.Digest)
	}
	faults := func() (n int, text string) {
		if err := s.Check(t.Context(), func(e Entry, err error) {
			n++
			text += fmt.Sprint(err)
		}); err != nil {
			t.Fatal(err)
		}
		return n, text
	}
	if n, text := faults(); n != 1 || text != "<nil>" {
		t.Errorf("%d images are examined, faults %q", n, text)
	}
	if err := os.WriteFile(filepath.Join(here.Lowers[1].Dir, "etc/a"), []byte("HIGH"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, text := faults(); !strings.Contains(text, "something has changed its files") {
		t.Errorf("faults %q of a changed file", text)
	}
	if err := os.WriteFile(filepath.Join(here.Lowers[1].Dir, "etc/a"), []byte("higher"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, text := faults(); !strings.Contains(text, "is not the file that was unpacked") {
		t.Errorf("faults %q of a longer file", text)
	}
}

// A program that is killed leaves a folder that is nobody's, and the next one removes it.
func TestAnInterruptedAddLeavesNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	text := tarOf(t, entry{name: "a", body: "1"}, entry{name: "b", body: strings.Repeat("x", 1<<20)})
	in := io.MultiReader(bytes.NewReader(text[:2000]), runs(func() { cancel(errors.New("stopped by hand")) }), bytes.NewReader(text[2000:]))
	if _, err := s.Add(ctx, "x", "-", in); err == nil || !strings.Contains(err.Error(), "stopped by hand") {
		t.Errorf("error %v", err)
	}
	if names := left(t, s); len(names) > 0 {
		t.Errorf("%v are left", names)
	}
	dead := s.path("single", "layers", "1234"+partSuffix)
	if err := os.MkdirAll(filepath.Join(dead, "root/x"), 0o755); err != nil {
		t.Fatal(err)
	}
	living, err := s.newPart()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), "x", "-", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	names := left(t, s)
	if slices.Contains(names, filepath.Base(dead)) || !slices.Contains(names, filepath.Base(living.path)) || len(names) != 2 {
		t.Errorf("%v are left, want the layer and what another program is making", names)
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
}

// TestAddInAChild adds standard input to a store, in a process that another test kills.
func TestAddInAChild(t *testing.T) {
	if dir := os.Getenv("QUINTAIN_ADD_TO"); dir != "" {
		s, err := Open(dir)
		if err == nil {
			_, err = s.Add(t.Context(), "x", "-", os.Stdin)
		}
		t.Fatal(err)
	}
}

// A store is whole after a program that adds to it is killed, and the next one removes what that left.
func TestAKilledAddLeavesNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	text := tarOf(t, entry{name: "a", body: "1"}, entry{name: "b", body: strings.Repeat("x", 1<<20)})
	c := exec.Command("/proc/self/exe", "-test.run=^TestAddInAChild$")
	c.Env = append(os.Environ(), "QUINTAIN_ADD_TO="+s.dir)
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = in.Write(text[:600_000])
	}
	if err != nil {
		t.Fatal(err)
	}
	half := func() []string {
		all, _ := filepath.Glob(s.path("single", "layers", "*"+partSuffix, rootName, "b"))
		return all
	}
	for deadline := time.Now().Add(time.Minute); len(half()) == 0 && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if list, err := s.List(); len(half()) != 1 || len(list) > 0 || err != nil {
		t.Errorf("%v is half made, and the store has %v, error %v", half(), list, err)
	}
	if _, err := s.Add(t.Context(), "x", "-", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if names := left(t, s); len(names) != 1 || strings.HasSuffix(names[0], partSuffix) {
		t.Errorf("%v are left, want the layer alone", names)
	}
}

// runs is a reader that calls a function and has nothing.
type runs func()

func (f runs) Read([]byte) (int, error) { f(); return 0, io.EOF }

func TestTheDiskIsNotFilled(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Limits.Free = 1 << 60
	_, err := s.Add(t.Context(), "x", "-", bytes.NewReader(tarOf(t, entry{name: "a"})))
	if err == nil || !strings.Contains(err.Error(), "the images take 0 KB: remove some by quintain images gc") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkUnpack(b *testing.B) {
	var entries []entry
	body := strings.Repeat("0123456789abcdef", 1<<10)
	for i := range 2000 {
		entries = append(entries, entry{name: fmt.Sprintf("usr/lib/d%d/f%d", i/50, i), body: body[:binary.Size(int64(0))*(i%2048)]})
	}
	text := tarOf(b, append(entries, entry{name: "large", body: strings.Repeat(body, 1024)})...)
	b.SetBytes(int64(len(text)))
	s := open(b)
	for n := 0; b.Loop(); n++ { // each is another layer: ext4 is slow to make files where it has just removed some
		if _, err := s.unpack(b.Context(), bytes.NewReader(fmt.Append(text[:len(text):len(text)], n)), "", false); err != nil {
			b.Fatal(err)
		}
	}
}
