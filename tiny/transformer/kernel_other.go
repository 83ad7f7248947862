//go:build purego || !(amd64 || arm64)

package transformer

// available lists the kernels that this processor can run.
func available() []kernelSet { return []kernelSet{plain} }
