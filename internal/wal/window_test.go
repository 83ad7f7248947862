package wal_test

import (
	"bytes"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// A window gives up a dead part after few reads, and loses only bad sectors of the others.
func TestWindow(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, test := range []struct {
		why      string
		from, to int64
		reads    int // that fail at most
	}{
		{"nothing", 0, 0, 0},
		{"a wal.Sector", 5 * wal.Sector, 6 * wal.Sector, 40},
		{"some bytes of one", 5*wal.Sector + 3, 5*wal.Sector + 4, 40},
		{"the first", 0, wal.Sector, 40},
		{"the last", 1<<20 - wal.Sector, 1 << 20, 40},
		{"four thousand bytes", 300_000, 304_000, 60},
		{"the second half", 1 << 19, 1 << 20, 60},
		{"all", 0, 1 << 20, 10},
	} {
		d := waltest.Of(map[string][]byte{"f": data})
		d.Files["f"].Bad = [2]int64{test.from, test.to}
		f, err := d.Open("f")
		if err != nil {
			t.Fatal(err)
		}
		low, high := test.from&^(wal.Sector-1), (test.to+wal.Sector-1)&^(wal.Sector-1)
		want := bytes.Clone(data)
		clear(want[low:high])
		for _, step := range []int{1 << 20, 300} {
			w := &wal.Window{ReaderAt: f}
			d.Files["f"].Failed = 0
			got := make([]byte, 0, len(data))
			for at := 0; at < len(data); at += step {
				b := make([]byte, min(step, len(data)-at))
				if _, err := w.ReadAt(b, int64(at)); err != nil {
					t.Fatalf("%s, %d bytes at %d: %v", test.why, step, at, err)
				}
				got = append(got, b...)
			}
			if !bytes.Equal(got, want) || (w.Why(low, high) != nil) != (high > low) || w.Why(0, low) != nil || w.Why(high, 1<<20) != nil {
				t.Errorf("%s, %d bytes at a time: other bytes, or holes", test.why, step)
			}
			if failed := d.Files["f"].Failed; step == 1<<20 && failed > test.reads {
				t.Errorf("%s: %d reads failed, want at most %d", test.why, failed, test.reads)
			}
		}
	}
}
