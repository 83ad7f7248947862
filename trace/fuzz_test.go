package trace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
)

// FuzzRecords decodes arbitrary bytes as an inflated block. A decoded record can be written,
// and stays the same.
func FuzzRecords(f *testing.F) {
	seed := func(records ...*Record) {
		var b block
		for _, r := range records {
			if err := b.add(r); err != nil {
				f.Fatal(err)
			}
		}
		payload, err := inflate(b.pack(newPacker()), maxPayload)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	s := newSpecimen()
	seed()
	seed(&Record{Time: epoch})
	seed(s.small(0), s.small(1))
	f.Fuzz(func(t *testing.T, payload []byte) {
		u, err := unpack(payload)
		if err != nil {
			return
		}
		for i := range u.shares {
			r, err := u.record(i)
			if err != nil {
				continue
			}
			var b block
			if b.add(r) != nil { // invalid, such as a time out of range
				continue
			}
			once := roundTrip(t, r)[0]
			noNaN(r, once)
			if twice := roundTrip(t, once)[0]; !reflect.DeepEqual(once, twice) {
				t.Fatalf("came back as\n%s\nwant\n%s", inJSON(twice), inJSON(once))
			}
		}
	})
}

// noNaN removes NaN, which does not equal itself.
func noNaN(records ...*Record) {
	for _, r := range records {
		for _, e := range r.Episodes {
			for _, turn := range e.Turns {
				for i, p := range turn.LogProbs {
					if p != p {
						turn.LogProbs[i] = 0
					}
				}
			}
		}
	}
}

// FuzzSegment opens arbitrary bytes as a segment, and reads every record found. Framed input
// becomes frames with correct checksums: a byte for the kind, two for the size, then the
// payload.
func FuzzSegment(f *testing.F) {
	dir := f.TempDir()
	w := newWriter(f, dir, Default())
	for _, r := range smalls(4) {
		writeAll(f, w, r)
		if err := w.Flush(); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(segmentPath(dir, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, false)
	f.Add(unframed(f, whole), true)
	f.Fuzz(func(t *testing.T, data []byte, framed bool) {
		if framed {
			data = framesOf(data)
		}
		dir := t.TempDir()
		if err := os.WriteFile(segmentPath(dir, 1), data, 0o666); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		found := r.Find(Query{Newest: true})
		if len(found) != r.Len() {
			t.Fatalf("%d of %d records are found", len(found), r.Len())
		}
		for _, e := range found[:min(len(found), 100)] {
			if _, err := r.Read(e.Ref); err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		if _, err := NewWriter(dir, Head{}, Default()); err != nil {
			t.Fatal(err)
		}
		if err := r.Refresh(); err != nil {
			t.Fatal(err)
		}
		if len(r.Find(Query{})) > len(found) {
			t.Fatalf("%d records are found after the segment was closed, and %d before", r.Len(), len(found))
		}
	})
}

// unframed is the inverse of framesOf.
func unframed(f *testing.F, whole []byte) (data []byte) {
	r := bytes.NewReader(whole)
	for at := int64(len(magic)); ; {
		next, is, err := frameAt(r, at, int64(len(whole)-trailerSize))
		if err != nil || !is {
			return data
		}
		payload, err := next.payload(r)
		if err != nil {
			f.Fatal(err)
		}
		data = append(data, next.kind, byte(len(payload)), byte(len(payload)>>8))
		data = append(data, payload...)
		at = next.end()
	}
}

// framesOf makes a segment from framed input, with a trailer for the last footer.
func framesOf(data []byte) []byte {
	file, p, footer := []byte(magic), newPacker(), int64(0)
	r := bytes.NewReader(data)
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			break
		}
		payload := make([]byte, int(head[1])|int(head[2])<<8)
		n, _ := io.ReadFull(r, payload)
		p.begin()
		p.put(payload[:n])
		if head[0] == kindFooter {
			footer = int64(len(file))
		}
		file = appendFrame(file, head[0], p.end())
	}
	return appendTrailer(file, footer)
}
