//go:build !heavy

package scenariotest

// Heavy tells whether tests may play for minutes.
const Heavy = false

// luckMatches is how many matches [Luck] plays.
const luckMatches = 60

// runSize is what [Run] plays.
var runSize = GameSize{Problems: 4, Episodes: 20, Sigmas: 6}
