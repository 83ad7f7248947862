// Package words holds the tasks about the words and sentences of package lexicon, and about strings of
// letters drawn at random.
package words

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		binaryAlternation.Task(),
		caesarCipher.Task(),
		emojiMystery.Task(),
		groupAnagrams.Task(),
		isomorphicStrings.Task(),
		letterCounting.Task(),
		letterJumble.Task(),
		needleHaystack.Task(),
		palindromeGeneration.Task(),
		palindromePartitioning.Task(),
		ransomNote.Task(),
		sentenceReordering.Task(),
		spellBackward.Task(),
		wordLadder.Task(),
		wordSequenceReversal.Task(),
		wordSorting.Task(),
	}
}
