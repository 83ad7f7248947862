package puzzles

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// cryptarithm asks for the digits behind the letters of a sum.
var cryptarithm = task.Spec[cryptarithmParams, cryptarithmItem]{
	Name:     "cryptarithm",
	Category: "algorithmic",
	Doc:      "Find the digits that letters stand for in the sum of several numbers. Any digits that make the sum right are accepted.",
	Source:   "H. E. Dudeney's verbal arithmetic (1924); the settings are those of reasoning-gym and two of our own, the lengths of the words.",
	Version:  5,
	Many:     true,
	List:     ",",
	Default:  cryptarithmParams{MinWords: 2, MaxWords: 3, MinWordLength: 3, MaxWordLength: 5},
	Levels: []cryptarithmParams{
		{MinWords: 2, MaxWords: 2, MinWordLength: 1, MaxWordLength: 2},
		{MinWords: 2, MaxWords: 2, MinWordLength: 2, MaxWordLength: 3},
		{MinWords: 2, MaxWords: 3, MinWordLength: 3, MaxWordLength: 5},
		{MinWords: 3, MaxWords: 4, MinWordLength: 4, MaxWordLength: 6, AllowLeadingZero: true},
		{MinWords: 3, MaxWords: 5, MinWordLength: 5, MaxWordLength: 7},
		{MinWords: 5, MaxWords: 7, MinWordLength: 6, MaxWordLength: 9, AllowLeadingZero: true},
	},
	Few:   []string{"There are few sums of two words of this length, whatever the letters are called."},
	Make:  makeCryptarithm,
	Short: "{words_letters:+}={result_letters}",
}

const (
	mostWords       = 100 // number of summands
	mostWordLetters = 15  // of each word, so that the sum is an int64
)

// cryptarithmParams are the settings of one difficulty.
type cryptarithmParams struct {
	MinWords         int  `json:"min_words" want:"2 or more"` // number of summands
	MaxWords         int  `json:"max_words" want:"min_words to 100"`
	AllowLeadingZero bool `json:"allow_leading_zero"`
	MinWordLength    int  `json:"min_word_length" want:"1 or more"` // of each word, in letters
	MaxWordLength    int  `json:"max_word_length" want:"min_word_length to 15"`
}

// cryptarithmItem is one sum in letters, with a solution.
type cryptarithmItem struct {
	AllowLeadingZero bool         `json:"allow_leading_zero"`
	Letters          []string     `json:"letters"`
	WordValues       []int64      `json:"word_values"`
	SumNumber        int64        `json:"sum_number"`
	WordsLetters     []string     `json:"words_letters" want:"1 to 100" chars:"A-Z"` // the summands, of letters from A to Z
	ResultLetters    string       `json:"result_letters" want:"1 or more" chars:"A-Z"`
	LetterToDigit    letterDigits `json:"letter_to_digit"`
	Phrasing         int          `json:"phrasing,omitempty" want:"0 to 5"`

	// DigitToLetter is the inverse of LetterToDigit, which entries of reasoning-gym have too.
	// We neither need nor write it.
	DigitToLetter json.RawMessage `json:"digit_to_letter,omitempty"`
}

// letterDigits are the digits of the letters from A to Z, plus one: 0 is none. In JSON,
// they are an object.
type letterDigits [26]uint8

// MarshalJSON implements [json.Marshaler].
func (l letterDigits) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, digit := range l {
		if digit > 0 {
			b = append(b, '"', 'A'+byte(i), '"', ':', '0'-1+digit, ',')
		}
	}
	return append(slices.Clip(b[:max(1, len(b)-1)]), '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *letterDigits) UnmarshalJSON(raw []byte) error {
	var digits map[string]int
	if err := strictjson.Unmarshal(raw, &digits); err != nil {
		return err
	}
	*l = letterDigits{}
	for letter, digit := range digits {
		if len(letter) != 1 || letter[0] < 'A' || letter[0] > 'Z' || digit < 0 || digit > 9 {
			return fmt.Errorf("%q stands for %d, want a letter from A to Z and a digit", letter, digit)
		}
		l[letter[0]-'A'] = uint8(digit) + 1
	}
	return nil
}

