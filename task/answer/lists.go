package answer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// appendTexts appends texts as a JSON list, with a space after each comma.
func appendTexts(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, text := range texts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}

// appendText appends text as a JSON string.
func appendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < 'A' || c > 'z' || c == '\\' {
			quoted, err := jsonform.Marshal(text)
			if err != nil {
				panic(fmt.Sprintf("answer: %q: %v", text, err)) // encoding/json takes any string
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// WriteLists returns lists of texts as JSON, with a space after each comma.
func WriteLists(lists [][]string) string {
	texts := 0
	for _, list := range lists {
		texts += len(list)
	}
	b := append(make([]byte, 0, 4*len(lists)+12*texts), '[')
	for i, list := range lists {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendTexts(b, list)
	}
	return string(append(b, ']'))
}

// ReadLists reads a JSON list of lists of strings. Its errors describe the answer's fault.
func ReadLists(text string) ([][]string, error) {
	text = strings.Trim(text, " \t\r\n")
	if !strings.HasPrefix(text, "[") {
		return nil, errors.New("the answer is not a JSON list")
	}
	if lists, plain := plainLists(text); plain {
		return lists, nil
	}
	v, err := ReadJSON(text)
	if err != nil {
		return nil, fmt.Errorf("the answer is not a JSON list: %w", err)
	}
	items, _ := v.([]any)
	lists := make([][]string, len(items))
	for i, item := range items {
		inner, is := item.([]any)
		if !is {
			return nil, errors.New("the list contains something other than lists")
		}
		lists[i] = make([]string, len(inner))
		for j, word := range inner {
			if lists[i][j], is = word.(string); !is {
				return nil, errors.New("an inner list contains something other than strings")
			}
		}
	}
	return lists, nil
}

// plainLists reads a JSON list of lists of strings, several times as fast as a full JSON
// reader. plain is false unless every list has an element and all strings are ASCII without
// escapes, the usual case.
func plainLists(text string) (lists [][]string, plain bool) {
	all := make([]string, 0, strings.Count(text, `"`)/2) // the elements of all lists
	lists = make([][]string, 0, strings.Count(text, "]"))
	rest, open := skipSign(text, '[')
	if !open {
		return nil, false
	}
	for open {
		if rest, open = skipSign(rest, '['); !open {
			return nil, false
		}
		first := len(all)
		for open {
			word, after, is := cutPlainText(rest)
			if !is {
				return nil, false
			}
			all = append(all, word)
			rest, open = skipSign(after, ',')
		}
		var closed bool
		if rest, closed = skipSign(rest, ']'); !closed {
			return nil, false
		}
		lists = append(lists, all[first:len(all):len(all)])
		rest, open = skipSign(rest, ',')
	}
	rest, closed := skipSign(rest, ']')
	return lists, closed && rest == ""
}

// skipSign cuts sign and the white space after it off the front of text, and reports
// whether it was there.
func skipSign(text string, sign byte) (rest string, found bool) {
	if text == "" || text[0] != sign {
		return text, false
	}
	return strings.TrimLeft(text[1:], " \t\r\n"), true
}

// cutPlainText cuts off a quoted string and the white space after it.
func cutPlainText(text string) (word, rest string, is bool) {
	if text == "" || text[0] != '"' {
		return "", text, false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			rest, _ = skipSign(text[i:], '"')
			return text[1:i], rest, true
		case c < ' ' || c > '~' || c == '\\':
			return "", text, false
		}
	}
	return "", text, false
}
