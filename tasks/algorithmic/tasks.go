// Package algorithmic holds the tasks that a short program solves: words,
// sequences, number systems and small combinatorial puzzles.
package algorithmic

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

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

// checkPhrasing refuses a record that names a wording which its task does not
// have; the task has n.
func checkPhrasing(phrasing, n int) error {
	if phrasing < 0 || phrasing >= n {
		return fmt.Errorf("phrasing is %d, want 0 to %d", phrasing, n-1)
	}
	return nil
}
