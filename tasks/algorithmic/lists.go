package algorithmic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/answer"
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
				panic(fmt.Sprintf("algorithmic: %q: %v", text, err)) // no text is refused
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// writeLists writes lists of texts as JSON does, with a space after commas.
func writeLists(lists [][]string) string {
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

// readLists reads a JSON list of lists of texts.
func readLists(text string) ([][]string, error) {
	if !strings.HasPrefix(answer.Trim(text), "[") {
		return nil, errors.New("the answer is no JSON list")
	}
	var lists [][]string
	v, err := answer.ReadJSON(text)
	if err != nil {
		return nil, fmt.Errorf("the answer is no JSON list: %w", err)
	}
	items, _ := v.([]any)
	for _, item := range items {
		inner, is := item.([]any)
		if !is {
			return nil, errors.New("the list holds something that is no list")
		}
		list := make([]string, len(inner))
		for i, word := range inner {
			if list[i], is = word.(string); !is {
				return nil, errors.New("a list holds something that is no text")
			}
		}
		lists = append(lists, list)
	}
	return lists, nil
}
