package answer

import (
	"regexp"
	"slices"
	"strings"
)

// InQuotes is the form of an answer in quotation marks.
const InQuotes = "in quotes"

// Readings returns the other readings of a bare answer, for answers in Markdown or LaTeX, in
// a sentence, or in the notation of another program or language: [Bare], what it states, and
// the plain value of both; of a board its lines, and of a list, if list names the notation in which
// the task reads one, its elements. Each stands for the same answer, so that the best of them counts.
// A reading equal to the text or to another is left out, so most answers have none. refuses
// holds the forms that the task refuses, with the reasons; [InQuotes] is then not read.
func Readings(text, list string, refuses map[string]string) []string {
	return readings(text, refuses, func(text string, add func(string)) { addValues(text, list, add) })
}

// TextReadings is [Readings] for an answer that is a text of several sentences, not a value: its
// brackets, numbers and words stay as they are.
func TextReadings(text string, refuses map[string]string) []string {
	return readings(text, refuses, func(string, func(string)) {})
}

// readings returns the readings, and the values that they have.
func readings(text string, refuses map[string]string, addValues func(text string, add func(string))) []string {
	var list []string
	add := func(reading string) {
		if reading != text && !slices.Contains(list, reading) {
			list = append(list, reading)
		}
	}
	bare := Bare(text)
	add(bare)
	addValues(bare, add)
	if said, before := stated(bare, refuses[InQuotes] == ""); said != bare {
		add(before)
		addValues(before, add)
		add(said)
		addValues(said, add)
	}
	return list
}

// addValues adds the usual spelling of a value, the lines of a board and the elements of a list.
func addValues(text, list string, add func(string)) {
	add(plainValue(text))
	if board, ok := boardReading(text); ok {
		add(board)
	}
	if list != "" && text != "" {
		add(listReading(text, list))
	}
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
	case strings.Contains("[{(", text[:1]), strings.HasPrefix(text, `\{`):
		bare := text
		if strings.Contains(text, `\{`) {
			bare = braces.Replace(text)
		}
		if value, ok := jsonOf(bare); ok {
			return value
		}
		return text
	}
	return whole(ungroupedAll(Ungrouped(text)))
}

// braces takes the escapes of LaTeX off braces. JSON has no such escape.
var braces = strings.NewReplacer(`\{`, "{", `\}`, "}")

// whole returns the digits of a whole number with zeros after its point, and any other text
// unchanged.
func whole(text string) string {
	digits, zeros, point := strings.Cut(text, ".")
	if !point || zeros == "" || strings.Trim(zeros, "0") != "" {
		return text
	}
	unsigned := strings.TrimLeft(digits, "+-")
	if unsigned == "" || len(digits)-len(unsigned) > 1 || strings.ContainsFunc(unsigned, func(r rune) bool { return r < '0' || r > '9' }) {
		return text
	}
	return digits
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

// ungroupedAll removes the thousands separators from each number of an expression, such as
// 1,234 + 5i. If any comma stands elsewhere, text is a list and stays as it is.
func ungroupedAll(text string) string {
	if strings.IndexByte(text, ',') < 0 || strings.IndexByte(text, '_') >= 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && (isDigit(text[end]) || text[end] == ',') {
			end++
		}
		number := text[i:end]
		switch {
		case number == "":
			out = append(out, text[i])
			i++
			continue
		case strings.IndexByte(number, ',') >= 0 && (!groupedRE.MatchString(number) || i > 0 && text[i-1] == '.'):
			return text
		}
		out = append(out, strings.ReplaceAll(number, ",", "")...)
		i = end
	}
	return string(out)
}

// jsonOf rewrites a list or an object in Python's notation as JSON: single quotes around
// strings, True, False and None, round brackets around a list, keys without quotes, a comma
// after the last element. It changes notation only: is reports that it reached the end, not
// that the result is valid JSON.
func jsonOf(text string) (value string, ok bool) {
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
