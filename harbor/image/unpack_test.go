//go:build linux

package image

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sys/unix"
)

// open opens a new store, whose disk is not synced.
func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "images"))
	if err != nil {
		t.Fatal(err)
	}
	s.sync = func(int) error { return nil }
	s.Limits.Free = 0
	return s
}

// An entry is one of a tar file; its kind is that of a file if it ends with no slash, unless a type is given.
type entry struct {
	name, body, link string
	kind             byte
	mode             int64
	pax              map[string]string
	time             time.Time
	format           tar.Format
}

// tarOf writes entries as a tar file.
func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: e.mode, PAXRecords: e.pax, ModTime: e.time, Format: e.format}
		switch {
		case h.Typeflag == 0 && strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		case h.Typeflag == 0:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(e.body))
		}
		if h.Mode == 0 {
			h.Mode = 0o755
		}
		if h.ModTime.IsZero() {
			h.ModTime = time.Unix(1_600_000_000, 0)
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		if _, err := w.Write([]byte(e.body)); h.Typeflag == tar.TypeReg && err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// listing lists a folder: names with their kinds and permissions, contents of files, and where links lead.
func listing(t testing.TB, root string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := strings.TrimPrefix(name, root+"/") + " " + info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += " " + string(text[:min(len(text), 40)])
		case info.Mode().Type() == fs.ModeSymlink:
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " -> " + link
		case info.IsDir() && marked(name):
			line += " opaque"
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// marked reports whether a folder hides those of lower layers.
func marked(folder string) bool {
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(folder, "user.overlay.opaque", value)
	return err == nil && string(value[:n]) == "y"
}

func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// left lists what is in the folder of layers.
func left(t testing.TB, s *Store) (names []string) {
	t.Helper()
	list, err := os.ReadDir(s.path("single", "layers"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	deep := strings.Repeat("d/", 150) + "f"
	for _, test := range []struct {
		why     string
		entries []entry
		want    string // part of the only error, after "!"; else the files
	}{
		{"a file in a folder", []entry{{name: "a/", mode: 0o750}, {name: "a/b", body: "hi", mode: 0o644}}, "a drwxr-x---\na/b -rw-r--r-- hi"},
		{"a folder without an entry", []entry{{name: "a/b/c", body: "hi"}}, "a drwxr-xr-x\na/b drwxr-xr-x\na/b/c -rwxr-xr-x hi"},
		{".. leads to the root at most", []entry{{name: "../../../x", body: "out"}}, "x -rwxr-xr-x out"},
		{".. in the middle", []entry{{name: "a/../../b/./c", body: "out"}}, "b drwxr-xr-x\nb/c -rwxr-xr-x out"},
		{"an absolute name is below the root", []entry{{name: "/etc/passwd", body: "me"}}, "etc drwxr-xr-x\netc/passwd -rwxr-xr-x me"},
		{"a link out of the root may stand there", []entry{{name: "l", kind: tar.TypeSymlink, link: "../../../etc"}}, "l Lrwxrwxrwx -> ../../../etc"},
		{"writing through an absolute link", []entry{{name: "l", kind: tar.TypeSymlink, link: "/tmp"}, {name: "l/x", body: "out"}}, "!no folder of this layer"},
		{"writing through a link with ..", []entry{{name: "l", kind: tar.TypeSymlink, link: "../.."}, {name: "l/x", body: "out"}}, "!no folder of this layer"},
		{"writing through a link to a folder inside", []entry{{name: "d/"}, {name: "l", kind: tar.TypeSymlink, link: "d"}, {name: "l/x", body: "in"}}, "!no folder of this layer"},
		{"a file over a link replaces the link", []entry{{name: "l", kind: tar.TypeSymlink, link: "/tmp/x"}, {name: "l", body: "in"}}, "l -rwxr-xr-x in"},
		{"a folder over a link replaces the link", []entry{{name: "l", kind: tar.TypeSymlink, link: "/tmp"}, {name: "l/"}, {name: "l/x", body: "in"}}, "l drwxr-xr-x\nl/x -rwxr-xr-x in"},
		{"a file below a file", []entry{{name: "a", body: "1"}, {name: "a/b", body: "2"}}, "!no folder of this layer"},
		{"a hard link inside", []entry{{name: "a", body: "1"}, {name: "d/b", kind: tar.TypeLink, link: "a"}}, "a -rwxr-xr-x 1\nd drwxr-xr-x\nd/b -rwxr-xr-x 1"},
		{"a hard link out of the root", []entry{{name: "a", kind: tar.TypeLink, link: "../../etc/passwd"}}, "!no such file"},
		{"an absolute hard link is below the root", []entry{{name: "a", kind: tar.TypeLink, link: "/etc/passwd"}}, "!no such file"},
		{"a hard link through a link", []entry{{name: "l", kind: tar.TypeSymlink, link: "/etc"}, {name: "a", kind: tar.TypeLink, link: "l/passwd"}}, "!no folder of this layer"},
		{"a hard link to a link links the link", []entry{{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"}, {name: "a", kind: tar.TypeLink, link: "l"}}, "a Lrwxrwxrwx -> /etc/passwd\nl Lrwxrwxrwx -> /etc/passwd"},
		{"a hard link to a folder", []entry{{name: "d/"}, {name: "a", kind: tar.TypeLink, link: "d"}}, "!no file of this layer"},
		{"a hard link to the root", []entry{{name: "a", kind: tar.TypeLink, link: "/"}}, "!the root"},
		{"a hard link to itself", []entry{{name: "a", body: "1"}, {name: "a", kind: tar.TypeLink, link: "./a"}}, "a -rwxr-xr-x 1"},
		{"a hard link to what is hidden", []entry{{name: ".wh.x"}, {name: "a", kind: tar.TypeLink, link: "x"}}, "!no file of this layer"},
		{"a whiteout", []entry{{name: "d/.wh.x"}}, "d drwxr-xr-x\nd/x Dc---------"},
		{"a whiteout of the root", []entry{{name: ".wh.."}}, "!hides a folder"},
		{"a whiteout of nothing", []entry{{name: "d/.wh."}}, "!hides a folder"},
		{"a whiteout of the folder above", []entry{{name: "d/.wh..."}}, "!hides a folder"},
		{"a whiteout of what the layer has hides only what is below", []entry{{name: "x", body: "new"}, {name: ".wh.x"}}, "x -rwxr-xr-x new"},
		{"a file after its whiteout", []entry{{name: ".wh.x"}, {name: "x", body: "new"}}, "x -rwxr-xr-x new"},
		{"a folder after its whiteout hides the one below", []entry{{name: ".wh.x"}, {name: "x/"}, {name: "x/y", body: "new"}}, "x drwxr-xr-x opaque\nx/y -rwxr-xr-x new"},
		{"a folder before its whiteout, too", []entry{{name: "x/"}, {name: ".wh.x"}}, "x drwxr-xr-x opaque"},
		{"a folder without an entry after its whiteout, too", []entry{{name: ".wh.x"}, {name: "x/y", body: "new"}}, "x drwxr-xr-x opaque\nx/y -rwxr-xr-x new"},
		{"an opaque folder", []entry{{name: "d/"}, {name: "d/.wh..wh..opq"}, {name: "d/x", body: "1"}}, "d drwxr-xr-x opaque\nd/x -rwxr-xr-x 1"},
		{"notes of aufs", []entry{{name: ".wh..wh.plnk/"}, {name: ".wh..wh.aufs"}}, ""},
		{"devices are left out", []entry{{name: "null", kind: tar.TypeChar}, {name: "sda", kind: tar.TypeBlock}, {name: "a", body: "1"}}, "a -rwxr-xr-x 1"},
		{"a fifo", []entry{{name: "p", kind: tar.TypeFifo, mode: 0o600}}, "p prw-------"},
		{"setuid, setgid, sticky", []entry{{name: "s", body: "1", mode: 0o6755}, {name: "t/", mode: 0o1777}}, "s ugrwxr-xr-x 1\nt dtrwxrwxrwx"},
		{"what nobody may read can be read by its owner", []entry{{name: "d/", mode: 0o40000}, {name: "d/x", body: "1", mode: 0o100000}}, "d drwx------\nd/x -r-------- 1"},
		{"later entries replace earlier ones", []entry{{name: "a", body: "1"}, {name: "a", body: "2"}, {name: "a/"}, {name: "a/b", body: "3"}, {name: "a", body: "4"}}, "a -rwxr-xr-x 4"},
		{"upper and lower case", []entry{{name: "A", body: "1"}, {name: "a", body: "2"}}, "A -rwxr-xr-x 1\na -rwxr-xr-x 2"},
		{"names of PAX and GNU", []entry{{name: long + "/" + long + "/" + long, body: "1"}, {name: "ü/\xff", body: "2"}}, long + " drwxr-xr-x\n" + long + "/" + long + " drwxr-xr-x\n" + long + "/" + long + "/" + long + " -rwxr-xr-x 1\nü drwxr-xr-x\nü/\xff -rwxr-xr-x 2"},
		{"long names of GNU", []entry{{name: long + "/" + long, body: "1", format: tar.FormatGNU}, {name: "l", kind: tar.TypeSymlink, link: long + "/" + long, format: tar.FormatGNU}}, "l Lrwxrwxrwx -> " + long + "/" + long + "\n" + long + " drwxr-xr-x\n" + long + "/" + long + " -rwxr-xr-x 1"},
		{"a long name of GNU with ..", []entry{{name: strings.Repeat("../", 50) + "x", body: "1", format: tar.FormatGNU}}, "x -rwxr-xr-x 1"},
		{"a link of PAX out of the root, and what is below it", []entry{{name: "l", kind: tar.TypeSymlink, link: "/" + long + long}, {name: "l/x", body: "1"}}, "!no folder of this layer"},
		{"a part of 256 bytes", []entry{{name: strings.Repeat("n", 256), body: "1"}}, "!a part of 256 bytes"},
		{"a name of 5,000 bytes", []entry{{name: strings.Repeat("n/", 2500) + "x", body: "1"}}, "!5001 bytes and 2501 parts"},
		{"folders in folders", []entry{{name: deep, body: "1"}}, ""},
		{"attributes of users stay", []entry{{name: "a", body: "1", pax: map[string]string{"SCHILY.xattr.user.x": "y", "SCHILY.xattr.security.capability": "z"}}}, "a -rwxr-xr-x 1"},
		{"attributes of the overlay", []entry{{name: "d/", pax: map[string]string{"SCHILY.xattr.user.overlay.redirect": "/etc"}}}, "!is the overlay's"},
		{"the root as a file", []entry{{name: "/", kind: tar.TypeSymlink, link: "/etc"}}, "!the root, and no folder"},
		{"an empty link", []entry{{name: "a", kind: tar.TypeSymlink}}, "!no such file"},
	} {
		s := open(t)
		text := tarOf(t, test.entries...)
		l, err := s.unpack(t.Context(), bytes.NewReader(text), "", true)
		if want, bad := strings.CutPrefix(test.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", test.why, err, want)
			}
			if names := left(t, s); len(names) > 0 {
				t.Errorf("%s: %v are left", test.why, names)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if got := listing(t, filepath.Join(s.layerPath(l.Digest), rootName)); got != test.want && test.why != "folders in folders" {
			t.Errorf("%s:\n%s\nwant\n%s", test.why, got, test.want)
		}
		var again bytes.Buffer
		if err := s.write(t.Context(), &again, l.Digest); err != nil || !bytes.Equal(again.Bytes(), text) {
			t.Errorf("%s: the archive is not written again as it was: error %v, %d bytes, want %d", test.why, err, again.Len(), len(text))
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, entry{name: "a/"}, entry{name: "a/b", body: "1"}, entry{name: "a", body: "2"}, entry{name: ".wh.a"}, entry{name: "c", kind: tar.TypeLink, link: "a"}))
	f.Add(tarOf(f, entry{name: "l", kind: tar.TypeSymlink, link: "/tmp"}, entry{name: "l/"}, entry{name: "l/x", body: "1", pax: map[string]string{"SCHILY.xattr.user.a": "b"}}))
	s := open(f)
	s.Limits.Layer, s.Limits.Entries = 1<<20, 1000
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := s.unpack(t.Context(), bytes.NewReader(text), "", false)
		if err != nil {
			if names := left(t, s); len(names) > 0 {
				t.Errorf("%v are left after %v", names, err)
			}
			return
		}
		var again bytes.Buffer
		if err := s.write(t.Context(), &again, l.Digest); err != nil || !bytes.Equal(again.Bytes(), text) {
			t.Errorf("the archive is not written again as it was: %v", err)
		}
		if err := s.discard(l.Digest); err != nil {
			t.Error(err)
		}
	})
}
