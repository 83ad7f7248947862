//go:build !heavy

package main

const (
	killRounds    = 1  // how often the program is killed in each test that kills it
	lastGroups    = 60 // how many groups are played in the end, without a kill
	sharedGroups  = 1  // of each environment, in each round of those that share problems
	gamesMeasured = 40 // of each level, by TestTheStarterCanReadAndPlayItsGames
	pagesPlayed   = 1  // of those with commands, by TestCommandsOfTheDocumentsRun
)
