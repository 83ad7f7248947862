package tree

import (
	"bytes"
	"testing"
)

// What decodes as a call encodes as the same.
func FuzzRecord(f *testing.F) {
	f.Add([]byte("\x10{\"turn\":{\"call\":{}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, r, err := Decode(data)
		if err != nil {
			return
		}
		first, err := Encode(n, r)
		if err != nil {
			return
		}
		n, r, err = Decode(first)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if second, err := Encode(n, r); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%q\n%q, error %v", first, second, err)
		}
	})
}
