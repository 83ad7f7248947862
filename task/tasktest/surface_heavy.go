//go:build heavy

package tasktest

// allSurfaces says that surfaces are measured at all levels, on many problems.
const allSurfaces = true
