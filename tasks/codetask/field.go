package codetask

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A form is the type of an argument or a result.
type form int

const (
	number form = iota // int64
	truth              // bool, of results only
	word               // string: a line
	list               // []int64
	texts              // []string
	rows               // [][]int64, all of the same width
)

// A span is a range of numbers, both ends included.
type span [2]int64

func (s span) of(n int64) int64 { return max(s[0], min(n, s[1])) }

// A field describes an argument.
type field struct {
	name    string
	form    form
	len     span   // of word: characters; of list, texts and rows: elements
	wide    span   // of texts: characters of each; of rows: numbers in each
	val     span   // of number, list and rows: each number
	letters string // of word and texts: the characters
	what    string // replaces the description of the elements
	also    string // is added to the description
}

// A size bounds what is drawn for a case.
type size struct {
	len   int64 // of lists and texts
	span  int64 // between the numbers of a list; -1: all that the field allows; -2: only its limits
	minus bool  // only negative numbers, if the field allows them
	order int   // 1: ascending; -1: descending
}

// draw draws an argument.
func (f field) draw(r *rng.Rand, s size) any {
	n := f.len.of(s.len)
	switch f.form {
	case number:
		return f.number(r, s)
	case word:
		return f.word(r, n)
	case list:
		return f.list(r, s, n)
	case texts:
		words := make([]string, n)
		for i := range words {
			words[i] = f.word(r, f.wide.of(r.Between64(f.wide[0], max(f.wide[0], min(f.wide[1], s.len)))))
		}
		return words
	default:
		table := make([][]int64, n)
		width := f.wide.of(r.Between64(s.len/2, s.len+1))
		for i := range table {
			table[i] = f.list(r, s, width)
		}
		return table
	}
}

// number draws a number: of a large range, small ones as often as large ones.
func (f field) number(r *rng.Rand, s size) int64 {
	switch {
	case s.len == 0:
		return f.val[0]
	case s.span == -2:
		return f.val[1]
	case f.val[1]-f.val[0] >= 1000 && s.len == 1:
		return f.val.of(s.span + 1) // 0, or a small number
	case f.val[1]-f.val[0] >= 1000 && s.len == 2:
		return f.val.of([]int64{-1, 10}[bit(s.span > 1)])
	case f.val[1]-f.val[0] < 1000:
		return r.Between64(f.val[0], f.val[1])
	}
	width := int64(10)
	for width < f.val[1]-f.val[0] && r.Chance(0.8) {
		width *= 10
	}
	low := f.val.of(0)
	if f.val[0] < 0 {
		low = f.val.of(-width / 2)
	}
	return f.val.of(r.Between64(low, low+width))
}

// word draws n characters. Spaces stand neither first nor last.
func (f field) word(r *rng.Rand, n int64) string {
	text := make([]byte, n)
	few := f.letters
	if few != "" && r.Chance(0.4) {
		few = string(rng.Sample(r, []byte(f.letters), min(len(f.letters), r.Between(2, 4))))
	}
	for i := range text {
		text[i] = few[r.Between(0, len(few)-1)]
		if edge := i == 0 || i == len(text)-1; text[i] == ' ' && edge {
			text[i] = f.letters[0]
		}
	}
	return string(text)
}

// list draws n numbers.
func (f field) list(r *rng.Rand, s size, n int64) []int64 {
	numbers := make([]int64, n)
	low, high := f.val[0], f.val[1]
	switch {
	case s.span < 0:
	case s.minus:
		low, high = f.val.of(-1-s.span), f.val.of(-1)
	case low < 0:
		low, high = f.val.of(-s.span/2), f.val.of((s.span+1)/2)
		if s.span == 0 {
			low = r.Between64(f.val.of(-3), f.val.of(3))
			high = low
		}
	default:
		low = f.val.of(low + r.Between64(0, 3))
		high = f.val.of(low + s.span)
	}
	for i := range numbers {
		numbers[i] = r.Between64(low, high)
		if s.span == -2 {
			numbers[i] = f.val[r.Between(0, 1)]
		}
	}
	switch s.order {
	case 1:
		slices.Sort(numbers)
	case -1:
		slices.Sort(numbers)
		slices.Reverse(numbers)
	}
	return numbers
}

