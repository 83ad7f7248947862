// Package command starts programs by a command line, in process groups of their own.
package command

import (
	"errors"
	"fmt"
	"strings"
)

// Fields splits a command line at its spaces, but not between ' or ".
func Fields(line string) (words []string, err error) {
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range line {
		switch {
		case r == quote && quote != 0:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quotation mark, %c, is not closed", quote)
	case len(words) == 0:
		return nil, errors.New("is empty, want a program with its arguments")
	}
	return words, nil
}
