package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
			quoted, err := json.Marshal(text)
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
	v, err := ReadJSON(text)
	if err != nil {
		return nil, fmt.Errorf("the answer is not a JSON list: %w", err)
	}
	items, _ := v.([]any)
	lists := make([][]string, len(items))
	for i, item := range items {
		inner, ok := item.([]any)
		if !ok {
			return nil, errors.New("the list contains something other than lists")
		}
		lists[i] = make([]string, len(inner))
		for j, word := range inner {
			if lists[i][j], ok = word.(string); !ok {
				return nil, errors.New("an inner list contains something other than strings")
			}
		}
	}
	return lists, nil
}
