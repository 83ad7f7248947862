// Package words holds the tasks about the words and sentences of package lexicon.
package words

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	caesarCipher,
	emojiMystery,
	groupAnagrams,
	letterCounting,
	letterJumble,
	needleHaystack,
	sentenceReordering,
	spellBackward,
	wordLadder,
	wordSequenceReversal,
	wordSorting,
}
