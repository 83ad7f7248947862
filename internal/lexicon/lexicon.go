// Package lexicon holds the English words and sentences of the tasks. README.md names the
// sources and licences.
package lexicon

import (
	"compress/gzip"
	_ "embed" // the lists
	"fmt"
	"io"
	"strings"
	"sync"
)

// Lengths of the words in the lists, in letters.
const (
	MinLetters = 3
	MaxLetters = 15
)

// Words holds the words of one length, all in a to z, in alphabetical order. The zero
// value has none. It is safe for concurrent use.
type Words struct {
	letters int
	text    string // the words without separators
}

// Len returns the number of words.
func (w Words) Len() int {
	if w.letters == 0 {
		return 0
	}
	return len(w.text) / w.letters
}

// At returns word i, 0 or more and less than Len. It copies nothing.
func (w Words) At(i int) string { return w.text[i*w.letters : (i+1)*w.letters] }

// Find returns the index of word, and whether it is in the list.
func (w Words) Find(word string) (i int, found bool) {
	if len(word) != w.letters {
		return 0, false
	}
	low, high := 0, w.Len()
	for low < high {
		switch mid := int(uint(low+high) / 2); strings.Compare(w.At(mid), word) {
		case 0:
			return mid, true
		case -1:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// Common returns the words of a length that most adults know, without coarse and hurtful
// ones. There are some for every length from MinLetters to MaxLetters, and none for
// others.
func Common(letters int) Words { return ofLength(common(), letters) }

// Rungs returns the common words of 3, 4 or 5 letters for word ladders. Every grader of
// ladders that we know accepts them.
func Rungs(letters int) Words { return ofLength(rungs(), letters) }

// Known returns the words of a length in any large dictionary, including rare, old,
// coarse and foreign ones: use them to judge an answer, never to make a question. Every
// common word is known.
func Known(letters int) Words { return ofLength(known(), letters) }

// Ladders returns the words of 3, 4 or 5 letters that reasoning-gym counts as words in a
// ladder. They are for its score alone.
func Ladders(letters int) Words { return ofLength(ladders(), letters) }

// Sentences returns some 260 plain sentences of 3 to 25 words, at least four of each
// number of words. They consist of letters, spaces, commas, and a full stop or a question
// mark at the end. The caller must not change the slice.
func Sentences() []string { return sentences() }

var (
	//go:embed rungs.txt.gz
	rungsGz string
	//go:embed known.gz
	knownGz string
	//go:embed ladders.txt.gz
	laddersGz string
	//go:embed sentences.txt
	sentencesText string

	common    = sync.OnceValue(func() *lists { return split(unfold(knownGz, true)) })
	known     = sync.OnceValue(func() *lists { return split(unfold(knownGz, false)) })
	rungs     = sync.OnceValue(func() *lists { return split(unzip(rungsGz)) })
	ladders   = sync.OnceValue(func() *lists { return split(unzip(laddersGz)) })
	sentences = sync.OnceValue(func() []string {
		return strings.Split(strings.TrimSuffix(sentencesText, "\n"), "\n")
	})
)

// lists holds words by their number of letters.
type lists [MaxLetters + 1]Words

func ofLength(all *lists, letters int) Words {
	if letters < MinLetters || letters > MaxLetters {
		return Words{}
	}
	return all[letters]
}

func unzip(text string) string {
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("lexicon: %v", err))
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("lexicon: %v", err))
	}
	return string(plain)
}

// unfold unpacks the known words, or only the common ones of them, to a word per line. A word is
// kept as the number of letters that it begins with as the word before it does, from '0', or from 'A'
// if it is common, and then its other letters.
func unfold(zipped string, common bool) string {
	var lines strings.Builder
	var word []byte
	marked := false
	end := func() {
		if marked || !common && len(word) > 0 {
			lines.Write(append(word, '\n'))
		}
	}
	for _, c := range []byte(unzip(zipped)) {
		switch {
		case c >= 'a':
			word = append(word, c)
			continue
		case c >= 'A':
			end()
			marked, word = true, word[:c-'A']
		default:
			end()
			marked, word = false, word[:c-'0']
		}
	}
	end()
	return lines.String()
}

// split returns the words of a list: one per line, the shortest first, then by alphabet.
func split(text string) *lists {
	var bytes [MaxLetters + 1]int
	for line := range strings.Lines(text) {
		bytes[len(line)-1] += len(line) - 1
	}
	var joined [MaxLetters + 1]strings.Builder
	for letters := range joined {
		joined[letters].Grow(bytes[letters])
	}
	for line := range strings.Lines(text) {
		word := strings.TrimSuffix(line, "\n")
		joined[len(word)].WriteString(word)
	}
	all := new(lists)
	for letters := range joined {
		all[letters] = Words{letters, joined[letters].String()}
	}
	return all
}
