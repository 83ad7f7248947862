//go:build linux && (amd64 || arm64) && !heavy

package box

// everything has all tests run as an ordinary user, too, and attacks many times.
const everything = false
