package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"sk-1\n": "sk-1", " sk-1 ": "sk-1", "": "", " \n": ""} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := ReadKey(path)
		if key != want || (err == nil) != (want != "") || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%q: key %q, error %v", text, key, err)
		}
	}
	if _, err := ReadKey("none"); err == nil {
		t.Error("a file that is not there has a key")
	}
}
