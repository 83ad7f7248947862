//go:build linux

package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// withBase opens a store with an image "base" of two layers.
func withBase(t testing.TB) *Store {
	t.Helper()
	s := open(t)
	base := testImage{layers: [][]byte{
		tarOf(t, entry{name: "usr/bin/"}, entry{name: "bin", kind: tar.TypeSymlink, link: "usr/bin"}, entry{name: "tmp/", mode: 0o1777}, entry{name: "old/"}, entry{name: "old/x", body: "low"}, entry{name: "etc/a", body: "low"}),
		tarOf(t, entry{name: ".wh.old"}, entry{name: "data/", mode: 0o700}),
	}}
	if _, err := s.Add(t.Context(), "base:1", write(t, tarFile(t, base.files(t, "base:1", true, func(b []byte) []byte { return b }))), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// context is a folder with a Dockerfile.
func contextOf(t testing.TB, dockerfile string) string {
	t.Helper()
	dir := folderOf(t, map[string][]byte{
		"Dockerfile": []byte(dockerfile), ".dockerignore": []byte("# none\n**/*.pyc\nsecret\n!keep.pyc\n"),
		"a.txt": []byte("A"), "b.txt": []byte("B"), "d/c.txt": []byte("C"), "d/e/f.txt": []byte("F"), "d/x.pyc": []byte("no"), "secret/key": []byte("no"), "run.sh": []byte("run"),
	})
	for _, err := range []error{os.Chmod(filepath.Join(dir, "run.sh"), 0o755), os.Symlink("a.txt", filepath.Join(dir, "link")), os.Symlink("../a.txt", filepath.Join(dir, "d/link")), os.Symlink("/etc", filepath.Join(dir, "out"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFor(t *testing.T) {
	t.Parallel()
	s := withBase(t)
	for _, test := range []struct {
		why, last string
		want      string // of the topmost layer, or part of the error after "!"
		dir, env  string // of the image; env: its last variable
	}{
		{"a file to a new name", "COPY a.txt /x/y", "x drwxr-xr-x\nx/y -rw-r--r-- A", "/work", ""},
		{"a file into a folder", "COPY a.txt /x/", "x drwxr-xr-x\nx/a.txt -rw-r--r-- A", "/work", ""},
		{"a file into a folder that the image has keeps its mode", "COPY a.txt /data", "data drwx------\ndata/a.txt -rw-r--r-- A", "/work", ""},
		{"several files", "COPY a.txt b.txt /tmp/", "tmp dtrwxrwxrwx\ntmp/a.txt -rw-r--r-- A\ntmp/b.txt -rw-r--r-- B", "/work", ""},
		{"several files without a folder", "COPY a.txt b.txt /none", "!wants a folder", "", ""},
		{"a pattern", "COPY ?.txt ./", "work drwxr-xr-x\nwork/a.txt -rw-r--r-- A\nwork/b.txt -rw-r--r-- B", "/work", ""},
		{"JSON", `COPY ["a.txt", "/x y"]`, "x y -rw-r--r-- A", "/work", ""},
		{"a folder: what is in it, without what is ignored", "COPY d /x", "x drwxr-xr-x\nx/c.txt -rw-r--r-- C\nx/e drwxr-xr-x\nx/e/f.txt -rw-r--r-- F\nx/link Lrwxrwxrwx -> ../a.txt", "/work", ""},
		{"modes stay", "COPY run.sh /bin/", "usr drwxr-xr-x\nusr/bin drwxr-xr-x\nusr/bin/run.sh -rwxr-xr-x run", "/work", ""},
		{"a link is what it leads to", "COPY link /x", "x -rw-r--r-- A", "/work", ""},
		{"a link out of the context", "COPY out /x", "!the folder has no out", "", ""},
		{"the context ends at its root", "COPY ../../../etc/passwd /x", "!the folder has no ../../../etc/passwd", "", ""},
		{"an ignored file", "COPY d/x.pyc /x", "!or .dockerignore names it", "", ""},
		{"what a lower layer has and an upper one hides", "COPY a.txt /old/", "old drwxr-xr-x\nold/a.txt -rw-r--r-- A", "/work", ""},
		{"a file over a file of the image", "COPY a.txt /etc/a", "etc drwxr-xr-x\netc/a -rw-r--r-- A", "/work", ""},
		{"a file below a file of the image", "COPY a.txt /etc/a/b", "!/etc/a is no folder", "", ""},
		{"a working folder is made", "WORKDIR /new\nWORKDIR sub\nCOPY a.txt .", "new drwxr-xr-x\nnew/sub drwxr-xr-x\nnew/sub/a.txt -rw-r--r-- A", "/new/sub", ""},
		{"variables", "ENV B=2 C=\"$A ${B:-3} \\$D\"\nWORKDIR /w$A", "w1 drwxr-xr-x", "/w1", "C=1 3 $D"},
		{"the old form of ENV", "ENV B  two words", "", "/work", "B=two words"},
		{"nothing to trials", "EXPOSE 80\nLABEL a=b\nCMD [\"x\"]\nENTRYPOINT x\nSTOPSIGNAL 9", "", "/work", ""},
		{"a line that goes on", "COPY a.txt \\\n  # a comment\n\n  /x", "x -rw-r--r-- A", "/work", ""},
		{"one after the other", "COPY a.txt /x\nCOPY b.txt /x", "x -rw-r--r-- B", "/work", ""},
		{"quotation marks that are not closed", "ENV A='1", "!line 2 of the Dockerfile: a quotation mark", "", ""},
		{"ENV without a value", "ENV A", "!wants NAME=VALUE", "", ""},
		{"COPY without a destination", "COPY a.txt", "!wants a source and a destination", "", ""},
		{"flags need the builder", "COPY --chown=1:1 a.txt /x", "!is not built", "", ""},
		{"heredocs need the builder", "COPY <<EOF /x\nhi\nCOPY a.txt /y\nEOF", "!is not built", "", ""},
		{"other forms of variables need the builder", "ENV X=${A#1}", "!is not built", "", ""},
		{"RUN needs the builder", "COPY a.txt /x\nRUN true", "!is not built", "", ""},
	} {
		img, err := s.For(t.Context(), contextOf(t, "FROM base:1\n"+test.last+"\n"))
		if want, bad := strings.CutPrefix(test.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrNotBuilt) != (want == "is not built") {
				t.Errorf("%s: error %v, want %q", test.why, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		top := ""
		if len(img.Lowers) > 2 {
			top = listing(t, img.Lowers[0].Dir)
		}
		if top != test.want || img.Dir != test.dir || test.env != "" && img.Env[len(img.Env)-1] != test.env {
			t.Errorf("%s: %q %q:\n%s\nwant\n%s", test.why, img.Dir, img.Env, top, test.want)
		}
	}
}

// The digest follows the content alone, whatever the times of the files, and a layer that a power cut spoiled is made again.
func TestForDependsOnContentAlone(t *testing.T) {
	t.Parallel()
	s, there := withBase(t), withBase(t)
	const text = "FROM base:1\nCOPY . /x\n"
	one, other := contextOf(t, text), contextOf(t, text)
	if err := os.Chtimes(filepath.Join(other, "a.txt"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	a, err := s.For(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := there.For(t.Context(), other)
	if err != nil || a.Digest != b.Digest {
		t.Errorf("digests %s and %s, error %v", a.Digest, b.Digest, err)
	}
	file := filepath.Join(a.Lowers[0].Dir, "x/a.txt")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := s.For(t.Context(), one)
	if text, _ := os.ReadFile(file); err != nil || c.Digest != a.Digest || string(text) != "A" {
		t.Errorf("the spoiled file has %q, error %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(other, "a.txt"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if d, err := there.For(t.Context(), other); err != nil || d.Digest == b.Digest {
		t.Errorf("after a change: digest %s, error %v", d.Digest, err)
	}
}

func TestFindSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := withBase(t)
	for _, name := range []string{"base:1", "docker.io/library/base:1"} {
		if img, err := s.Find(name); err != nil || img.Name != name {
			t.Errorf("%s: %+v, error %v", name, img, err)
		}
	}
	if _, err := s.Find("bese:1"); !errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), `did you mean "base:1"`) {
		t.Errorf("error %v", err)
	}
	if _, err := s.For(t.Context(), contextOf(t, "FROM none\nWORKDIR /\n")); !errors.Is(err, ErrNoImage) {
		t.Errorf("error %v", err)
	}
}

// fakeBuilder writes a builder that pushes one image, whatever it builds, and fails for a Dockerfile with RUN false.
func fakeBuilder(t *testing.T, name string) (program, log string) {
	t.Helper()
	dir := t.TempDir()
	two := twoLayers(t)
	plain := func(b []byte) []byte { return b }
	layout := folderOf(t, two.files(t, "REF", true, plain))
	saved := write(t, tarFile(t, two.files(t, "x", false, plain)))
	program, log = filepath.Join(dir, name), filepath.Join(dir, "log")
	script := fmt.Sprintf(`#!/bin/sh
echo "$@" >> %s
case $1 in
build) cat "$3"; if grep -q "RUN false" "$3"; then seq 100; echo "no luck" >&2; exit 3; fi;;
push) layout=${3#oci:}; ref=${layout##*:}; layout=${layout%%:*}; mkdir -p "$layout" && cp -r %s/* "$layout" && sed -i "s/REF/$ref/" "$layout/index.json";;
save) cp %s "$3";;
esac
`, log, layout, saved)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, log
}

func TestBuild(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"buildah", "docker"} {
		s := withBase(t)
		program, log := fakeBuilder(t, name)
		var said []string
		o := Builds{Builder: program, Jobs: 2, KeepGoing: true, Network: "none", Say: func(line string) { said = append(said, line) }, Environments: []string{
			contextOf(t, "FROM x\nRUN true\nCOPY a.txt /a\n"),
			contextOf(t, "FROM x\nRUN true\nCOPY b.txt /b\n"), // the same first part
			contextOf(t, "FROM x\nCOPY a.txt /\nRUN true\n"),
			contextOf(t, "FROM base:1\nCOPY a.txt /\n"), // needs no builder
			contextOf(t, "FROM elsewhere:2\nCOPY a.txt /\n"),
			contextOf(t, "FROM x\nRUN false\n"),
		}}
		err := s.Build(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), "1 of 4 builds failed") || !strings.Contains(err.Error(), "100\n    no luck") || strings.Contains(err.Error(), "\n    81\n") {
			t.Errorf("%s: error %v", name, err)
		}
		if !slices.Contains(said, "4 images to build for 5 tasks; those of 1 are there") {
			t.Errorf("%s: said %q", name, said)
		}
		for _, folder := range o.Environments[:5] {
			if img, err := s.For(t.Context(), folder); err != nil || img.Digest == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.For(t.Context(), o.Environments[5]); !errors.Is(err, ErrNotBuilt) || !strings.Contains(err.Error(), "the last build failed: ") || !strings.Contains(err.Error(), "no luck") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := s.Find("elsewhere:2"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		calls, err := os.ReadFile(log)
		if n := strings.Count(string(calls), "build -f"); err != nil || n != 4 || !strings.Contains(string(calls), "--network none") {
			t.Errorf("%s: %d builds, error %v:\n%s", name, n, err, calls)
		}
		if o.Environments = o.Environments[:5]; s.Build(t.Context(), o) != nil || strings.Count(string(calls), "build -f") != 4 {
			t.Errorf("%s: what is there is built again", name)
		}
	}
	s := open(t)
	if err := s.Build(t.Context(), Builds{Builder: "no-such-builder", Environments: []string{contextOf(t, "FROM x\nRUN x\n")}}); err == nil || !strings.Contains(err.Error(), "there is no no-such-builder on PATH") {
		t.Errorf("error %v", err)
	}
}

// What a trial holds stays; what nothing needs goes.
func TestCollect(t *testing.T) {
	t.Parallel()
	s := withBase(t)
	img, err := s.Find("base:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), "other", "-", bytes.NewReader(tarOf(t, entry{name: "a", body: "12345"}))); err != nil {
		t.Fatal(err)
	}
	release, err := s.Hold(img.Digest)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Hold(img.Digest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Remove(t.Context(), "base:1"); !errors.Is(err, ErrInUse) {
		t.Errorf("an image in use is removed: error %v", err)
	}
	if r, err := s.Collect(t.Context(), 0, 1); err != nil || r.Images != 1 || r.InUse != 1 || r.Layers != 1 || r.Bytes != 5 {
		t.Errorf("%+v, error %v", r, err)
	}
	release()
	release() // once is enough
	if _, err := s.Remove(t.Context(), "base:1"); !errors.Is(err, ErrInUse) {
		t.Errorf("an image that is held twice is removed: error %v", err)
	}
	again()
	if r, err := s.Remove(t.Context(), "base:1"); err != nil || r.Images != 1 || r.Layers != 2 {
		t.Errorf("%+v, error %v", r, err)
	}
	if _, err := s.Hold(img.Digest); !errors.Is(err, ErrNoImage) {
		t.Errorf("a removed image is held: error %v", err)
	}
	if names := left(t, s); len(names) > 0 {
		t.Errorf("%v are left", names)
	}
	if _, err := s.Collect(t.Context(), time.Hour, 0); err != nil {
		t.Error(err)
	}
}

func FuzzDockerfile(f *testing.F) {
	for _, text := range []string{"FROM a\nRUN <<EOF\nx\nEOF\nCOPY a b\n", "# escape=`\nFROM a\nENV A=\"$B ${C:-d}\" E='\\\n'", "FROM a AS b\nARG X\nCOPY --from=b $X /\nWORKDIR $X", "from a\ncopy [\"a\",\"b\"]\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := divide([]byte(text))
		if err != nil {
			return
		}
		if !strings.HasPrefix(text, string(r.prefix)) {
			t.Errorf("the first part %q does not begin %q", r.prefix, text)
		}
		env := []string{"PATH=/bin"}
		for _, in := range r.last {
			switch in.word {
			case "ENV":
				_, _ = setEnv(env, in.text)
			case "COPY":
				_, _, _ = copyNames(in.text, env)
			case "WORKDIR":
				_, _ = one(in.text, env)
			}
		}
		_, _ = parseIgnore(text)
	})
}