// makeCryptarithm draws numbers and gives a letter to each digit in them or in their sum.
func makeCryptarithm(p cryptarithmParams, r *rng.Rand) (cryptarithmItem, error) {
	n := r.Between(p.MinWords, p.MaxWords)
	item := cryptarithmItem{
		AllowLeadingZero: p.AllowLeadingZero,
		WordValues:       make([]int64, n), WordsLetters: make([]string, n+10),
		Phrasing: r.Between(0, len(cryptarithmPhrasings)-1),
	}
	item.WordsLetters, item.Letters = item.WordsLetters[:n:n], item.WordsLetters[n:n]
	letters := []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	rng.ToFront(r, letters, 10)
	var room [128]byte
	text, ends := room[:0], make([]int, n+1)
	for i := range n {
		length := r.Between(p.MinWordLength, p.MaxWordLength)
		for at := range length {
			least := 1
			if at > 0 || p.AllowLeadingZero {
				least = 0
			}
			digit := r.Between(least, 9)
			item.WordValues[i] = 10*item.WordValues[i] + int64(digit)
			text = append(text, '0'+byte(digit))
		}
		item.SumNumber += item.WordValues[i]
		ends[i] = len(text)
	}
	text = strconv.AppendInt(text, item.SumNumber, 10)
	for i, c := range text {
		text[i] = letters[c-'0']
		item.LetterToDigit[text[i]-'A'] = c - '0' + 1
	}
	all, from := string(text), 0
	for i, end := range ends[:n] {
		item.WordsLetters[i], from = all[from:end], end
	}
	item.ResultLetters = all[from:]
	for i, digit := range item.LetterToDigit {
		if digit > 0 {
			item.Letters = append(item.Letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i:i+1])
		}
	}
	return item, nil
}

// cryptarithmPhrasings are the wordings of the question, before the sum.
var cryptarithmPhrasings = []string{
	"In this addition, every letter stands for a digit, and different letters stand for different digits.",
	"The digits of this sum were replaced by letters: the same digit by the same letter, different digits by different letters.",
	"Find a different digit for each letter so that this sum is right.",
	"A teacher wrote a correct addition on the board and then covered each digit by a letter, one letter for each digit. Which digits are under the letters?",
	"Replace the letters below by digits to get a correct sum. Each letter has one digit, and no two letters share a digit.",
	"This is a sum in code: letters stand for digits, one for one. Break the code.",
}

func (c cryptarithmItem) Prompt() string {
	width := len(c.ResultLetters)
	for _, word := range c.WordsLetters {
		width = max(width, len(word))
	}
	b := make([]byte, 0, task.PromptRoom)
	b = append(b, cryptarithmPhrasings[c.Phrasing]...)
	if c.AllowLeadingZero {
		b = append(b, " A number may begin with zero.\n\n"...)
	} else {
		b = append(b, " No number begins with zero.\n\n"...)
	}
	for i, word := range c.WordsLetters {
		sign := byte(' ')
		if i == len(c.WordsLetters)-1 {
			sign = '+'
		}
		b = append(appendRight(append(b, sign, ' '), word, width), '\n')
	}
	b = append(appendFill(b, '-', width+2), "\n  "...)
	b = appendRight(b, c.ResultLetters, width)
	b = append(b, "\n\nWhich digit does each letter stand for? If there are several solutions, any of them will do. "+
		"Answer with all letters and their digits in this form, without spaces: A=1,B=2,C=3"...)
	return string(b)
}

// appendRight appends word, padded with spaces in front to width.
func appendRight(b []byte, word string, width int) []byte {
	return append(appendFill(b, ' ', width-len(word)), word...)
}

