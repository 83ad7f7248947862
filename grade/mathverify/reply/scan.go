package reply

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A class says what a piece of a line is.
type class uint8

const (
	prose    class = iota // a word, or a sign that ends an expression
	number                // digits, with separators and a currency
	letter                // a variable or a constant
	function              // the name of a function, or a root
	operator              // a sign between operands
	sign                  // plus or minus
	suffix                // an exponent, a percent sign and the like
	opener                // an opening bracket
	shutter               // a closing bracket
	comma
)

// A piece is a part of a line.
type piece struct {
	class      class
	start, end int
	spaced     bool // space precedes it
}

// ends reports whether an expression may end with the piece.
func (p piece) ends() bool {
	return p.class == number || p.class == letter || p.class == suffix || p.class == shutter
}

// A scanner cuts a line into pieces.
type scanner struct {
	text   string
	at     int
	spaced bool
	pieces []piece
}

// piecesOf returns the pieces of a line.
func piecesOf(line string) []piece {
	s := scanner{text: line}
	for s.at < len(s.text) {
		s.next()
	}
	return s.pieces
}

func (s *scanner) add(c class, length int) {
	s.pieces = append(s.pieces, piece{c, s.at, s.at + length, s.spaced})
	s.at += length
	s.spaced = false
}

// before returns the last piece; prose at the start.
func (s *scanner) before() piece {
	if len(s.pieces) == 0 {
		return piece{spaced: true}
	}
	return s.pieces[len(s.pieces)-1]
}

