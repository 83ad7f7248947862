package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Readings returns the other readings of a bare answer, for answers in Markdown or in the
// notation of another program or language. The first is [Bare]; the second the plain value:
// a number without thousands separators, True or False, or a list or an object as JSON. A
// reading equal to the text or to the reading before is left out, so most answers have
// none.
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

// dresses are pairs of marks that Markdown and LaTeX put around an answer.
var dresses = [...][2]string{{"```", "```"}, {"**", "**"}, {"__", "__"}, {"`", "`"}, {"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`\boxed{`, "}"}, {`\text{`, "}"}, {"<answer>", "</answer>"}}

// Bare strips everything around an answer: Markdown or LaTeX marks and space around the
// whole, carriage returns, space at the ends of lines. Runs of spaces and tabs become
// single spaces, and the Unicode minus sign becomes the ASCII one.
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

// evenlySpaced reports whether text is one line with no white space but single spaces.
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

// undressed takes the outermost marks off text. The same marks must not occur inside: **1**
// or **2** has no marks around the whole.
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

// plainValue returns the usual spelling of a value, or text itself.
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

// groupedRE matches a number with its whole part in groups of three digits.
var groupedRE = regexp.MustCompile(`^[+-]?\d{1,3}(?:(?:,\d{3})+|(?:_\d{3})+|(?:'\d{3})+|(?: \d{3})+|(?:\x{2009}\d{3})+|(?:\x{202f}\d{3})+|(?:\{,\}\d{3})+|(?:\\,\d{3})+)(?:\.\d+)?$`)

// Ungrouped removes the thousands separators from text if all of it is a number in ASCII
// digits with separators in their places: 84,084 or 84 084, but not 8,4084. It returns any
// other text unchanged.
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

// jsonOf rewrites a list or an object in Python's notation as JSON: single quotes around
// strings, True, False and None, round brackets around a list, keys without quotes, a comma
// after the last element. It changes notation only: is reports that it reached the end, not
// that the result is valid JSON.
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

// closers maps Python's closing brackets to those of JSON.
var closers = map[byte]byte{')': ']', ']': ']', '}': '}'}

// closingQuote returns the index of the quotation mark that closes the string opened at
// start, or -1.
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

// appendQuoted appends the inside of a quoted string as a JSON string.
func appendQuoted(out []byte, inside string, quote byte) []byte {
	out = append(out, '"')
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		switch {
		case c == '\\' && quote == '\'' && inside[i+1] == '\'': // inside never ends with a backslash: the string would go on
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

// jsonWord returns the JSON for a word outside strings; rest is the text after it.
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

// trimComma removes a comma and the space after it from the end of out.
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