// appendFill appends c n times.
func appendFill(b []byte, c byte, n int) []byte {
	for range n {
		b = append(b, c)
	}
	return b
}

// Canonical implements [task.Canonicalizer]. Letters are names: another letter may stand
// for a digit throughout. The order of the words that are added does not matter.
func (c cryptarithmItem) Canonical() string {
	const letter, word, sum = 0, 1, 2
	var g canon.Graph
	letters := g.Nodes(26, letter)
	add := func(kind int, text string) {
		node := g.Node(kind)
		for i := range len(text) {
			g.Arrow(node, letters+int(text[i]-'A'), len(text)-i) // by its place from the right
		}
	}
	for _, text := range c.WordsLetters {
		add(word, text)
	}
	add(sum, c.ResultLetters)
	return fmt.Sprint(c.AllowLeadingZero, " ", g.Key())
}

// Check refuses a record with wrong digits.
func (c cryptarithmItem) Check() error {
	const most = mostWordLetters + 3 // for the sum of a hundred words
	for _, word := range append([]string{c.ResultLetters}, c.WordsLetters...) {
		if word == "" || len(word) > most {
			return fmt.Errorf("there is a word %.80q, want 1 to %d letters", word, most)
		}
	}
	if fault := c.fault(c.LetterToDigit); fault != "" {
		return errors.New("letter_to_digit: " + fault)
	}
	return nil
}

// fault describes the fault of digits, or returns "" if they solve the sum.
func (c cryptarithmItem) fault(digits letterDigits) string {
	var used letterDigits
	sum := int64(0)
	for i := range len(c.WordsLetters) + 1 {
		word, sign := c.ResultLetters, int64(-1)
		if i < len(c.WordsLetters) {
			word, sign = c.WordsLetters[i], 1
		}
		if digits[word[0]-'A'] == 1 && !c.AllowLeadingZero {
			return "the number " + word + " begins with zero"
		}
		value := int64(0)
		for _, letter := range []byte(word) {
			digit := digits[letter-'A']
			if digit == 0 {
				return "the letter " + string(letter) + " has no digit"
			}
			used[letter-'A'] = digit
			value = 10*value + int64(digit-1)
		}
		sum += sign * value
	}
	if used != digits {
		return "there is a letter that is not in the sum"
	}
	var taken [11]bool
	for _, digit := range digits {
		if digit > 0 && taken[digit] {
			return fmt.Sprintf("two letters stand for %d", digit-1)
		}
		taken[digit] = true
	}
	if sum != 0 {
		return "the sum is not right"
	}
	return ""
}

func (c cryptarithmItem) Solve() string {
	b := make([]byte, 0, 40)
	for i, digit := range c.LetterToDigit {
		if digit > 0 {
			b = append(b, 'A'+byte(i), '=', '0'-1+digit, ',')
		}
	}
	return string(b[:max(0, len(b)-1)])
}

// Score implements [task.Scorer]. Of two digits for one letter, the last counts.
func (c cryptarithmItem) Score(text string) quintain.Verdict {
	var digits letterDigits
	for piece := range strings.SplitSeq(text, ",") {
		letter, value, _ := strings.Cut(piece, "=")
		letter = answer.Trim(letter)
		digit, err := strconv.Atoi(answer.Trim(value))
		if err != nil || len(letter) != 1 || letter[0] < 'A' || letter[0] > 'Z' {
			return quintain.Malformed(fmt.Sprintf("%.40q is not a letter with its digit", piece))
		}
		if digit < 0 || digit > 9 {
			return quintain.Wrong(fmt.Sprintf("%s stands for %d, which is not a digit", letter, digit))
		}
		if digits[letter[0]-'A'] != 0 {
			return quintain.Wrong(letter + " has two digits")
		}
		digits[letter[0]-'A'] = uint8(digit) + 1
	}
	if fault := c.fault(digits); fault != "" {
		return quintain.Wrong(fault)
	}
	return quintain.Right()
}
