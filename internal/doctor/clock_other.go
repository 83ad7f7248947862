//go:build !linux

package doctor

// synced is not known on this system.
func synced() (ok, known bool) { return false, false }
