//go:build !heavy

package gateway

const (
	sessionsPlayed = 200 // by a random agent
	kills          = 5   // of a gateway under way
)
