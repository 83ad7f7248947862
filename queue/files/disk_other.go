//go:build !linux && !darwin

package files

// diskSpace is unknown here.
func diskSpace(string) (free, total int64, ok bool) { return 0, 0, false }