// alphabets are descriptions of characters.
var alphabets = map[string]string{
	lower:   "lower-case letters",
	letters: "lower-case and upper-case letters",
	digits:  "digits",
	alnum:   "letters and digits",
	prose:   "letters, digits, spaces and commas, no space at either end",
}

// The characters of texts.
const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
	digits  = "0123456789"
	alnum   = letters + digits
	prose   = alnum + "       ,,"
)

// characters describes the characters of f.
func (f field) characters() string {
	if text, found := alphabets[f.letters]; found {
		return ": " + text
	}
	each := make([]string, 0, len(f.letters))
	for _, c := range f.letters {
		if c == ' ' {
			each = append(each, "space (not at either end)")
		} else {
			each = append(each, "`"+string(c)+"`")
		}
	}
	return ", each " + strings.Join(each[:len(each)-1], ", ") + " or " + each[len(each)-1]
}

// between describes a range.
func between(s span) string {
	if s[0] == s[1] {
		return grouped(s[0])
	}
	return grouped(s[0]) + " to " + grouped(s[1])
}

// grouped writes a number with commas, from 10,000.
func grouped(n int64) string {
	text := decimal(n)
	if n < 0 {
		return "-" + grouped(-n)
	}
	for at := len(text) - 3; at > 0 && n >= 10_000; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// each describes the elements of f.
func (f field) each() string {
	switch {
	case f.what != "":
		return f.what
	case f.form == texts:
		return fmt.Sprintf("of %s characters%s", between(f.wide), f.characters())
	default:
		return "from " + between(f.val)
	}
}

// argument describes f as an argument of a function.
func (f field) argument() string {
	switch f.form {
	case number:
		return "an integer " + f.each() + f.also
	case word:
		if f.what != "" {
			return "a string, " + f.what + f.also
		}
		return fmt.Sprintf("a string of %s characters%s%s", between(f.len), f.characters(), f.also)
	case list:
		return fmt.Sprintf("a list of %s integers %s%s", between(f.len), f.each(), f.also)
	case texts:
		return fmt.Sprintf("a list of %s strings, each %s%s", between(f.len), f.each(), f.also)
	default:
		return fmt.Sprintf("a list of %s lists, each of %s%s", between(f.len), f.numbers(), f.also)
	}
}

// numbers describes a row of f.
func (f field) numbers() string {
	switch {
	case f.what != "":
		return f.what
	case f.wide[0] == f.wide[1]:
		return fmt.Sprintf("%d integers %s", f.wide[0], f.each())
	default:
		return fmt.Sprintf("%s integers %s, all of the same length", between(f.wide), f.each())
	}
}

// input describes f as lines of the standard input.
func (f field) input() string {
	switch f.form {
	case number:
		return "a line with an integer " + f.each() + f.also
	case word:
		if f.what != "" {
			return "a line with " + f.what + f.also
		}
		if f.len[0] == 0 {
			return fmt.Sprintf("a line of 0 (an empty line) to %s characters%s%s", grouped(f.len[1]), f.characters(), f.also)
		}
		return fmt.Sprintf("a line of %s characters%s%s", between(f.len), f.characters(), f.also)
	case list:
		return fmt.Sprintf("a line with the number of elements, %s, then a line with the elements: integers %s, separated by spaces%s", between(f.len), f.each(), f.also)
	case texts:
		return fmt.Sprintf("a line with the number of strings, %s, then each string on a line of its own, %s%s", between(f.len), f.each(), f.also)
	default:
		return fmt.Sprintf("a line with the number of rows, %s, then each row on a line of its own, its numbers separated by spaces: %s%s", between(f.len), f.numbers(), f.also)
	}
}

// read is the Python that reads f from the lines of the input.
func (f field) read() string {
	numbers := "list(map(int, next(lines).split()))"
	switch f.form {
	case number:
		return f.name + " = int(next(lines))"
	case word:
		return f.name + " = next(lines)"
	case list:
		return "next(lines)\n" + f.name + " = " + numbers
	case texts:
		return f.name + " = [next(lines) for _ in range(int(next(lines)))]"
	default:
		return f.name + " = [" + numbers + " for _ in range(int(next(lines)))]"
	}
}
