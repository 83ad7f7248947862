package codegrade

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// Extract returns the program in a complete reply: see [Extraction.Code].
func Extract(reply, language string) (code string, ok bool) {
	return Extraction{Language: language}.Code(reply)
}

// An Extraction says how a program is found in a reply.
type Extraction struct {
	Language string // such as "python"
	Join     bool   // all blocks that fit make the program, not the last alone
	Cut      bool   // the reply reached its limit: a block without an end does not count
}

// Code returns the last fenced block of the language after the model's thinking. Blocks that name
// no language count if none names a fitting one. The time is linear in the length of the reply.
func (e Extraction) Code(reply string) (code string, ok bool) {
	names := []string{e.Language}
	if l, known := languageOf(e.Language); known {
		names = l.names
	}
	var named, unnamed []string
	for _, b := range blocks(answer.WithoutThinking(reply)) {
		switch {
		case e.Cut && !b.closed:
		case slices.Contains(names, b.language):
			named = append(named, b.code)
		case b.language == "":
			unnamed = append(unnamed, b.code)
		}
	}
	if len(named) == 0 {
		named = unnamed
	}
	switch {
	case len(named) == 0:
		return "", false
	case e.Join:
		return strings.Join(named, "\n"), true
	}
	return named[len(named)-1], true
}

// A block is a fenced part of a text.
type block struct {
	language string // the first word after the fence, in lower case
	code     string
	closed   bool
}

// blocks returns the fenced blocks of a text.
func blocks(text string) (all []block) {
	var code strings.Builder
	var open fence
	for line := range strings.Lines(text) {
		f, ok := fenceOf(line)
		switch {
		case open.length == 0 && ok:
			open = f
		case open.length == 0:
		case ok && f.closes(open):
			all = append(all, block{open.language, code.String(), true})
			open = fence{}
			code.Reset()
		default:
			code.WriteString(withoutIndent(line, open.indent))
		}
	}
	if open.length > 0 {
		all = append(all, block{open.language, code.String(), false})
	}
	return all
}

// A fence is a line of at least three backticks or tildes.
type fence struct {
	mark     byte
	length   int
	indent   int
	info     string // the text after the marks
	language string
}

// fenceOf reads a line as a fence.
func fenceOf(line string) (f fence, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' {
		return f, false
	}
	marks := strings.TrimLeft(rest, rest[:1])
	f = fence{mark: rest[0], length: len(rest) - len(marks), indent: len(line) - len(rest), info: strings.TrimSpace(marks)}
	if f.length < 3 || f.mark == '`' && strings.Contains(f.info, "`") {
		return f, false
	}
	if words := strings.Fields(f.info); len(words) > 0 {
		f.language = lowerASCII(strings.Trim(words[0], "{}."))
	}
	return f, true
}

// closes reports whether f ends the block that open began.
func (f fence) closes(open fence) bool {
	return f.mark == open.mark && f.length >= open.length && f.info == ""
}

// withoutIndent drops up to n spaces and tabs at the beginning of a line.
func withoutIndent(line string, n int) string {
	for n > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line, n = line[1:], n-1
	}
	return line
}

// lowerASCII replaces the letters A to Z by a to z.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
