//go:build !(linux && (amd64 || arm64)) && !nowasm

package wasm

import "github.com/quintain-rl/quintain/sandbox"

// lockIn tells what holds. This process could do what its user can, if a program broke out of wazero.
func (c *child) lockIn() ([]sandbox.Layer, error) {
	return []sandbox.Layer{
		wasmLayer(),
		{Name: LayerLimits, Note: "the memory of a program is limited, that of its process is not"},
		{Name: LayerSeccomp, Note: "needs Linux on amd64 or arm64"},
	}, nil
}

// limitMemory does nothing: the program's own memory is limited.
func (c *child) limitMemory(int64) {}
