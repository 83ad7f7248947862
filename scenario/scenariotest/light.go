//go:build !heavy

package scenariotest

// Heavy tells whether tests may play for minutes.
const Heavy = false

// playProblems is how many problems of each level [Play] plays.
const playProblems = 2

// luckMatches is how many matches [Luck] plays.
const luckMatches = 60

// runSize is what [Run] plays.
var runSize = GameSize{Problems: 4, Episodes: 20, Sigmas: 6}
