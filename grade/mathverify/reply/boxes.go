package reply

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// A box is the content of a \boxed{…}, with its start and end in the text.
type box struct {
	content    string
	start, end int
}

// maxParts bounds the boxes, or the pairs of tags, of one answer.
const maxParts = 200

// lastBoxes returns the contents of the last box and of the boxes before it that only
// commas, "and" or "or" separate, and the text after them; nil if there is no box.
func lastBoxes(text string) (contents []string, rest string) {
	if !strings.Contains(text, "box") {
		return nil, ""
	}
	boxes := allBoxes(text)
	if boxes == nil {
		return nil, ""
	}
	contents = together(text, boxes)
	rest = text[boxes[len(boxes)-1].end:]
	contents[len(contents)-1] += unitAfter(strings.TrimLeft(rest, `$ \])`))
	return contents, rest
}

// together returns the contents of the last box and of those before it that only commas, "and" or "or" separate.
func together(text string, boxes []box) (contents []string) {
	for i := len(boxes) - 1; i >= max(0, len(boxes)-maxParts) && (contents == nil || joined(text[boxes[i].end:boxes[i+1].start])); i-- {
		if content := inner(boxes[i].content); contents == nil || contents[0] != content {
			contents = slices.Insert(contents, 0, content)
		}
	}
	return contents
}

// allBoxes finds all boxes outside other boxes. An unclosed box ends with its line.
func allBoxes(text string) (boxes []box) {
	for i := 0; i < len(text); {
		start, open := nextBox(text, i)
		if start < 0 {
			return boxes
		}
		end := expr.Closing(text, open)
		if end < 0 {
			line := text[open+1:]
			if n := strings.IndexAny(line, "\n$"); n >= 0 {
				line = line[:n]
			}
			if len(line) > maxShort || strings.Contains(line, "box") {
				line = ""
			}
			return append(boxes, box{line, start, len(text)})
		}
		boxes = append(boxes, box{text[open+1 : end], start, end + 1})
		i = end + 1
	}
	return boxes
}

// nextBox returns the start of the next \boxed{ or \fbox{, and the index of its brace.
func nextBox(text string, from int) (start, open int) {
	for at := from; ; {
		n := strings.Index(text[at:], "box")
		if n < 0 {
			return -1, -1
		}
		at += n
		for _, name := range []string{`\boxed`, `\fbox`} {
			start = at + len("box") - len(strings.TrimSuffix(name, "ed"))
			if start < from || !strings.HasPrefix(text[start:], name) {
				continue
			}
			open = start + len(name)
			for open < len(text) && text[open] == ' ' {
				open++
			}
			if open < len(text) && text[open] == '{' {
				return start, open
			}
		}
		at += len("box")
	}
}

// inner strips boxes around the whole content.
func inner(content string) string {
	for {
		content = strings.TrimSpace(content)
		start, open := nextBox(content, 0)
		if start != 0 || expr.Closing(content, open) != len(content)-1 {
			return content
		}
		content = content[open+1 : len(content)-1]
	}
}

var (
	separatorNoise = compiled.Regexp(`\\(?:text|textbf|mbox)\s*\{([^{}]*)\}|\\(?:quad|qquad)\b|\\[,;:! ()\[\]]|[$~&{}]|\\\\`)
	separatorName  = compiled.Regexp(`[A-Za-z](?:_\{?\w+\}?)?\s*=`)
	separatorWord  = compiled.Regexp(`\p{L}+`)
	separatorStop  = compiled.Regexp(`(?i)\b(?:then|but|not|so|no|wrong|correct\w*|instead|finally|rather|actually|therefore|thus|hence|final|now|is|wait|gives|get|check\w*|equals?)\b`)
)

// joined reports whether only commas, "and" or "or" stand between two boxes, perhaps with
// a few words that name the first: "\boxed{1} apples and \boxed{2} pears".
func joined(between string) bool {
	if len(between) > 100 || strings.Count(between, "\n") > 2 {
		return false
	}
	rest := separatorName().ReplaceAllString(separatorNoise().ReplaceAllString(between, "$1"), "")
	words := separatorWord().FindAllString(rest, -1)
	others, links := 0, 0
	for _, word := range words {
		if word == "and" || word == "or" {
			links++
		} else {
			others++
		}
	}
	if strings.ContainsAny(rest, ".:?!=<>") || separatorStop().MatchString(rest) {
		return false
	}
	return others == 0 || links == 1 && others <= 5
}
