package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// write makes a folder of files.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Salvage finds the groups of a frame whose beginning is damaged, unless they were acknowledged,
// and does without its logs.
func TestSalvage(t *testing.T) {
	for _, test := range []struct {
		why     string
		damage  func(files map[string][]byte)
		refused bool // by Dump
		dumped  int
		found   int
	}{
		{"nothing", func(map[string][]byte) {}, false, 106, 106},
		{"the first frame, of a group that was acknowledged", func(f map[string][]byte) { clear(f[segmentName(1)][wal.HeadLen:][:wal.PrefixLen]) }, false, 106, 106},
		{"the second frame", func(f map[string][]byte) { clear(f[segmentName(1)][frameAt(f, 1):][:wal.PrefixLen]) }, false, 105, 106},
		{"the next ones too", func(f map[string][]byte) {
			for i := range 3 {
				clear(f[segmentName(1)][frameAt(f, 1+i):][:wal.PrefixLen])
			}
		}, false, 104, 106},
		{"a log is missing", func(f map[string][]byte) { delete(f, statesName) }, true, 0, 106},
		{"the log and the list are damaged", func(f map[string][]byte) {
			for _, name := range []string{doneName, manifestName} {
				copy(f[name], bytes.Repeat([]byte{0xff}, wal.HeadLen))
			}
		}, true, 0, 160},
		{"the log is missing", func(f map[string][]byte) { delete(f, doneName) }, true, 0, 160},
	} {
		files := worn(t, closed)
		test.damage(files)
		dir := write(t, files)
		var dumped, found []string
		note := func(to *[]string) func(queue.Delivery) error {
			return func(d queue.Delivery) error { *to = append(*to, d.ID); return nil }
		}
		if _, err := Dump(t.Context(), dir, note(&dumped)); (err != nil) != test.refused || len(dumped) != test.dumped {
			t.Errorf("%s: error %v, %d groups, want %d", test.why, err, len(dumped), test.dumped)
		}
		if _, err := Salvage(t.Context(), dir, note(&found)); err != nil || len(found) != test.found {
			t.Errorf("%s: salvage: error %v, %d groups, want %d", test.why, err, len(found), test.found)
		}
		slices.Sort(found)
		if n := len(slices.Compact(found)); n != test.found {
			t.Errorf("%s: %d of %d groups come twice", test.why, test.found-n, test.found)
		}
	}
}

// frameAt is the offset of a frame of the first file of groups; the frames before may be damaged.
func frameAt(files map[string][]byte, i int) int {
	at, text := wal.HeadLen, string(files[segmentName(1)])
	step := strings.Index(text[wal.HeadLen+wal.PrefixLen:], "QNfr") // all have about the same size
	for ; i > 0; i-- {
		next := strings.Index(text[at+wal.PrefixLen:], "QNfr")
		if next > 2*step {
			next = step
		}
		at += wal.PrefixLen + next
	}
	return at
}

// Folders finds the queues of a data folder, and nothing in others.
func TestFolders(t *testing.T) {
	data := t.TempDir()
	for _, name := range []string{"queue", "runs/b", "runs/a"} {
		s, err := Open(filepath.Join(data, name), Options{})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(data, "runs", "empty"), 0o700), os.Mkdir(filepath.Join(data, "trace"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir  string
		want []string
	}{
		{".", []string{"queue", "runs/a", "runs/b"}},
		{"queue", []string{"queue"}},
		{"runs/b", []string{"runs/b"}},
		{"runs", nil},
		{"runs/empty", nil},
		{"trace", nil},
		{"none", nil},
	} {
		got, err := Folders(filepath.Join(data, test.dir))
		for i := range got {
			got[i], _ = filepath.Rel(data, got[i])
			got[i] = filepath.ToSlash(got[i])
		}
		if err != nil {
			got = nil
		}
		if (err != nil) != (test.want == nil) || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, error %v, want %v", test.dir, got, err, test.want)
		}
	}
}
