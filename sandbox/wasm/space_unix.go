//go:build unix && !nowasm

package wasm

import "golang.org/x/sys/unix"

// reserve reserves zeroed memory, which takes none until it is used; nil: there is none.
func reserve(size uint64) []byte {
	space, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return space
}

// release gives memory back.
func release(space []byte) { _ = unix.Munmap(space) }
