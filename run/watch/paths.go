package watch

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// CheckFile refuses a path that cannot be the name of a file for [Server.ExportFile].
func CheckFile(path string) error {
	if path == "" {
		return fmt.Errorf("name the file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, want the name of a file", path)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s", folder)
	}
	return nil
}

// ExportFile is [Server.Export] to a file, completely or not at all. It returns the size of
// the file in bytes.
func (s *Server) ExportFile(ctx context.Context, path string) (size int64, err error) {
	if err := datadir.WriteTo(path, func(to io.Writer) error { return s.Export(ctx, to) }); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Browse opens an address in the browser of this machine's user.
func Browse(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	c := exec.CommandContext(context.Background(), name, args...)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release() // it may be the browser itself, which outlives this program
}
