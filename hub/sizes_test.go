//go:build !heavy

package hub

// How much the tests do.
const (
	giantGroups   = 9_000         // of a batch
	giantMemory   = 16 << 20 / 10 // of the hub that hands it out
	historyRounds = 1             // of a hundred histories each
	hostileScale  = 1             // of hostile bodies, and of the memory for them
)
