//go:build !heavy

package player_test

// games is the number of games that the embedded model learns.
const games = 1
