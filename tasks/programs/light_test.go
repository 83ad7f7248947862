//go:build !heavy

package programs

// heavy: tests look at the variants of programs as closely as at the programs themselves.
const heavy = false
