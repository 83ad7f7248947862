package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// written returns what a killed process leaves of a journal with three segments of two appends
// each, and the offsets of the frames of each segment, with its end.
func written(t testing.TB) (d *waltest.Disk, o Options, frames [][]int64) {
	t.Helper()
	d, o = waltest.New(), Options{SegmentBytes: 200}
	j, _, err := openOn(d, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		add(t, j, recs(fmt.Sprintf("a:%d b:%d", i, i))...)
	}
	j.mu.Lock()
	for _, s := range j.segments {
		var at []int64
		v, err := s.Source().Scan(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.Frames {
			at = append(at, f.At)
		}
		frames = append(frames, append(at, s.Size()))
	}
	j.mu.Unlock()
	if len(frames) != 3 || len(frames[2]) != 5 {
		t.Fatalf("frames at %v", frames)
	}
	return d, o, frames
}

// copied copies a disk, with one file changed.
func copied(d *waltest.Disk, name string, f func([]byte) []byte) *waltest.Disk {
	all := d.All()
	all[name] = f(all[name])
	return waltest.Of(all)
}

const all = "a:0 b:0 a:1 b:1 a:2 b:2 a:3 b:3 a:4 b:4 a:5 b:5"

// TestTornTail cuts the last file at every byte of its last append, and tears it there in other
// ways. That append is gone, as a whole; the rest is there, and the journal goes on.
func TestTornTail(t *testing.T) {
	d, o, frames := written(t)
	last, rest := frames[2], strings.TrimSuffix(all, " a:5 b:5")
	for at := last[2]; at < last[4]; at++ {
		for _, test := range []struct {
			tear func([]byte) []byte
			why  string
		}{
			{func(b []byte) []byte { return b[:at] }, "cut"},
			{func(b []byte) []byte { clear(b[at:]); return b }, "zeros follow"},
			{func(b []byte) []byte { b[at] ^= 0x40; return b }, "one byte is another"},
			{func(b []byte) []byte { return append(b[:at], b[last[0]:last[2]]...) }, "an older write follows"},
			{func(b []byte) []byte { return append(b[:at], make([]byte, 70_000)...) }, "many zeros follow"},
		} {
			d := copied(d, segmentName(3), test.tear)
			j, old, err := openOn(d, o)
			if err != nil || text(old) != rest {
				t.Fatalf("%s at %d: replays %q, %v", test.why, at, text(old), err)
			}
			if n := len(d.Files[segmentName(3)].Data); int64(n) != last[2] {
				t.Errorf("%s at %d: the file has %d bytes", test.why, at, n)
			}
			add(t, j, rec("c:1"))
			shut(t, j)
			if _, old, err = openOn(d, o); err != nil || text(old) != rest+" c:1" {
				t.Errorf("%s at %d: goes on with %q, %v", test.why, at, text(old), err)
			}
		}
	}
}

// TestDamage changes and removes bytes where no crash does. The journal does not open, and says
// where.
func TestDamage(t *testing.T) {
	d, o, frames := written(t)
	refused := func(why, name string, at int64, f func([]byte) []byte) {
		t.Helper()
		_, _, err := openOn(copied(d, name, f), o)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "put back a copy") {
			t.Errorf("%s, %s at %d: error %v", why, name, at, err)
		}
		if at >= 0 && err != nil && !strings.Contains(err.Error(), fmt.Sprintf(" at %d:", at)) {
			t.Errorf("%s: error %v, want offset %d", why, err, at)
		}
	}
	for i, list := range frames {
		end := list[4]
		if i == 2 {
			end = list[2] // a crash may have torn the rest
		}
		for at := range end {
			from := int64(-1)
			if n, _ := slices.BinarySearch(list, at+1); n > 0 {
				from = list[n-1]
			}
			flip := func(b []byte) []byte { b[at] ^= 1; return b }
			if from != list[0] && from != list[2] {
				from = -1 // the append is named, or its frame
			}
			refused("a bit flips", segmentName(uint32(i+1)), from, flip)
			if i < 2 {
				refused("the file is cut", segmentName(uint32(i+1)), -1, func(b []byte) []byte { return b[:at] })
			}
		}
	}
	for at := range d.Files[manifestName].Data {
		refused("a bit flips", manifestName, -1, func(b []byte) []byte { b[at] ^= 1; return b })
		refused("the manifest is cut", manifestName, -1, func(b []byte) []byte { return b[:at] })
	}
	refused("the next segment has its name", segmentName(1), 12, func([]byte) []byte { return d.Files[segmentName(2)].Data })
}

func TestOtherFolders(t *testing.T) {
	for _, test := range []struct {
		do   func(map[string][]byte)
		want string // in the error; empty: it opens
		why  string
	}{
		{func(f map[string][]byte) { delete(f, segmentName(2)) }, "put back a copy", "a segment is missing"},
		{func(f map[string][]byte) { delete(f, manifestName) }, "manifest: the session journal is damaged: it is missing", "no manifest"},
		{func(f map[string][]byte) {
			b := f[segmentName(2)]
			b[5]++
			binary.LittleEndian.PutUint32(b[20:], wal.Sum(0, b[:20]))
		}, "has format 4, and this program reads format 3: use the program that wrote it", "a later format"},
		{func(f map[string][]byte) {
			f[manifestName] = wal.WithSum([]byte("quintain sessions, manifest 1\n00000001.sessions 20\n"))
		}, "use the program that wrote it, or move the folder away", "the manifest of another version"},
		{func(f map[string][]byte) { f[segmentName(9)] = nil }, "", "a segment that was being born"},
		{func(f map[string][]byte) { f[manifestName+".123"] = nil }, "", "a manifest that was being written"},
	} {
		d, o, _ := written(t)
		d.Put("notes", nil) // somebody else's
		files := d.All()
		test.do(files)
		d = waltest.Of(files)
		j, old, err := openOn(d, o)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %s", test.why, err, test.want)
			}
			continue
		}
		if err != nil || text(old) != all {
			t.Errorf("%s: replays %q, %v", test.why, text(old), err)
			continue
		}
		if names, _ := d.Names(); len(names) != len(j.segments)+2 || !slices.Contains(names, "notes") {
			t.Errorf("%s: files %q", test.why, names)
		}
	}
	d := waltest.New()
	d.Put(segmentName(1), make([]byte, wal.HeadLen))
	if _, old, err := openOn(d, Options{}); err != nil || len(old) > 0 {
		t.Errorf("a folder killed at birth has %d records, %v", len(old), err)
	}
}

// TestDamageMeetsTheReader damages a record of an open journal: whoever reads it learns that, and
// tidying up leaves its file as it is.
func TestDamageMeetsTheReader(t *testing.T) {
	d := waltest.New()
	j, _, err := openOn(d, Options{SegmentBytes: 250})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, recs("a:1 b:1")...)
	add(t, j, Record{"c", 0, make([]byte, 100)})
	add(t, j, Record{"d", 0, make([]byte, 100)})
	data := d.Files[segmentName(1)].Data
	data[wal.HeadLen+wal.PrefixLen+3] ^= 1
	if err := j.Forget("c"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"read": func() error { _, err := j.Read("a"); return err }(), "tidy": j.tidy()} {
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), segmentName(1)) || !strings.Contains(err.Error(), " at 24") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got, err := j.Read("b"); err != nil || text(got) != "b:1" {
		t.Errorf("read %q, %v", text(got), err)
	}
	if names, _ := d.Names(); len(names) != 3 {
		t.Errorf("files %q", names)
	}
}
