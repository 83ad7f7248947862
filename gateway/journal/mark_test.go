package journal

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inData returns the journal's folder in a new data folder.
func inData(t testing.TB) (data, dir string) {
	t.Helper()
	data = t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "format.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return data, filepath.Join(data, "sessions")
}

// killed fills a journal with sessions a, b and c in two segments, as a killed process leaves it.
// The data folder has a copy of the journal, without c, in "old".
func killed(t *testing.T) (data string) {
	t.Helper()
	data, dir := inData(t)
	j, _ := reopen(t, dir, Options{SegmentBytes: 300})
	add(t, j, recs("a:1 b:1 a:2 b:2 b:3")...)
	if err := os.CopyFS(filepath.Join(data, "old"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	add(t, j, Record{"c", ':', make([]byte, 150)})
	add(t, j, rec("c;2"))
	mark := filepath.Join(data, "marks", "sessions")
	b, err := os.ReadFile(mark)
	if err = errors.Join(err, os.CopyFS(filepath.Join(data, "killed"), os.DirFS(dir))); err != nil {
		t.Fatal(err)
	}
	shut(t, j)
	if err := errors.Join(os.RemoveAll(dir), os.Rename(filepath.Join(data, "killed"), dir), os.WriteFile(mark, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWhatWasConfirmed damages the end of a journal after a kill. Without a mark it looks like a
// write that the kill tore; the mark tells them apart, says which sessions lost records, and what
// the message names as the way on is one.
func TestWhatWasConfirmed(t *testing.T) {
	const open = "sessions/00000002.sessions"
	file := func(f func([]byte) []byte) func(string) error {
		return func(data string) error {
			b, err := os.ReadFile(filepath.Join(data, open))
			return errors.Join(err, os.WriteFile(filepath.Join(data, open), f(b), 0o600))
		}
	}
	end := func(b []byte) int { return bytes.LastIndex(b, []byte("c2")) + 2 }
	folder := func(old bool) func(string) error {
		return func(data string) error {
			dir := filepath.Join(data, "sessions")
			if err := os.RemoveAll(dir); err != nil || !old {
				return err
			}
			return os.Rename(filepath.Join(data, "old"), dir)
		}
	}
	for _, test := range []struct {
		damage func(data string) error
		want   []string // in the error or, after the colon of "log:", in the log; none: it opens
		after  string   // kinds of what is there with the remedy
		why    string
	}{
		{file(func(b []byte) []byte { return b[:end(b)-7] }), []string{open, "40 bytes", `1 record at least, of ["c"]`}, "::::::", "cut within the last record"},
		{file(func(b []byte) []byte { return b[:24] }), []string{open, "after 24", `2 records at least, of ["c"]`}, ":::::", "cut at a record's end"},
		{file(func(b []byte) []byte { return b[:28] }), []string{open, `2 records at least, of ["c"]`}, ":::::", "cut to 28 bytes"},
		{file(func(b []byte) []byte { clear(b[30:]); return b }), []string{open, `2 records at least`}, ":::::", "zeros"},
		{file(func(b []byte) []byte { b[end(b)-1] ^= 4; return b }), []string{open, `1 record at least, of ["c"]`}, "::::::", "a bit of the last record"},
		{file(func(b []byte) []byte { b[60] ^= 4; return b }), []string{open, "at 24", "move it away"}, "", "a bit before the last write"},
		{folder(true), []string{"an older copy", `["a" "b" "c"]`, "go on with this one"}, ":::::", "the folder of yesterday"},
		{folder(false), []string{"log:", "was removed", "a", "b", "c"}, "", "no folder"},
		{file(func(b []byte) []byte { return append(b[:end(b)], "QNfr half a record"...) }), nil, "::::::;", "a write that the kill tore"},
		{func(data string) error {
			mark := filepath.Join(data, "marks", "sessions")
			b, err := os.ReadFile(mark)
			return errors.Join(err, os.Remove(mark), os.WriteFile(mark, b, 0o600), folder(true)(data))
		}, []string{"log:", "is a copy"}, ":::::", "a copy of the data folder"},
		{func(data string) error {
			mark := filepath.Join(data, "marks", "sessions")
			b, err := os.ReadFile(mark)
			cut := file(func(b []byte) []byte { return b[:24] })
			return errors.Join(err, os.Remove(mark), os.WriteFile(mark, b, 0o600), cut(data))
		}, []string{"log:", "is a copy", `2 records at least, of [\"c\"]`}, ":::::", "a copy of the data folder, cut"},
		{func(data string) error {
			return os.WriteFile(filepath.Join(data, "marks", "sessions"), []byte("no mark"), 0o600)
		}, nil, "::::::;", "a damaged mark only loses knowledge"},
	} {
		data := killed(t)
		if err := test.damage(data); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		kinds := func() (kinds string, err error) {
			j, err := Open(filepath.Join(data, "sessions"), Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, func(r Record) error {
				kinds += string(r.Kind)
				return nil
			})
			if err == nil {
				shut(t, j)
			}
			return kinds, err
		}
		checked := Check(filepath.Join(data, "sessions"), func(Record) error { return nil })
		got, err := kinds()
		told := "log: " + log.String()
		if err != nil {
			told = err.Error()
			if !errors.Is(err, ErrDamaged) || checked == nil || checked.Error() != told {
				t.Errorf("%s: error %v, and Check says %v", test.why, err, checked)
			}
			if strings.Contains(told, "or remove "+filepath.Join(data, "marks", "sessions")) {
				err = os.Remove(filepath.Join(data, "marks", "sessions"))
			} else if strings.Contains(told, "move it away") {
				err = os.Rename(filepath.Join(data, "sessions"), filepath.Join(data, "away"))
			}
			if err == nil {
				got, err = kinds()
			}
		}
		if err != nil || got != test.after {
			t.Errorf("%s: with the remedy %q, %v, want %q", test.why, got, err, test.after)
		}
		for _, want := range test.want {
			if !strings.Contains(told, want) {
				t.Errorf("%s: told %q, want %q in it", test.why, told, want)
			}
		}
		if again, err := kinds(); err != nil || again != test.after {
			t.Errorf("%s: the next time %q, %v, want %q", test.why, again, err, test.after)
		}
	}
}

// TestMarkIsARing has more appends than slots.
func TestMarkIsARing(t *testing.T) {
	data, dir := inData(t)
	j, _ := reopen(t, dir, Options{})
	add(t, j, rec("a:1"))
	for range 3 {
		add(t, j, slices.Repeat(recs("b:1"), slots-1)...)
	}
	size := j.segments[0].Size()
	shut(t, j)
	j, _ = reopen(t, dir, Options{})
	if end := j.was.end(j.segments[0].Head.Salt); end != size || len(j.was.list) != slots {
		t.Errorf("the mark has %d slots and the end %d, want %d", len(j.was.list), end, size)
	}
	info, err := os.Stat(filepath.Join(data, "marks", "sessions"))
	if err != nil || info.Size() != slots*64 {
		t.Errorf("%v, %v", info, err)
	}
}
