package resident

import (
	"fmt"
	"os"
	"reflect"
	"syscall"
)

// Release gives the pages of this program back to the system, which maps those again that are
// read. The rest of the process does not notice, but for a microsecond at the first reading
// of each. It may be called at any time, from any goroutine. On other systems than Linux it
// does nothing.
func Release() error {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("pages of the program: %w", err)
	}
	defer f.Close()
	all, err := pristine(f, reflect.ValueOf(Release).Pointer())
	if err != nil {
		return fmt.Errorf("pages of the program: %s: %w", f.Name(), err)
	}
	for _, m := range all {
		if _, _, code := syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED); code != 0 {
			return fmt.Errorf("pages of the program: %w", os.NewSyscallError("madvise", code))
		}
	}
	return nil
}
