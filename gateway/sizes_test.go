//go:build !heavy

package gateway

const (
	sessionsPlayed = 60 // by a random agent
	kills          = 2  // of a gateway under way
)
