//go:build heavy

package main

// killRounds is how often the program is killed in each test that kills it.
const killRounds = 102
