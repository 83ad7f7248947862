package guess

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// wordlePlay is Wordle with a list of words that is shown.
var wordlePlay = games.Spec[wordParams, words]{
	Name: "wordle_play",
	Doc: "Find a hidden word of five letters, one of a list that is shown. Marks tell which letters are right. Each guess is measured by the exact number of guesses that it adds " +
		"to the best play on average.",
	Source:  "Wordle by J. Wardle (2021); words of our lexicon (see internal/lexicon/README.md). Code and texts are our own.",
	Version: 1,
	Levels: []wordParams{
		{Words: 16, Guesses: 6},
		{Words: 32, Guesses: 6},
		{Words: 64, Guesses: 6},
		{Words: 24, Near: true, Guesses: 12},
		{Words: 44, Near: true, Guesses: 12},
		{Words: 64, Near: true, Guesses: 12},
	},
	Make:   makeWords,
	Reward: games.Value,
	Guess:  []float64{0.1445, 0.0784, 0.0438, 0.1033, 0.0593, 0.0441},
}

// letters is the length of the words.
const letters = 5

// wordParams are the parameters of a level.
type wordParams struct {
	Words   int  `json:"words" want:"2 to 64"`   // in the list
	Near    bool `json:"near"`                   // whether they are alike
	Guesses int  `json:"guesses" want:"2 to 20"` // at most
}

// A words is a list and the word to find.
type words struct {
	List    []string `json:"list"` // by alphabet
	Hidden  int      `json:"hidden" want:"0 or more and less than list"`
	Guesses int      `json:"guesses"`
}

// Check refuses a record that is no list of words.
func (w words) Check() error {
	if err := task.Check(wordParams{Words: len(w.List), Guesses: w.Guesses}); err != nil {
		return err
	}
	for i, word := range w.List {
		if _, ours := lexicon.Rungs(letters).Find(word); !ours {
			return fmt.Errorf("list has %.20q, want common words of %d letters", word, letters)
		}
		if i > 0 && w.List[i-1] >= word {
			return fmt.Errorf("list has %s after %s, want the words by alphabet and each once", word, w.List[i-1])
		}
	}
	return nil
}

// alphabet holds the letters of words.
const alphabet = "abcdefghijklmnopqrstuvwxyz"

// makeWords draws a list of words and one of them. Words that are alike are those that differ least
// from one word.
func makeWords(p wordParams, r *rng.Rand) (words, error) {
	all := lexicon.Rungs(letters)
	drawn := p.Words
	if p.Near {
		drawn = 1000 // to choose from
	}
	var order []int
	for _, i := range rng.Different(r, drawn, 0, int64(all.Len()-1)) {
		order = append(order, int(i))
	}
	if p.Near {
		center := all.At(order[0])
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(differ(center, all.At(a)), differ(center, all.At(b))) })
	}
	made := words{Hidden: r.Between(0, p.Words-1), Guesses: p.Guesses}
	for _, i := range order[:p.Words] {
		made.List = append(made.List, all.At(i))
	}
	slices.Sort(made.List)
	return made, nil
}

// differ counts the places in which two words differ.
func differ(a, b string) (n int) {
	for i := range letters {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// Rules implements [games.Start].
func (w words) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"Find a hidden word of five letters. It is one of the %[1]d words below, each as likely as the others, and your guesses must be words of that list too. Each guess gets a mark below every letter: + " +
			"if the letter is right and in its place, o if it occurs at another place of the hidden word, - if not. A letter of the hidden word accounts for one letter of the guess only: " +
			"first those that are in place are marked, then the others from left to right, so a second e gets a - if the hidden word has only one. The game ends when you guess the word.\n\n%[2]s",
		"One of these %[1]d words was drawn at random, and you are to find it by guessing words of the list. Below the letters of a guess you see marks. A + means: this letter stands here. An o means: this " +
			"letter stands elsewhere. A - means: there is no such letter, or no more of them. For if a letter is more frequent in the guess than in the hidden word, only as many of " +
			"it are marked + or o as the hidden word has, those in place first and then from the left.\n\n%[2]s",
		"This is Wordle with a closed list of %[1]d words. The hidden word is one of them with equal chances, and only they may be guessed. After a guess, each of its letters has one of three marks: + right letter, " +
			"right place; o right letter, wrong place; - wrong letter. Repeated letters are counted exactly: every letter of the hidden word supports one mark + or o and no more, beginning " +
			"with the letters in place, then from left to right. You are done when the hidden word is guessed.\n\n%[2]s",
	}[wording], len(w.List), w.listed())
}

