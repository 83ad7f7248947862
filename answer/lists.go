package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// appendTexts appends the texts as JSON does, with a space after commas.
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

// appendText appends a text as JSON does.
func appendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < 'A' || c > 'z' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil {
				panic(fmt.Sprintf("answer: %q: %v", text, err)) // no text is refused
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// WriteLists writes lists of texts as JSON does, with a space after commas.
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

// ReadLists reads a JSON list of lists of texts.
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
			return nil, errors.New("the list has something that is not a list")
		}
		lists[i] = make([]string, len(inner))
		for j, word := range inner {
			if lists[i][j], is = word.(string); !is {
				return nil, errors.New("a list has something that is not a text")
			}
		}
	}
	return lists, nil
}

// plainLists reads a JSON list of lists of texts, none of them empty, whose texts
// are of ASCII without escapes, as most are: several times as fast as a reader of
// all JSON. It is false for any other.
func plainLists(text string) (lists [][]string, plain bool) {
	all := make([]string, 0, strings.Count(text, `"`)/2) // of all lists
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

// skipSign returns what follows sign and the white space of JSON after it, and
// whether text begins with sign.
func skipSign(text string, sign byte) (rest string, found bool) {
	if text == "" || text[0] != sign {
		return text, false
	}
	return strings.TrimLeft(text[1:], " \t\r\n"), true
}

// cutPlainText cuts a text in quotation marks off, and the white space after it.
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