// next cuts off a piece.
func (s *scanner) next() {
	rest := s.text[s.at:]
	if c := rest[0]; isDigit(c) || c == '$' || c == '\\' || c == '.' || c >= utf8.RuneSelf {
		if n := len(amounts().FindString(rest)); n > 0 {
			s.add(number, n)
			return
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == ' ' || r == '~' || unicode.IsSpace(r):
		s.at += n
		s.spaced = true
	case r == '\\':
		s.command(rest)
	case strings.HasPrefix(rest, "**"):
		s.add(prose, 2)
	case r == '*':
		s.star(rest)
	case r == ':' && s.spaced && s.before().class == number && len(amounts().FindString(strings.TrimLeft(rest[1:], " "))) > 0:
		s.add(operator, 1)
	case r == '!':
		s.factorial(rest)
	case classes[r] != prose:
		s.add(classes[r], n)
	case unicode15.In(r, unicode.Latin):
		s.letters(rest)
	case unicode15.In(r, unicode.Greek):
		s.add(letter, n)
	default:
		s.add(prose, n)
	}
}

// amounts matches a number with its separators, a time of day, or a fraction of one character.
var amounts = compiled.Regexp(`^(?:\\?\$|€|£|¥)?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?::\d+)+(?:\s?[aApP](?:\.\s?[mM]\.|[mM]\b))?|\d+(?:\.\d+)?|\.\d+|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])`)

// classes lists signs outside the alphabet.
var classes = func() map[rune]class {
	all := map[rune]class{',': comma}
	for c, signs := range map[class]string{
		operator: "×·⋅∙÷/⁄^=<>≤≥≠≈≡_∪∩∈∉∖|", sign: "+-−–±∓", suffix: "%°º'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱˣ₀₁₂₃₄₅₆₇₈₉ₙₓₐₖ",
		opener: "([{⟨", shutter: ")]}⟩", function: "√∛", letter: "∞∅ℝℤℚℕℂ",
	} {
		for _, r := range signs {
			all[r] = c
		}
	}
	return all
}()

// star reads a star: a sign between operands with the same space before and after it, else
// emphasis.
func (s *scanner) star(rest string) {
	if s.before().ends() && len(rest) > 1 && s.spaced == (rest[1] == ' ') {
		s.add(operator, 1)
		return
	}
	s.add(prose, 1)
}

// factorial reads an exclamation mark: a factorial within a sentence, else its end.
func (s *scanner) factorial(rest string) {
	after := strings.TrimLeft(rest[1:], " ")
	if s.before().ends() && !s.spaced && after != "" && !unicode15.IsUpper(first(after)) && after[0] != '*' {
		s.add(suffix, 1)
		return
	}
	s.add(prose, 1)
}

func first(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// command reads a LaTeX command with its arguments in braces.
func (s *scanner) command(rest string) {
	name, after := commandName(rest[1:])
	switch {
	case name == "" && strings.HasPrefix(after, `\`) && len(after) > 1 && isLatin(after[1:2]): // an escaped backslash
		s.at++
		s.command(after)
		return
	case name == "":
		c := prose
		if strings.HasPrefix(after, "%") {
			c = suffix
		}
		s.add(c, min(2, len(rest)))
		return
	case listed(" cdot times div le leq ge geq ne neq lt gt cup cap in notin setminus approx ", name):
		s.add(operator, 1+len(name))
		return
	case name == "pm" || name == "mp":
		s.add(sign, 1+len(name))
		return
	}
	n := len(rest) - len(after)
	for n < len(rest) && rest[n] == '{' {
		end := expr.Closing(rest, n)
		if end < 0 {
			break
		}
		n = end + 1
	}
	s.add(letter, n)
}

// named lists the functions that stand before their argument without brackets, and those that
// need them.
const (
	openFunctions = " sin cos tan cot sec csc log ln lg sqrt cbrt arcsin arccos arctan sinh cosh tanh "
	shutFunctions = " exp abs max min gcd lcm floor ceil "
)

// scripts matches the exponent or the base of a function.
var scripts = compiled.Regexp(`^(?:[²³⁻¹₀₁₂₃₄₅₆₇₈₉ₐₓ]+|[_^](?:-?\w\d*|\{[^{}]{1,9}\}))`)

// letters reads a run of Latin letters: variables, the name of a function, or prose.
func (s *scanner) letters(rest string) {
	word := latin(rest)
	after := rest[len(word):]
	index := 0
	if listed(openFunctions, strings.ToLower(word)) {
		index = len(scripts().FindString(after))
		after = after[index:]
	}
	next, p := strings.TrimLeft(after, " "), s.before()
	crosses := len(word) == 1 && (word == "x" || word == "X") && p.class == number && next != "" && isDigit(next[0]) && s.spaced == (next != after)
	switch low := strings.ToLower(word); {
	case crosses:
		s.add(operator, 1)
	case low == "mod" && next != "" && isDigit(next[0]):
		s.add(operator, len(word))
	case listed(openFunctions, low) && next != "" && (isDigit(next[0]) || strings.ContainsAny(next[:1], `(\`) || len(latin(next)) == 1 || first(next) == 'π' || first(next) == '√'),
		listed(shutFunctions, low) && strings.HasPrefix(after, "("):
		s.add(function, len(word)+index)
	case low == "pi" || low == "inf" || low == "infinity":
		s.add(letter, len(word))
	case len(word) == 1:
		s.add(letter, len(word))
	default:
		s.word(rest)
	}
}

// latin returns the Latin letters at the start of a text.
func latin(text string) string {
	for i, r := range text {
		if !unicode15.In(r, unicode.Latin) {
			return text[:i]
		}
	}
	return text
}

// word reads a word with all that hangs on it: an apostrophe, a hyphen, a slash, an exponent,
// brackets.
func (s *scanner) word(rest string) {
	n := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode15.In(r, unicode.Latin) && !unicode15.IsDigit(r) && !strings.ContainsRune("'’-/^²³", r)
	})
	if n < 0 {
		n = len(rest)
	}
	if strings.HasPrefix(rest[n:], "(") { // the call of a program, or a plural
		if end := strings.IndexByte(rest[n:], ')'); end > 0 {
			n += end + 1
		}
	}
	s.add(prose, n)
}
