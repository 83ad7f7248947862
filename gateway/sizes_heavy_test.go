//go:build heavy

package gateway

const (
	sessionsPlayed = 10_000 // by a random agent
	kills          = 1000   // of a gateway under way
)
