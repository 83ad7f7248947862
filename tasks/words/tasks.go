// Package words holds the tasks about the words and sentences of package lexicon.
package words

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		caesarCipher.Task(),
		emojiMystery.Task(),
		groupAnagrams.Task(),
		letterCounting.Task(),
		letterJumble.Task(),
		needleHaystack.Task(),
		sentenceReordering.Task(),
		spellBackward.Task(),
		wordLadder.Task(),
		wordSequenceReversal.Task(),
		wordSorting.Task(),
	}
}
