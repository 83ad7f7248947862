package patterns

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// figletFont asks for the word drawn in large letters.
var figletFont = task.Spec[figletParams, figletItem]{
	Name:     "figlet_font",
	Category: "cognition",
	Doc: "Read a word drawn in large letters made of characters. Harder levels have longer words, then random letters, " +
		"and fonts that are white on black, outlined, made of other letters or of Braille dots.",
	Source:  "A task of reasoning-gym, with its settings, after the program FIGlet (G. Chappell and I. Chai, 1991); the fonts are our own. The words are those of SCOWL (package lexicon).",
	Version: 1,
	Default: figletParams{MinLength: 3, MaxLength: 7, Spaced: true, Tier: 3},
	Levels: []figletParams{
		{MinLength: 3, MaxLength: 4, Spaced: true, Tier: 1},
		{MinLength: 4, MaxLength: 7, Spaced: true, Tier: 2},
		{MinLength: 5, MaxLength: 9, Spaced: true, Tier: 3},
		{MinLength: 6, MaxLength: 12, Spaced: false, Tier: 3},
		{MinLength: 8, MaxLength: 12, Spaced: true, Tier: 3, Random: true},
		{MinLength: 12, MaxLength: 20, Spaced: false, Tier: 3, Random: true},
	},
	Few: []string{
		"There are few words of three or four letters.",
	},
	Make: makeFiglet,
}

// figletParams are the settings of one difficulty.
type figletParams struct {
	Word      string `json:"static_word,omitempty"`       // the word of every problem; empty: a random one each
	Font      string `json:"static_font,omitempty"`       // the font of every problem; empty: a random one each
	MinLength int    `json:"min_word_len" want:"1 to 40"` // in letters
	MaxLength int    `json:"max_word_len" want:"min_word_len to 40"`
	Spaced    bool   `json:"space_letters"`          // extra space between letters
	Tier      int    `json:"max_tier" want:"1 to 3"` // of the fonts: 1 to 3, easiest first
	Random    bool   `json:"random_letters"`         // random letters; so are words of fewer than 3 or more than 15 letters
}

// mostLetters limits the letters of a word.
const mostLetters = 40

// Check refuses what no tag does.
func (p figletParams) Check() error {
	if p.Word != "" && (len(p.Word) > mostLetters || !capitals(strings.ToUpper(p.Word))) {
		return fmt.Errorf("static_word is %.60q, want up to %d letters from A to Z", p.Word, mostLetters)
	}
	if _, known := figletFontNamed(p.Font); p.Font != "" && !known {
		return fmt.Errorf("static_font is %.60q, want one of %s", p.Font, strings.Join(figletFontNames(), ", "))
	}
	return nil
}

// capitals reports whether word has only letters from A to Z.
func capitals(word string) bool {
	return word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// figletItem is one drawn word. Entries of reasoning-gym have fonts of their own.
type figletItem struct {
	Answer   string `json:"answer" want:"1 to 200"` // in capitals
	Font     string `json:"font"`
	Spaced   bool   `json:"space_letters"`
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeFiglet draws a word and a font.
func makeFiglet(p figletParams, r *rng.Rand) (figletItem, error) {
	item := figletItem{Answer: strings.ToUpper(p.Word), Font: p.Font, Spaced: p.Spaced, Phrasing: r.Between(0, len(figletPhrasings)-1)}
	if item.Font == "" {
		fonts := figletFonts
		for fonts[len(fonts)-1].tier > p.Tier {
			fonts = fonts[:len(fonts)-1]
		}
		item.Font = rng.Pick(r, fonts).name
	}
	if item.Answer == "" {
		item.Answer = figletWord(p, r)
	}
	return item, nil
}

// figletWord draws a word in capitals.
func figletWord(p figletParams, r *rng.Rand) string {
	n := r.Between(p.MinLength, p.MaxLength)
	if words := lexicon.Common(n); !p.Random && words.Len() > 0 {
		return strings.ToUpper(words.At(r.Between(0, words.Len()-1)))
	}
	letters := make([]byte, n)
	for i := range letters {
		letters[i] = byte(r.Between('A', 'Z'))
	}
	return string(letters)
}

// figletPhrasings are the wordings: before and after the picture.
var figletPhrasings = [][2]string{
	{"What does this say? The letters are drawn with characters.\n\n", "\n\nAnswer with the letters alone, in capitals."},
	{"Below, large letters from A to Z form a line of text without spaces.\n\n", "\n\nRead it, and reply with what you read: the letters and nothing else."},
	{"A banner printer was fed with one word in capitals and printed:\n\n", "\n\nGive the word. It need not be in any dictionary."},
	{"Find out which letters this picture shows, from left to right:\n\n", "\n\nWrite them as one word in capitals, and nothing else."},
	{"Somebody has typed a sign whose big letters are made of small characters:\n\n", "\n\nThe answer is the text of the sign, without spaces."},
	{"Here is some ASCII art. It is not a drawing, but writing: capital letters next to each other.\n\n", "\n\nWhich letters are they? Answer with them in order, as one word."},
}

func (f figletItem) Prompt() string {
	words := figletPhrasings[f.Phrasing]
	return words[0] + f.picture() + words[1]
}

// picture draws the word, or returns "" for a font that is not ours.
func (f figletItem) picture() string {
	font, _ := figletFontNamed(f.Font)
	if font.draw == nil {
		return ""
	}
	gap := 1
	if f.Spaced {
		gap = 3
	}
	return font.draw(font.shapes().write(f.Answer, gap))
}

// Canonical implements [task.Canonicalizer]. Another font makes another question.
func (f figletItem) Canonical() string { return fmt.Sprint(f.Answer, " ", f.Font, " ", f.Spaced) }

// Check refuses a record without a word, or with letters that its font lacks.
func (f figletItem) Check() error {
	_, ours := figletFontNamed(f.Font)
	if ours && !capitals(f.Answer) {
		return errors.New("answer has letters other than A to Z")
	}
	return nil
}

func (f figletItem) Solve() string { return f.Answer }

// Score implements [task.Scorer]. It ignores case, space and a full stop at the end.
func (f figletItem) Score(text string) quintain.Verdict {
	if len(text) > 4*len(f.Answer)+80 {
		return quintain.Wrong("the answer is too long")
	}
	plain := func(s string) string { return strings.ToUpper(answer.Solid(s)) }
	switch got := strings.TrimSuffix(plain(text), "."); got {
	case "":
		return quintain.Malformed("the answer is empty")
	case plain(f.Answer):
		return quintain.Right()
	}
	return quintain.Wrong("want " + f.Answer)
}