// listed writes the list in lines.
func (w words) listed() string {
	var lines []string
	for line := range slices.Chunk(w.List, 16) {
		lines = append(lines, strings.Join(line, " "))
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// Example implements [games.Start].
func (w words) Example() string { return w.List[0] }

// Turns implements [games.Start].
func (w words) Turns() int { return w.Guesses }

// Canonical implements [games.Start].
func (w words) Canonical() string { return fmt.Sprint(w.List, w.Hidden) }

// Match implements [games.Start].
func (w words) Match(_ games.Luck, tables *games.Tables) games.Match {
	m := &spelling{words: w, solver: sync.OnceValue(func() *deduction { return games.Table(tables, strings.Join(w.List, ""), w.solve) })}
	for i := range w.List {
		m.left = append(m.left, uint16(i))
	}
	return m
}

// The marks of a letter.
const (
	absent = iota
	elsewhere
	inPlace
)

// compareWords marks the letters of a guess.
func compareWords(guess, word string) (marks [letters]uint8) {
	var spare [32]uint8 // letters of the word that are not in place
	for i := range letters {
		if guess[i] == word[i] {
			marks[i] = inPlace
		} else {
			spare[word[i]%32]++
		}
	}
	for i := range letters {
		if n := &spare[guess[i]%32]; marks[i] == absent && *n > 0 {
			*n--
			marks[i] = elsewhere
		}
	}
	return marks
}

// wordMark numbers the marks of a guess.
func wordMark(guess, word string) (n uint8) {
	for _, mark := range compareWords(guess, word) {
		n = 3*n + mark
	}
	return n
}

// solve returns the deduction of the list.
func (w words) solve() *deduction {
	return newDeduction(len(w.List), func(guess, code int) uint8 { return wordMark(w.List[guess], w.List[code]) })
}

// A spelling is an episode.
type spelling struct {
	words
	solver func() *deduction
	left   []uint16 // the words that are possible
	past   []string // guesses
	lost   float64  // guesses that were given away, on average
	found  bool
}

// Show implements [games.Match].
func (m *spelling) Show() string {
	if len(m.past) == 0 {
		return "There are no guesses yet."
	}
	var b strings.Builder
	b.WriteString("Your guesses:\n```")
	out := map[byte]bool{} // letters that the word lacks
	for _, guess := range m.past {
		marks := compareWords(guess, m.List[m.Hidden])
		fmt.Fprintf(&b, "\n%s\n%s", spaced(guess), spaced(signs(marks)))
		for i := range letters {
			if marks[i] == absent && !strings.Contains(m.List[m.Hidden], guess[i:i+1]) {
				out[guess[i]] = true
			}
		}
	}
	b.WriteString("\n```\nLetters that may occur:")
	for i := range alphabet {
		if !out[alphabet[i]] {
			fmt.Fprintf(&b, " %c", alphabet[i])
		}
	}
	return b.String()
}

// signs writes marks.
func signs(marks [letters]uint8) string {
	var b strings.Builder
	for _, mark := range marks {
		b.WriteByte("-o+"[mark])
	}
	return b.String()
}

// spaced puts spaces between letters.
func spaced(text string) string { return strings.Join(strings.Split(text, ""), " ") }

// Move implements [games.Match].
func (m *spelling) Move(text string) (told, why string) {
	text = strings.ToLower(text)
	guess, has := slices.BinarySearch(m.List, text)
	if !has {
		return "", fmt.Sprintf("%.20q is no word of the list", text)
	}
	solver := m.solver()
	m.lost += solver.lost(m.left, guess)
	m.left = solver.left(m.left, guess, solver.marks[guess][m.Hidden])
	m.past = append(m.past, text)
	m.found = guess == m.Hidden
	if m.found {
		return fmt.Sprintf("You guess %s. That is the word.", text), ""
	}
	return fmt.Sprintf("You guess %s. The marks are %s.", text, spaced(signs(compareWords(text, m.List[m.Hidden])))), ""
}

// Over implements [games.Match]: of six guesses, each but the first costs an eighth.
func (m *spelling) Over() (worth float64, over bool) {
	if !m.found {
		return 0, false
	}
	return 1 - float64(len(m.past)-1)/float64(m.Guesses+2), true
}

// Value implements [games.Match]: each guess that is given away costs its share of all that the
// best play needs on average.
func (m *spelling) Value() float64 {
	if m.lost == 0 {
		return 1
	}
	return max(0, 1-m.lost/m.solver().average())
}

// Best implements [games.Match].
func (m *spelling) Best() (moves []string) {
	for _, guess := range m.solver().best(m.left) {
		moves = append(moves, m.List[guess])
	}
	return moves
}

// Allowed implements [games.Match].
func (m *spelling) Allowed() []string { return m.List }
