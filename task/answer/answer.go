// Package answer finds the final answer in a model's text, and reads numbers and lists as
// graders in the field do. It runs none of the text. Its functions take time linear in the
// length of the text, except [Arithmetic.Value], which may take longer.
package answer

import (
	"strings"
)

// Tagged returns the text between the only <answer> and the only </answer> of a reply; see
// [Between].
func Tagged(reply string) (text, why string) { return Between(reply, "answer") }

// Between returns the text between the only opening and the only closing tag of a name in a
// reply, trimmed. The name is in lower case; the tags may be in upper or lower case. Tags inside
// the parts that [WithoutThinking] removes do not count. If there is no such pair, or a tag
// occurs twice, text is empty and why gives the reason.
func Between(reply, name string) (text, why string) {
	opening, closing := "<"+name+">", "</"+name+">"
	outside := WithoutThinking(reply)
	lower := lowerASCII(outside)
	open, shut := strings.Index(lower, opening), strings.Index(lower, closing)
	switch {
	case open < 0 || shut < 0:
		return "", "there is no " + opening + "…" + closing + " outside the thinking"
	case strings.Count(lower, opening) > 1 || strings.Count(lower, closing) > 1:
		return "", "there is more than one " + opening + "…" + closing
	case shut < open:
		return "", closing + " comes before " + opening
	}
	return strings.TrimSpace(outside[open+len(opening) : shut]), ""
}

// WithoutThinking returns reply without its parts between <think> and </think>, or [THINK] and
// [/THINK], and their tags. An opening tag that is never closed reaches to the end of the text. A
// closing tag that was never opened closes a part that began with the text, because the chat templates
// of some models put the opening tag into the prompt.
func WithoutThinking(reply string) string {
	for _, tags := range [][2]string{{"<think>", "</think>"}, {"[think]", "[/think]"}} {
		if tagged(reply, tags[0][0]) {
			reply = without(reply, tags[0], tags[1])
		}
	}
	return reply
}

// tagged reports whether a tag of thinking may begin with the bracket anywhere in a text.
func tagged(text string, bracket byte) bool {
	for {
		i := strings.IndexByte(text, bracket)
		if i < 0 || i+1 == len(text) {
			return false
		}
		if text = text[i+1:]; strings.IndexByte("tT/", text[0]) >= 0 {
			return true
		}
	}
}

// without returns a text without its parts between two tags.
func without(reply, opening, closing string) string {
	lower := lowerASCII(reply)
	open, shut := strings.Index(lower, opening), strings.Index(lower, closing)
	var rest strings.Builder
	for from := 0; ; {
		switch {
		case shut >= 0 && (open < 0 || shut < open):
			rest.Reset()
		case open >= 0:
			rest.WriteString(reply[from:open])
			if shut < 0 {
				return rest.String()
			}
		default:
			rest.WriteString(reply[from:])
			return rest.String()
		}
		from = shut + len(closing)
		shut = indexFrom(lower, closing, from)
		if open >= 0 && open < from {
			open = indexFrom(lower, opening, from)
		}
	}
}

// indexFrom returns the first index of sub in s at or after from, or -1.
func indexFrom(s, sub string, from int) int {
	if i := strings.Index(s[from:], sub); i >= 0 {
		return from + i
	}
	return -1
}

// Boxed returns the content of the last \boxed{…} of a text, up to the matching brace,
// trimmed.
func Boxed(text string) (content string, found bool) {
	const box = `\boxed{`
	start := strings.LastIndex(text, box)
	if start < 0 {
		return "", false
	}
	text = text[start+len(box):]
	for i, depth := 0, 1; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return strings.TrimSpace(text[:i]), true
			}
		}
	}
	return "", false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lowerASCII returns s with A to Z in lower case and every other byte unchanged, so
// that an index into the result is an index into s.
func lowerASCII(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
