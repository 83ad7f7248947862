//go:build amd64 || arm64

package native

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// A program that may read a file of its own user cannot truncate it, whichever version landlock has.
func TestReadableFilesStayWhole(t *testing.T) {
	const tries = `
import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
done = []
def attempt(name, f):
    try:
        f()
        done.append(name)
    except OSError:
        pass
def opened(flags):
    return lambda: os.close(os.open(FILE, flags))
def called(nr, *args):
    if libc.syscall(ctypes.c_long(nr), *args) < 0:
        raise OSError(ctypes.get_errno(), "")
attempt("truncate", lambda: os.truncate(FILE, 0))
attempt("to read", opened(os.O_TRUNC))
attempt("to do neither", opened(os.O_TRUNC | os.O_ACCMODE))
attempt("to write", opened(os.O_TRUNC | os.O_WRONLY))
how = (ctypes.c_uint64 * 3)(os.O_TRUNC, 0, 0)
attempt("openat2", lambda: called(437, -100, FILE.encode(), how, 24))
attempt("read", lambda: open(FILE).read() == "whole" or os.abort())
open("own", "w").write("x")
attempt("own", lambda: os.close(os.open("own", os.O_TRUNC | os.O_RDWR)))
print(*done)
`
	for _, abi := range []int{leastABI, 0} {
		dir := t.TempDir()
		passable(t, dir)
		file := filepath.Join(dir, "readable")
		if err := os.WriteFile(file, []byte("whole"), 0o666); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(file, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		b := openWith(t, Config{Dir: dir, Read: []string{file}, abi: abi})
		if b.strength.Err() != nil {
			continue
		}
		job := sandbox.Job{Argv: []string{"python3", "-I", "-S", "-c", "FILE = " + `"` + file + `"` + tries}}
		got, err := b.Run(t.Context(), job)
		if err != nil || string(got.Stdout) != "read own\n" {
			t.Errorf("version %d: %q, %q, error %v; want that it reads the file, and truncates its own", b.abi, got.Stdout, got.Stderr, err)
		}
		var stat unix.Stat_t
		if err := unix.Stat(file, &stat); err != nil || stat.Size != 5 {
			t.Errorf("version %d: the file has %d bytes, error %v", b.abi, stat.Size, err)
		}
	}
}
