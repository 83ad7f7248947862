package journal

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// sizeOf is the size of a segment's file.
func sizeOf(d *disk, number uint32) int64 { return int64(len(d.now[segmentName(number)].data)) }

// appends fill zeros written ahead, and do not change the size of the file; Stats counts the zeros.
func TestZerosAreWrittenAhead(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{ahead: 1000})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	size := sizeOf(d, 1)
	if end := j.segments[0].size; size != end+1000 || j.Stats().Bytes != size {
		t.Errorf("the file has %d bytes, the segment ends at %d, %+v", size, end, j.Stats())
	}
	want := "a:1"
	for sizeOf(d, 1) == size {
		if want += " a:2"; j.segments[0].size > size {
			t.Fatal("the file grows without zeros")
		}
		add(t, j, rec("a:2"))
	}
	if end := j.segments[0].size; end <= size || sizeOf(d, 1) != end+1000 || d.used() != int(j.Stats().Bytes)+len(d.now[manifestName].data) {
		t.Errorf("the file of %d bytes grew to %d, and ends at %d, %+v", size, sizeOf(d, 1), end, j.Stats())
	}
	end := sizeOf(d, 1)
	add(t, j, Record{"b", 'x', make([]byte, 2000)})
	if j.Stats().Bytes != sizeOf(d, 1) || sizeOf(d, 1) > end+2100 {
		t.Errorf("a large append has zeros: from %d to %d bytes", end, sizeOf(d, 1))
	}
	shut(t, j)
	if n := sizeOf(d, 1); n != j.segments[0].size {
		t.Errorf("Close leaves %d bytes of %d", n, j.segments[0].size)
	}
	if _, got, err := openOn(d, Options{}); err != nil || !strings.HasPrefix(text(got), want+" b") {
		t.Errorf("without zeros, it replays %q, %v", text(got), err)
	}
}

// After a kill, zeros are the clean end of the journal; half a record before them is not.
func TestZerosAreACleanEnd(t *testing.T) {
	for _, test := range []struct {
		damage func(zeros []byte)
		torn   bool
		why    string
	}{
		{func([]byte) {}, false, "all were written"},
		{func(zeros []byte) { zeros[0] = 'Q' }, true, "a write began"},
		{func(zeros []byte) { zeros[99_999] = 1 }, true, "another wrote there"},
	} {
		d := newDisk()
		j, _, err := openOn(d, Options{ahead: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		add(t, j, recs("a:1 b:1")...)
		end := j.segments[0].size
		for cut := int64(0); cut <= 100_000; cut += 25_000 { // how many of the zeros were written
			if cut < 100_000 && test.torn {
				continue
			}
			d := copied(d, segmentName(1), func(b []byte) []byte { test.damage(b[end:]); return b[:end+cut] })
			var log bytes.Buffer
			j, got, err := openOn(d, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil || text(got) != "a:1 b:1" || sizeOf(d, 1) != end {
				t.Errorf("%s: replays %q, %v, and leaves %d bytes", test.why, text(got), err, sizeOf(d, 1))
			}
			if strings.Contains(log.String(), "half written") != test.torn {
				t.Errorf("%s, %d zeros: the log says %q", test.why, cut, log.String())
			}
			shut(t, j)
		}
	}
}

// Zeros where records were durable are damage, not an end.
func TestZerosBeforeTheSealAreDamage(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{ahead: 1000})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	shut(t, j) // the manifest has its end
	d = copied(d, segmentName(1), func(b []byte) []byte { clear(b[segmentHead:]); return b })
	if _, got, err := openOn(d, Options{}); err == nil || !strings.Contains(err.Error(), "no whole frame begins at 20") {
		t.Errorf("replays %q, %v", text(got), err)
	}
}

// On a full disk appends go on without zeros, which leave nothing behind; the next segment has some
// again. A closed segment has none.
func TestZerosOnAFullDisk(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{SegmentBytes: 510, ahead: 400})
	if err != nil {
		t.Fatal(err)
	}
	d.room(350)
	for range 3 {
		add(t, j, rec("a:1"))
		if n, end := sizeOf(d, 1), j.segments[0].size; n != end {
			t.Fatalf("the file has %d bytes, the segment ends at %d", n, end)
		}
	}
	d.room(-1)
	add(t, j, rec("a:1"))
	if n, end := sizeOf(d, 1), j.segments[0].size; n != end {
		t.Errorf("the segment tries again: the file has %d bytes, it ends at %d", n, end)
	}
	for range 40 {
		add(t, j, rec("a:1"))
	}
	if n := len(j.segments); n < 3 {
		t.Fatalf("%d segments", n)
	}
	for i, s := range j.segments {
		n, last := sizeOf(d, s.number), i == len(j.segments)-1
		if last && (n <= s.size || n > 510) || !last && n != s.size {
			t.Errorf("segment %d of %d bytes ends at %d", s.number, n, s.size)
		}
	}
}

// The file of a failed write is cut back, with its zeros.
func TestZerosAfterAFailedWrite(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{ahead: 1000})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	d.fail("write", 1)
	if err := j.Append(t.Context(), rec("a:2")); err == nil {
		t.Fatal("no error")
	}
	if n := sizeOf(d, 1); n != j.segments[0].size || j.Stats().Bytes != n {
		t.Errorf("the file has %d bytes, %+v", n, j.Stats())
	}
	add(t, j, rec("a:3"))
	if n := sizeOf(d, 1); n != j.segments[0].size+1000 {
		t.Errorf("the file has %d bytes, the segment ends at %d", n, j.segments[0].size)
	}
}
