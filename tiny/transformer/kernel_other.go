//go:build purego || !(amd64 || arm64)

package transformer

// available lists the kernels for this processor.
func available() []kernelSet { return []kernelSet{plain} }
