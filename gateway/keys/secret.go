package keys

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// SecretBytes is the length of a server's secret.
const SecretBytes = 32

// Secret returns the secret of session keys that is kept in a folder, and makes it the first
// time. With the file go the keys of all sessions.
func Secret(folder string) ([]byte, error) {
	path := filepath.Join(folder, "session-secret")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b := make([]byte, SecretBytes)
		rand.Read(b) // never fails
		if err := datadir.MakeFolder(folder); err != nil {
			return nil, err
		}
		return b, datadir.WriteFile(path, []byte(hex.EncodeToString(b)+"\n"))
	}
	if err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(b) != SecretBytes {
		return nil, fmt.Errorf("%s: is not the secret of a gateway; delete it for a new one, which makes the keys of all sessions void", path)
	}
	return b, nil
}
