package words

import (
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// caesarCipher asks for the clear text of a Caesar cipher.
var caesarCipher = task.Spec[caesarCipherParams, caesarCipherItem]{
	Name:     "caesar_cipher",
	Category: "algorithmic",
	Doc: "Decrypt a text with every letter moved by the same distance along the alphabet. " +
		"Half of the texts are sentences, half are random words, so that knowing the sentences does not help.",
	Source:  "The cipher of Suetonius' Life of Caesar; sentences and words of package lexicon.",
	Version: 5,
	Default: caesarCipherParams{MinWords: 3, MaxWords: 20, MinRotation: 1, MaxRotation: 25},
	Levels: []caesarCipherParams{
		{MinWords: 3, MaxWords: 4, MinRotation: 1, MaxRotation: 2},
		{MinWords: 4, MaxWords: 8, MinRotation: 1, MaxRotation: 5},
		{MinWords: 8, MaxWords: 16, MinRotation: 1, MaxRotation: 13},
		{MinWords: 16, MaxWords: 30, MinRotation: 3, MaxRotation: 25},
		{MinWords: 40, MaxWords: 60, MinRotation: 5, MaxRotation: 24},
		{MinWords: 100, MaxWords: 150, MinRotation: 5, MaxRotation: 24},
		{MinWords: 200, MaxWords: 250, MinRotation: 5, MaxRotation: 24},
		{MinWords: 400, MaxWords: 500, MinRotation: 5, MaxRotation: 24},
	},
	Few: []string{
		"Half of the texts are sentences, of which there are few.",
		"Half of the texts are sentences, of which there are few.",
		"Half of the texts are sentences, of which there are few.",
		"Half of the texts are sentences, of which there are few.",
	},
	Make: makeCaesarCipher,
	Ask: []string{
		"Decrypt this text, which was encrypted with a Caesar cipher:\n\n{cipher_text}",
		"In this text, every letter was moved the same number of places along the alphabet, with A after Z. What did the text say before?\n\n{cipher_text}",
		"Here is a message in a Caesar cipher of unknown shift. Find out what it says.\n\n{cipher_text}",
		"A sender replaced each letter of a message by the one a fixed number of places further on in the alphabet, starting over after Z. Recover the message:\n\n{cipher_text}",
		"This is Caesar-encrypted English. Which shift makes it readable, and what is the plain text?\n\n{cipher_text}",
		"Undo the rotation of the alphabet in the following lines.\n\n{cipher_text}",
	},
	Form:  "\n\nAnswer with the decrypted text alone, in capital letters, for example MEET ME AT NOON.",
	Short: "decrypt {cipher_text}",
	Match: task.Match,
}

// caesarCipherParams are the settings of one difficulty.
type caesarCipherParams struct {
	MinWords    int `json:"min_words" want:"1 or more"` // of the text
	MaxWords    int `json:"max_words" want:"min_words to 1000"`
	MinRotation int `json:"min_rotation" want:"1 or more"` // distance of each letter's move
	MaxRotation int `json:"max_rotation" want:"min_rotation to 25"`
}

// caesarCipherItem is one text, encrypted and clear.
type caesarCipherItem struct {
	Rotation   int    `json:"rotation"` // 1 to 25
	CipherText string `json:"cipher_text"`
	ClearText  string `json:"clear_text" want:"1 or more"` // A to Z, and a space between words
	NumWords   int    `json:"num_words"`
	Phrasing   int    `json:"phrasing,omitempty"`
}

// makeCaesarCipher draws a text and moves its letters.
func makeCaesarCipher(p caesarCipherParams, r *rng.Rand) (caesarCipherItem, error) {
	item := caesarCipherItem{
		Rotation: r.Between(p.MinRotation, p.MaxRotation),
		NumWords: r.Between(p.MinWords, p.MaxWords),
		Phrasing: r.Between(0, 5),
	}
	var room [256]byte // fits most texts, without a heap allocation
	text := room[:0]
	if r.Chance(0.5) {
		text = prose().appendSentences(text, item.NumWords, r)
	} else {
		text = appendWords(text, item.NumWords, r)
	}
	text = text[1:]
	item.ClearText = string(text)
	for i, c := range text {
		if c != ' ' {
			text[i] = 'A' + (c-'A'+byte(item.Rotation))%26
		}
	}
	item.CipherText = string(text)
	return item, nil
}

// Canonical implements [task.Canonicalizer]. The rotation does not matter.
func (c caesarCipherItem) Canonical() string { return c.ClearText }

func (c caesarCipherItem) Solve() string { return c.ClearText }
