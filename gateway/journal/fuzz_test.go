package journal

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// FuzzSegment opens arbitrary bytes as the frames of a segment, of which some were durable. With
// framed, the bytes become frames with right checksums: 4 bytes each for session, data, flags and
// batch, again and again. Whatever is replayed is replayed the next time too, with the next append.
func FuzzSegment(f *testing.F) {
	d := waltest.New()
	j, _, err := openOn(d, Options{})
	if err != nil {
		f.Fatal(err)
	}
	add(f, j, recs("a:1 b:1")...)
	add(f, j, recs("a:2")...)
	whole := d.Files[segmentName(1)].Data
	salt := binary.LittleEndian.Uint32(whole[8:])
	f.Add(whole[wal.HeadLen:], salt, uint16(0), false)
	f.Add(whole[wal.HeadLen:len(whole)-1], salt, uint16(30), false)
	f.Add(append(slices.Clone(whole[wal.HeadLen:]), make([]byte, 100)...), salt, uint16(0), false)
	f.Add([]byte("\x01\x00\x00\x14\x01\x02\x00\x14\x01\x00\x02\x14"), uint32(1), uint16(0), true)
	f.Fuzz(func(t *testing.T, frames []byte, salt uint32, sealed uint16, framed bool) {
		if framed {
			frames = frame(frames, salt)
		}
		d := waltest.New()
		d.Put(segmentName(1), append(wal.Head{Kind: kindSessions, Salt: salt, Number: 1}.Encode(), frames...))
		d.Put(manifestName, encodeManifest([]listed{{1, wal.HeadLen + int64(sealed)}}))
		j, first, err := openOn(d, Options{SegmentBytes: 500, ahead: 200})
		if err != nil {
			return
		}
		add(t, j, rec("z:1"))
		if err := j.tidy(); err != nil {
			t.Fatal(err)
		}
		shut(t, j)
		_, second, err := openOn(d, Options{})
		if first = append(first, rec("z:1")); err != nil || text(second) != text(first) {
			t.Fatalf("replays %q, %v, want %q", text(second), err, text(first))
		}
	})
}

// frame makes frames.
func frame(b []byte, salt uint32) (out []byte) {
	for c := range slices.Chunk(b, 4) {
		if len(c) < 4 {
			return append(out, c...)
		}
		batch, at := int64(c[3]), wal.HeadLen+int64(len(out))
		if c[3] >= 200 {
			batch = at
		}
		h, data := head{session: string(rune('a' + c[0]%5)), flags: c[2]}, make([]byte, c[1])
		out = append(wal.NewFrame(h.encode(), data).AppendTo(out, at, batch, salt), data...)
	}
	return out
}

// FuzzManifest reads arbitrary bytes as a manifest. What is read is written the same.
func FuzzManifest(f *testing.F) {
	f.Add(encodeManifest([]listed{{1, 20}, {4, 700}}))
	f.Add([]byte(manifestHead))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := decodeManifest(b)
		if err == nil && string(encodeManifest(list)) != string(b) {
			t.Fatalf("%v", list)
		}
	})
}
