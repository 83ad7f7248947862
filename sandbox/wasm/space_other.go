//go:build !unix && !nowasm

package wasm

// reserve reserves zeroed memory.
func reserve(size uint64) []byte { return make([]byte, size) }

// release leaves memory to the collector.
func release([]byte) {}
