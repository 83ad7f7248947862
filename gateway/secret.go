package gateway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// secretBytes is the length of a server's secret.
const secretBytes = 32

// LoadSecret returns the secret of session keys that is kept in a data folder, and makes it the first
// time. With the file go the keys of all sessions: its mark tells whether it is the one of before,
// and log hears if it is not.
func LoadSecret(folder string, log *slog.Logger) ([]byte, error) {
	path := filepath.Join(folder, "session-secret")
	text, err := os.ReadFile(path)
	b := make([]byte, secretBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		rand.Read(b) // never fails
		if err := datadir.MakeFolder(folder); err != nil {
			return nil, err
		}
		if err := datadir.WriteFile(path, []byte(hex.EncodeToString(b)+"\n")); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if b, err = hex.DecodeString(strings.TrimSpace(string(text))); err != nil || len(b) != secretBytes {
			return nil, fmt.Errorf("%s: is not the secret of a gateway: put back a copy, or delete it for a new one, which makes the keys of all sessions void", path)
		}
	}
	mark, now := datadir.MarkOf(folder, "session-secret"), fmt.Sprintf("%x\n", sha256.Sum256(b))
	before, err := os.ReadFile(mark)
	if err == nil && string(before) == now {
		return b, nil
	}
	if err == nil {
		log.Error("the secret of session keys was removed or changed: the keys of sessions from before are void, and get 401; to use them, stop, put back a copy of the file, and start again", "file", path)
	}
	return b, errors.Join(datadir.MakeFolder(filepath.Dir(mark)), datadir.WriteFile(mark, []byte(now)))
}
