package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Readings returns what else a bare answer may say that is dressed, or written as another
// program or language writes it: first [Bare], then the value that it is the text of, a
// number without separators of thousands, True or False, or a list or an object as JSON.
// What is the same as text, or as the reading before, is left out: most answers have no
// other reading.
func Readings(text string) []string {
	var list []string
	bare := Bare(text)
	if bare != text {
		list = append(list, bare)
	}
	if value := plainValue(bare); value != bare && value != text {
		list = append(list, value)
	}
	return list
}

// dresses are the pairs of marks that stand around an answer in Markdown and LaTeX.
var dresses = [...][2]string{{"```", "```"}, {"**", "**"}, {"__", "__"}, {"`", "`"}, {"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`\boxed{`, "}"}, {`\text{`, "}"}, {"<answer>", "</answer>"}}

// Bare returns text without what is not part of an answer: marks of Markdown or LaTeX and
// space around all of it, carriage returns, space at the ends of lines. Runs of spaces and
// tabs become single spaces, and the minus sign of Unicode becomes that of ASCII.
func Bare(text string) string {
	text = Trim(text)
	const deepest = 4 // marks within marks
	for range deepest {
		inner, dressed := undressed(text)
		if !dressed {
			break
		}
		text = Trim(inner)
	}
	if evenlySpaced(text) && !strings.Contains(text, "−") {
		return text
	}
	return Squeeze(strings.ReplaceAll(text, "−", "-"))
}

// evenlySpaced reports whether text is one line with no space but single ones.
func evenlySpaced(text string) bool {
	ascii := true
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\t', c == '\r', c == '\n', c == ' ' && i > 0 && text[i-1] == ' ':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || !strings.Contains(text, "\u00a0")
}

// undressed takes the outermost marks off text. The marks must not occur in between: in
// **1** or **2**, they do not stand around the whole.
func undressed(text string) (inner string, dressed bool) {
	for _, marks := range dresses {
		inner, opened := strings.CutPrefix(text, marks[0])
		inner, closed := strings.CutSuffix(inner, marks[1])
		if !opened || !closed || inner == "" || strings.Contains(inner, marks[0]) || strings.Contains(inner, marks[1]) {
			continue
		}
		if marks[0] == "```" {
			language, block, lines := strings.Cut(inner, "\n")
			if lines && !strings.ContainsFunc(strings.TrimSuffix(language, "\r"), Space) {
				inner = block
			}
		}
		return inner, true
	}
	return text, false
}

// plainValue is the usual text of the value that text stands for, or text itself.
func plainValue(text string) string {
	switch {
	case text == "":
		return text
	case strings.EqualFold(text, "true"):
		return "True"
	case strings.EqualFold(text, "false"):
		return "False"
	case strings.Contains("[{(", text[:1]):
		if value, is := jsonOf(text); is {
			return value
		}
		return text
	}
	return Ungrouped(text)
}

// groupedRE is a number whose whole part is in groups of three digits.
var groupedRE = regexp.MustCompile(`^[+-]?\d{1,3}(?:(?:,\d{3})+|(?:_\d{3})+|(?:'\d{3})+|(?: \d{3})+|(?:\x{2009}\d{3})+|(?:\x{202f}\d{3})+|(?:\{,\}\d{3})+|(?:\\,\d{3})+)(?:\.\d+)?$`)

// Ungrouped returns text without the separators of thousands, if all of it is a number in
// ASCII digits that has them in their places: 84,084 or 84 084, and not 8,4084. Any other
// text is returned as it is.
func Ungrouped(text string) string {
	if text == "" || text[len(text)-1] < '0' || text[len(text)-1] > '9' || !groupedRE.MatchString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' || r == '-' || r == '+' {
			return r
		}
		return -1
	}, text)
}

// jsonOf writes a list or an object as JSON that is written as in Python: strings between
// single quotes, True, False and None, round brackets around a list, keys without quotes, a
// comma after the last element. It changes the signs alone; is says that it could be read
// from end to end, not that the result is JSON.
func jsonOf(text string) (value string, is bool) {
	out := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			end := closingQuote(text, i)
			if end < 0 {
				return "", false
			}
			out = appendQuoted(out, text[i+1:end], c)
			i = end + 1
			continue
		case wordByte(c):
			end := i
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			out = append(out, jsonWord(text[i:end], strings.TrimLeft(text[end:], " \n"))...)
			i = end
			continue
		case c == '(':
			out = append(out, '[')
		case c == ')', c == ']', c == '}':
			out = append(trimComma(out), closers[c])
		default:
			out = append(out, c)
		}
		i++
	}
	return string(out), true
}

// closers are the closing brackets of JSON for those of Python.
var closers = map[byte]byte{')': ']', ']': ']', '}': '}'}

// closingQuote returns the index of the quotation mark that ends the string which begins
// at start, or -1.
func closingQuote(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i
		}
	}
	return -1
}

// appendQuoted appends the inside of a string between quote as a string of JSON.
func appendQuoted(out []byte, inside string, quote byte) []byte {
	out = append(out, '"')
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		switch {
		case c == '\\' && quote == '\'' && inside[i+1] == '\'': // a backslash is never the last: the string would not end
			i++
			c = '\''
		case c == '\\':
			out = append(out, c)
			i++
			c = inside[i]
		case c == '"':
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return append(out, '"')
}

// wordByte reports whether c is part of a name or a number.
func wordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '-' || c == '+' || c >= 0x80
}

// jsonWord is a word outside of strings as JSON has it; rest is what follows.
func jsonWord(word, rest string) string {
	switch {
	case strings.HasPrefix(rest, ":"):
		return `"` + word + `"`
	case word == "True":
		return "true"
	case word == "False":
		return "false"
	case word == "None":
		return "null"
	}
	return word
}

// trimComma removes a comma, and the space after it, from the end of what was written.
func trimComma(out []byte) []byte {
	end := len(out)
	for end > 0 && slices.Contains([]byte(" \n"), out[end-1]) {
		end--
	}
	if end > 0 && out[end-1] == ',' {
		return out[:end-1]
	}
	return out
}
