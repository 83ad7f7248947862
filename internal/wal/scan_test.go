package wal

import (
	"bytes"
	"testing"
)

func FuzzScan(f *testing.F) {
	b := Head{Kind: 'd'}.Encode()
	for i := range 3 {
		one := NewFrame([]byte{byte(i)}, []byte("payload"))
		b = append(one.AppendTo(b, int64(len(b)), int64(len(b)), 0), "payload"...)
	}
	f.Add(b, 60)
	f.Fuzz(func(t *testing.T, b []byte, sealed int) {
		s := Source{bytes.NewReader(b), int64(len(b)), 0, int64(min(max(sealed, HeadLen), len(b)))}
		v, err := s.Scan(0)
		if err != nil {
			t.Fatal(err)
		}
		if v.Torn && v.End < s.Sealed || v.last() > v.End {
			t.Errorf("the end is %d, sealed %d, the last frame ends at %d", v.End, s.Sealed, v.last())
		}
		at := int64(HeadLen)
		for _, f := range v.Frames {
			if f.At < at {
				t.Errorf("a frame begins at %d, and the one before ends at %d", f.At, at)
			}
			at = f.End()
		}
	})
}
