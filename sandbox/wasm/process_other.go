//go:build !unix

package wasm

import "os"

// signalOf is the signal that stands for the end of a child.
func signalOf(*os.ProcessState) int { return abort }
