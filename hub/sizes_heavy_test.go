//go:build heavy

package hub

// How much the tests do.
const (
	giantGroups   = 90_000   // of a batch
	giantMemory   = 16 << 20 // of the hub that hands it out
	historyRounds = 20       // of a hundred histories each
	hostileScale  = 8        // of hostile bodies, and of the memory for them
)
