package wal

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// Writes to a layer read back like writes to a file.
func TestOverlay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	model := bytes.Repeat([]byte("0123456789"), 30)
	if err := os.WriteFile(filepath.Join(dir, "f"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := NewOverlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := o.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	for step := range 2000 {
		switch at := r.IntN(400); r.IntN(3) {
		case 0:
			b := bytes.Repeat([]byte{byte(step)}, r.IntN(50))
			if _, err := f.WriteAt(b, int64(at)); err != nil {
				t.Fatal(err)
			}
			model = append(model, make([]byte, max(0, at+len(b)-len(model)))...)
			copy(model[at:], b)
		case 1:
			if step%10 > 0 {
				continue
			}
			if err := f.Truncate(int64(at)); err != nil {
				t.Fatal(err)
			}
			model = append(model, make([]byte, max(0, at-len(model)))...)[:at]
		}
		size, err := f.Size()
		got := make([]byte, size)
		if err == nil {
			_, err = f.ReadAt(got, 0)
		}
		if err != nil || !bytes.Equal(got, model) {
			t.Fatalf("step %d: error %v, %d bytes, want %d", step, err, size, len(model))
		}
	}
}
