package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamageIsTold damages the trace of a data folder of three segments or more: each loss is told with
// its file, also after another process has written to the trace.
func TestDamageIsTold(t *testing.T) {
	change := func(number int, f func(b []byte) []byte) func(dir string) error {
		return func(dir string) error {
			path := segmentPath(dir, number)
			b, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, f(b), 0o600))
		}
	}
	remove := func(number int) func(dir string) error {
		return func(dir string) error { return os.Remove(segmentPath(dir, number)) }
	}
	flip := func(at int) func(b []byte) []byte {
		return func(b []byte) []byte { b[(at+len(b))%len(b)] ^= 4; return b }
	}
	for _, test := range []struct {
		damage func(dir string) error
		killed bool
		want   string // "": nothing is lost
		why    string
	}{
		{func(string) error { return nil }, false, "", "a good end"},
		{func(string) error { return nil }, true, "", "a kill"},
		{change(1, flip(4000)), false, "000001.trace: 1 block with ", "a bit of a block"},
		{change(1, flip(-1)), false, "", "a bit of the trailer"},
		{change(1, flip(3)), false, "000001.trace: it is damaged at its beginning", "a bit of the first bytes"},
		{change(1, flip(20)), false, "000001.trace: 1 damaged place beside", "a bit of the head"},
		{change(1, func(b []byte) []byte { return b[:len(b)/2] }), false, "000001.trace: it has no end, and what came after ", "half of the first file"},
		{change(3, func(b []byte) []byte { return b[:len(b)/2] }), false, "000003.trace: ", "half of the last file"},
		{change(3, func(b []byte) []byte { return b[:len(b)/2] }), true, "000003.trace: ", "half of the last file after a kill"},
		{change(3, func(b []byte) []byte { return append(b, "half a block"...) }), true, "", "half a block after a kill"},
		{change(2, func([]byte) []byte { return nil }), false, "000002.trace: it has no end, and what came after 0 bytes", "an empty file"},
		{remove(1), false, "000001.trace: the file is missing", "the first file is removed"},
		{remove(2), false, "000002.trace: the file is missing", "a file is removed"},
		{remove(3), false, "000003.trace: the file is missing", "the last file is removed"},
	} {
		data := t.TempDir()
		dir, mark := filepath.Join(data, "trace"), filepath.Join(data, "marks", "trace")
		if err := os.WriteFile(filepath.Join(data, "format.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := tiny()
		s.MaxBytes *= 10
		w, records := newWriter(t, dir, s), slims(1200)
		for i := range records {
			if writeAll(t, w, records[i]); w.at.number == 3 && w.index.count > 20 {
				records = records[:i+1]
				break
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		last, err := os.ReadFile(segmentPath(dir, 3))
		said, cannot := os.ReadFile(mark)
		if err := errors.Join(err, cannot, w.Close()); err != nil {
			t.Fatal(err)
		}
		if test.killed {
			if err := errors.Join(os.WriteFile(segmentPath(dir, 3), last, 0o600), os.WriteFile(mark, said, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := test.damage(dir); err != nil {
			t.Fatal(err)
		}
		told := func() (int, string) {
			r, n := open(t, dir), 0
			for _, e := range r.Find(Query{}) {
				if _, err := r.Read(e.Ref); err == nil {
					n++
				} else if !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
			}
			return n, strings.Join(r.Damage(), "; ")
		}
		n, got := told()
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") || (test.want == "") != (n == len(records)) && test.why != "a bit of the head" {
			t.Errorf("%s: %d of %d groups are read, told %q, want %q", test.why, n, len(records), got, test.want)
		}
		w = newWriter(t, dir, s)
		writeAll(t, w, smalls(1)...)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if then, after := told(); then != n+1 || !strings.Contains(after, test.want) {
			t.Errorf("%s: after the next process %d groups are read, told %q", test.why, then, after)
		}
	}
}

// TestDamageOfACopyIsTold cuts the trace of a copied data folder, whose mark is a copy too.
func TestDamageOfACopyIsTold(t *testing.T) {
	for _, test := range []struct {
		cut  func(path string, size int64) error
		want string // "": nothing is lost
		why  string
	}{
		{func(string, int64) error { return nil }, "", "a good copy"},
		{func(path string, size int64) error { return os.Truncate(path, size*2/3) }, "groups are missing at its end", "its end is cut"},
		{func(path string, _ int64) error { return os.Truncate(path, 100) }, "no group can be read", "it has no group any more"},
		{func(path string, _ int64) error { return os.Remove(path) }, "the file is missing", "it is removed"},
	} {
		data, dir := t.TempDir(), filepath.Join(t.TempDir(), "copy")
		if err := os.WriteFile(filepath.Join(data, "format.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, filepath.Join(data, "trace"), Default())
		for _, r := range smalls(30) {
			if writeAll(t, w, r); r.Version%7 == 0 {
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(w.Close(), os.CopyFS(dir, os.DirFS(data))); err != nil {
			t.Fatal(err)
		}
		path := segmentPath(filepath.Join(dir, "trace"), 1)
		info, err := os.Stat(path)
		if err := errors.Join(err, test.cut(path, info.Size())); err != nil {
			t.Fatal(err)
		}
		r, err := OpenRuns(dir)
		var told string
		if err != nil {
			told = err.Error()
		} else {
			told = strings.Join(r.Damage(), "; ")
		}
		if !strings.Contains(told, test.want) || (told == "") != (test.want == "") {
			t.Errorf("%s: told %q, want %q", test.why, told, test.want)
		}
	}
}
