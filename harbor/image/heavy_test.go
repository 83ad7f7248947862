//go:build linux && heavy

package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox/box"
)

// TestAMillionEntries unpacks more than a layer of the field ever has, in little memory, and refuses one more than are allowed. Most
// are devices, which are left out: a million files took 25 minutes on a busy ext4.
func TestAMillionEntries(t *testing.T) {
	const many = 1_000_000
	s := open(t)
	stream := func() io.Reader {
		r, w := io.Pipe()
		go func() {
			out := tar.NewWriter(w)
			var err error
			for i := range many {
				kind := byte(tar.TypeChar)
				if i%50 == 0 {
					kind = tar.TypeReg
				}
				err = errors.Join(err, out.WriteHeader(&tar.Header{Typeflag: kind, Name: fmt.Sprintf("d%d/f%d", i/1000, i), Mode: 0o644}))
			}
			_ = w.CloseWithError(errors.Join(err, out.Close()))
		}()
		return r
	}
	l, err := s.unpack(t.Context(), stream(), "", false)
	if err != nil || l.Entries != many {
		t.Fatalf("%d entries, error %v", l.Entries, err)
	}
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.Sys > 64<<20 {
		t.Errorf("%s of memory", Bytes(int64(memory.Sys)))
	}
	if err := os.RemoveAll(s.layerPath(l.Digest)); err != nil {
		t.Fatal(err)
	}
	s.Limits.Entries = 100_000
	if _, err := s.unpack(t.Context(), stream(), "", false); err == nil || !strings.Contains(err.Error(), "more than 100000 files") {
		t.Errorf("error %v", err)
	}
}

// The machine's own tools are an image whose digest stays as long as they do.
func TestAddMachine(t *testing.T) {
	s := open(t)
	img, err := s.AddMachine(t.Context(), "machine")
	if err != nil {
		t.Fatal(err)
	}
	top := img.Lowers[0].Dir
	for _, name := range []string{"etc/passwd", "etc/hosts", "tmp", "root"} {
		if _, err := os.Lstat(filepath.Join(top, name)); err != nil {
			t.Error(err)
		}
	}
	if box.Find(img.Lowers, "/usr/bin/env") != "/usr/bin/env" || box.Find(img.Lowers, "/etc/passwd") != filepath.Join(top, "etc/passwd") || box.Find(img.Lowers, "/etc/shadow") != "" {
		t.Errorf("%v", img.Lowers)
	}
	if again, err := s.Find("machine"); err != nil || again.Digest != img.Digest {
		t.Errorf("%s, error %v, want %s", again.Digest, err, img.Digest)
	}
	if err := s.Export(t.Context(), io.Discard, "machine"); err == nil || !strings.Contains(err.Error(), "--machine") {
		t.Errorf("exported: %v", err)
	}
	for folders := range s.tools {
		s.remember(strings.Split(folders, ":"), machineState{tools: digestOf(nil)})
	}
	if _, err := s.Find("machine"); err == nil || !strings.Contains(err.Error(), "add it again") {
		t.Errorf("other tools: %v", err)
	}
}
