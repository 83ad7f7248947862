package doctor

import (
	"strings"
	"syscall"
	"testing"
)

// /proc refuses files to root, too.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	f := disk("/proc/data")[0]
	if f.Level != Fail || !strings.Contains(f.Found, "/proc") || !strings.Contains(f.Remedy, "--data") {
		t.Errorf("%+v, want a failure", f)
	}
}

func TestLowFileLimit(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	low := before
	low.Cur = 200
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	f := openFiles()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if f.Level != Fail || !strings.Contains(f.Found, "200") {
		t.Errorf("%+v, want a failure", f)
	}
}
