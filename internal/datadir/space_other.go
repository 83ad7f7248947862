//go:build !linux && !darwin

package datadir

// Space is unknown on this system: ok is false.
func Space(string) (free, total int64, ok bool) { return 0, 0, false }
