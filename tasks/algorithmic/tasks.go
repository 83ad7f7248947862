// Package algorithmic holds the tasks that a short program solves: words,
// sequences, number systems and small combinatorial puzzles.
package algorithmic

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	ab,
	baseConversion,
	binaryAlternation,
	binaryMatrix,
	caesarCipher,
	countPrimes,
	cryptarithm,
	gameOfLife,
	gameOfLifeHalting,
	graphColor,
	groupAnagrams,
	isomorphicStrings,
	jugs,
	letterCounting,
	letterJumble,
	manipulateMatrix,
	numberFiltering,
	numberSorting,
	palindromeGeneration,
	palindromePartitioning,
	poolMatrix,
	ransomNote,
	rotateMatrix,
	rottenOranges,
	sentenceReordering,
	spellBackward,
	spiralMatrix,
	stringInsertion,
	stringManipulation,
	stringSplitting,
	stringSynthesis,
	wordLadder,
	wordSequenceReversal,
	wordSorting,
}
