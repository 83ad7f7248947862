//go:build !heavy

package files_test

const (
	kills      = 1       // of a process that puts and acknowledges
	machines   = 3       // histories of a folder
	largeGroup = 4 << 20 // bytes
)
