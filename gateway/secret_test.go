package gateway

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretIsTheOneOfBefore damages the file of the secret between two starts: whoever has the key of
// a session would get 401 without a reason.
func TestSecretIsTheOneOfBefore(t *testing.T) {
	for _, test := range []struct {
		damage func(path string) error
		want   string // in the error or the log
		why    string
	}{
		{func(string) error { return nil }, "", "nothing happens"},
		{os.Remove, "removed or changed: the keys of sessions from before are void", "the file is removed"},
		{func(path string) error {
			b, err := os.ReadFile(path)
			b[5] = "10"[b[5]&1]
			return errors.Join(err, os.WriteFile(path, b, 0o600))
		}, "removed or changed", "a digit is another"},
		{func(path string) error { return os.Truncate(path, 9) }, "put back a copy, or delete it", "the file is cut"},
		{func(path string) error { return os.RemoveAll(filepath.Join(filepath.Dir(path), "marks")) }, "", "the mark is removed"},
	} {
		folder, log := t.TempDir(), &bytes.Buffer{}
		to := slog.New(slog.NewTextHandler(log, nil))
		first, err := LoadSecret(folder, to)
		if err != nil || log.Len() > 0 {
			t.Fatal(err, log)
		}
		path := filepath.Join(folder, "session-secret")
		kept, err := os.ReadFile(path)
		if err = errors.Join(err, test.damage(path)); err != nil {
			t.Fatal(err)
		}
		if _, err = LoadSecret(folder, to); err != nil {
			log.WriteString(err.Error())
		}
		if got := log.String(); !strings.Contains(got, test.want) || (got == "") != (test.want == "") || got != "" && !strings.Contains(got, path) {
			t.Errorf("%s: told %q, want %q", test.why, got, test.want)
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := LoadSecret(folder, to); err != nil || !bytes.Equal(again, first) {
			t.Errorf("%s: with the copy put back, another secret or %v", test.why, err)
		}
	}
}
