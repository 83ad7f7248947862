//go:build heavy

package files

// strides is how many places are passed over between two that are damaged.
const strides = 1
