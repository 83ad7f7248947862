//go:build !linux

package doctor

// synced is not known on this system.
func synced() (is, known bool) { return false, false }
