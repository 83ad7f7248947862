//go:build heavy

package files_test

const (
	kills      = 4        // of a process that puts and acknowledges
	machines   = 15       // histories of a folder
	largeGroup = 30 << 20 // bytes
)
