//go:build heavy

package main

const (
	killRounds    = 102  // how often the program is killed in each test that kills it
	lastGroups    = 1000 // how many groups are played in the end, without a kill
	sharedGroups  = 10   // of each environment, in each round of those that share problems
	gamesMeasured = 200  // of each level, by TestTheStarterCanReadAndPlayItsGames
	pagesPlayed   = 100  // of those with commands, by TestCommandsOfTheDocumentsRun
)
