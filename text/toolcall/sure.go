package toolcall

import "strings"

// Sure returns what the reasoning and the content of a reply begin with, however the reply goes
// on: text is the beginning of one, up to a whole character. It holds back what may be the start
// of a tag, and all that follows the start of a call. Content begins once the reasoning is all
// there.
func (f *Format) Sure(text string, in Context) (reasoning, content string) {
	if f.think[0] == "" {
		return f.sureHarmony(text, in), ""
	}
	open, closing := f.think[0], f.think[1]
	begun := skipSpace(text, 0)
	rest := text[begun:]
	if rest != open && strings.HasPrefix(open, rest) {
		return "", ""
	}
	inside := strings.HasPrefix(rest, open)
	if inside {
		begun += len(open)
	} else if begun = 0; !in.Thinking {
		return "", f.sureContent(text, 0, in)
	}
	reasoning, closed := before(text[begun:], closing)
	if closed {
		content = f.sureContent(text, begun+len(reasoning)+len(closing), in)
	}
	return strings.Trim(reasoning, newlines), content
}

// sureContent returns the beginning of the content in the text after from.
func (f *Format) sureContent(text string, from int, in Context) string {
	piece, _ := before(text[from:], f.marks...)
	if f.bare != "" && len(in.Tools) > 0 && strings.HasPrefix(piece[skipSpace(piece, 0):], f.bare) {
		return ""
	}
	if from > 0 {
		piece = strings.TrimLeft(piece, newlines)
	}
	if strings.TrimSpace(piece) == "" {
		return ""
	}
	return strings.TrimRight(piece, newlines)
}

// sureHarmony returns the thoughts before the first message of another sort. Others may follow
// a text, so that is not sure to be content with all thoughts before it.
func (f *Format) sureHarmony(text string, in Context) string {
	r := &reader{cursor: cursor{text: text}, in: in, marks: f.marks}
	var thoughts []string
	for first := true; ; first = false {
		header, ok := "<|channel|>analysis", first && in.Thinking
		if !ok {
			header, ok = r.harmonyHeader(first)
		}
		if to, channel := harmonyTo(header); !ok || to != "" || channel != "analysis" {
			break
		}
		body, ended := before(r.rest(), f.marks...)
		thoughts = append(thoughts, body)
		if !ended {
			break
		}
		r.at += len(body)
		r.harmonyClosed()
	}
	return strings.Join(thoughts, "\n")
}

// before returns the text before the first of the marks, or before the end of the text that may
// be the start of one.
func before(text string, marks ...string) (part string, found bool) {
	end := len(text)
	for _, mark := range marks {
		if at := strings.Index(text, mark); at >= 0 {
			end, found = min(end, at), true
			continue
		}
		n := min(len(mark)-1, len(text))
		for !strings.HasSuffix(text, mark[:n]) {
			n--
		}
		end = min(end, len(text)-n)
	}
	return text[:end], found
}
