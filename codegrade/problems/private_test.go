package problems

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"strings"
	"testing"
)

func TestBombsAreBounded(t *testing.T) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(append([]byte("\x80\x03X\xf8\xff\x7f\x00"), strings.Repeat("[", 8<<20-8)...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := base64.StdEncoding.EncodeToString(b.Bytes())
	if _, err := unpack(bomb, 1<<20); len(bomb) > 20<<10 || err == nil || err.Error() != "has more than 1048576 bytes unpacked: leave the row out" {
		t.Errorf("a bomb of %d bytes: error %v", len(bomb), err)
	}
	if _, err := unpack(bomb, 8<<20); err == nil || !strings.Contains(err.Error(), "of the pickle") {
		t.Errorf("the same with room: error %v", err)
	}
}
