//go:build !nowasm

package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	if IsChild(os.Args) {
		os.Exit(Child())
	}
	os.Exit(m.Run())
}

func TestSandbox(t *testing.T) {
	sandboxtest.RunWASI(t, func(t *testing.T, dir, attack string) sandbox.Sandbox {
		return open(t, Config{Programs: map[string]File{"attack": fileOf(t, attack)}, Cache: filepath.Join(t.TempDir(), "cache")})
	})
}

// open opens a box that the test closes.
func open(t *testing.T, config Config) *Box {
	t.Helper()
	b, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// fileOf is a file with its hash.
func fileOf(t *testing.T, name string) File {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return File{Path: name, SHA256: hex.EncodeToString(sum[:])}
}
