package journal

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// sizeOf is the size of a segment's file.
func sizeOf(d *waltest.Disk, number uint32) int64 {
	return int64(len(d.Files[segmentName(number)].Data))
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
		d := waltest.New()
		j, _, err := openOn(d, Options{ahead: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		add(t, j, recs("a:1 b:1")...)
		end := j.segments[0].Size()
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
	d := waltest.New()
	j, _, err := openOn(d, Options{ahead: 1000})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	shut(t, j) // the manifest has its end
	d = copied(d, segmentName(1), func(b []byte) []byte { clear(b[wal.HeadLen:]); return b })
	if _, got, err := openOn(d, Options{}); err == nil || !strings.Contains(err.Error(), "no whole frame begins at 24") {
		t.Errorf("replays %q, %v", text(got), err)
	}
}
