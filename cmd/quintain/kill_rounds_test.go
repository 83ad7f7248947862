//go:build !heavy

package main

const (
	killRounds = 3   // how often the program is killed in each test that kills it
	lastGroups = 200 // how many groups are played in the end, without a kill
)
