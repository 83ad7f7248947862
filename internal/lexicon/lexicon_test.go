package lexicon

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

func Example() {
	words := Common(4)
	_, known := Known(4).Find("yeti")
	fmt.Println(words.At(0), words.At(words.Len()-1), known)
	fmt.Println(Sentences()[0])
	// Output:
	// abed zoos true
	// Foxes sleep lightly.
}

var sources = []struct {
	name string
	list func(int) Words
}{{"common", Common}, {"rungs", Rungs}, {"known", Known}, {"ladders", Ladders}}

func TestListsAreSorted(t *testing.T) {
	plain := regexp.MustCompile(`^[a-z]+$`)
	for _, source := range sources {
		for letters := MinLetters; letters <= MaxLetters; letters++ {
			words := source.list(letters)
			for i := range words.Len() {
				word := words.At(i)
				if len(word) != letters || !plain.MatchString(word) {
					t.Errorf("%s has %q among the words of %d letters", source.name, word, letters)
				}
				if i > 0 && words.At(i-1) >= word {
					t.Errorf("%s: %s stands before %s", source.name, words.At(i-1), word)
				}
			}
		}
	}
}

func TestCommonWordsAreKnown(t *testing.T) {
	for letters := MinLetters; letters <= MaxLetters; letters++ {
		if n := Common(letters).Len(); n < 300 {
			t.Errorf("there are %d common words of %d letters, want 300 or more", n, letters)
		}
		contains(t, Known(letters), Common(letters))
		contains(t, Common(letters), Rungs(letters))
		contains(t, Ladders(letters), Rungs(letters))
		if has := Rungs(letters).Len() > 0; has != (letters <= 5) {
			t.Errorf("rungs of %d letters: %v", letters, has)
		}
	}
}

// contains demands that whole has every word of part.
func contains(t *testing.T, whole, part Words) {
	t.Helper()
	for i := range part.Len() {
		at, found := whole.Find(part.At(i))
		if !found || whole.At(at) != part.At(i) {
			t.Errorf("%s is left out", part.At(i))
		}
	}
}

func TestFind(t *testing.T) {
	for word, want := range map[string]bool{
		"the": true, "cat": true, "qqx": false, "Cat": false, "": false, "aa\xff": false, "cats": true, "xylophone": true, "xylophonez": false,
	} {
		if _, found := Known(len(word)).Find(word); found != want {
			t.Errorf("%q: found %v, want %v", word, found, want)
		}
	}
	if _, found := Common(3).Find("four"); found {
		t.Error("a word of four letters is among those of three")
	}
	for _, letters := range []int{-1, 0, 2, 16, math.MaxInt} {
		if n := Known(letters).Len(); n != 0 {
			t.Errorf("there are %d words of %d letters", n, letters)
		}
	}
}

func TestSentences(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Z][a-z]*(,? [A-Za-z]+)*[.?]$`)
	seen, byLength := map[string]bool{}, map[int]int{}
	for _, sentence := range Sentences() {
		if !plain.MatchString(sentence) || seen[sentence] {
			t.Errorf("%q", sentence)
		}
		seen[sentence] = true
		words := strings.Fields(sentence)
		byLength[len(words)]++
		for _, word := range words {
			word = strings.ToLower(strings.Trim(word, ",.?"))
			if _, found := Known(len(word)).Find(word); len(word) >= MinLetters && !found {
				t.Errorf("%q is not a word: %s", word, sentence)
			}
		}
	}
	for words := range 30 {
		if n, want := byLength[words], words >= 3 && words <= 25; n >= 4 != want || n > 0 != want {
			t.Errorf("%d sentences have %d words", n, words)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	words := Known(5)
	for i := 0; b.Loop(); i++ {
		words.Find(words.At(i * 7919 % words.Len()))
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		split(unfold(knownGz, false))
	}
}
