//go:build !heavy

package judge

// faultyCalls is how many calls of a judge TestFaultsAreNeverScores has fail.
const faultyCalls = 5_000
