package answer

import (
	"strings"
	"unicode/utf8"
)

// dresses are pairs of marks that Markdown and LaTeX put around an answer.
var dresses = [...][2]string{{"```", "```"}, {"**", "**"}, {"__", "__"}, {"`", "`"}, {"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {"<answer>", "</answer>"}}

// commands are those of LaTeX that set their argument in a box or as text.
var commands = [...]string{"boxed", "fbox", "mbox", "text", "textbf", "textit", "textrm", "texttt", "mathbf", "mathit", "mathrm", "mathtt"}

// Bare strips everything around an answer: Markdown or LaTeX marks and space around the
// whole, carriage returns, space at the ends of lines. Runs of spaces and tabs become
// single spaces, and the Unicode minus sign becomes the ASCII one, but not within the quoted
// texts of a list or an object.
func Bare(text string) string {
	text = Trim(text)
	const deepest = 6 // marks within marks
	for range deepest {
		inner, dressed := undressed(text)
		if !dressed {
			break
		}
		text = Trim(inner)
	}
	return even(text)
}

// even leaves single spaces and the ASCII minus sign in text, outside quoted texts of a list
// or an object.
func even(text string) string {
	if evenlySpaced(text) && !strings.Contains(text, "−") {
		return text
	}
	if text == "" || strings.IndexByte(`[{("'`, text[0]) < 0 {
		return Squeeze(strings.ReplaceAll(text, "−", "-"))
	}
	var out strings.Builder
	for text != "" {
		open := strings.IndexAny(text, `"'`)
		end := -1
		if open >= 0 {
			end = closingQuote(text, open)
		}
		if end < 0 {
			out.WriteString(evenPart(text))
			break
		}
		out.WriteString(evenPart(text[:open]))
		out.WriteString(text[open : end+1])
		text = text[end+1:]
	}
	return out.String()
}

// evenPart is even for a part of a list between its quoted texts: a space at its ends stays.
func evenPart(part string) string {
	const edge = "|" // keeps Squeeze from trimming the ends
	part = Squeeze(edge + strings.ReplaceAll(part, "−", "-") + edge)
	return part[len(edge) : len(part)-len(edge)]
}

// evenlySpaced reports whether text is one line with no white space but single spaces.
func evenlySpaced(text string) bool {
	ascii := true
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\t', c == '\r', c == '\n', c == ' ' && i > 0 && text[i-1] == ' ':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || !strings.Contains(text, "\u00a0")
}

// undressed takes the outermost marks off text. The same marks must not occur inside: **1**
// or **2** has no marks around the whole. But **x**2** is a power in bold.
func undressed(text string) (inner string, dressed bool) {
	if inner, ok := argument(text); ok {
		return inner, true
	}
	for _, marks := range dresses {
		inner, opened := strings.CutPrefix(text, marks[0])
		inner, closed := strings.CutSuffix(inner, marks[1])
		if !opened || !closed || inner == "" {
			continue
		}
		if (strings.Contains(inner, marks[0]) || strings.Contains(inner, marks[1])) && !(marks[0] == "**" && onlyPowers(inner)) {
			continue
		}
		if marks[0] == "```" {
			language, block, lines := strings.Cut(inner, "\n")
			if lines && !strings.ContainsFunc(strings.TrimSuffix(language, "\r"), Space) {
				inner = block
			}
		}
		return inner, true
	}
	return text, false
}

// argument returns the argument of a command of LaTeX that is the whole text.
func argument(text string) (inner string, ok bool) {
	if !strings.HasPrefix(text, `\`) || !strings.HasSuffix(text, "}") {
		return "", false
	}
	name, _, _ := strings.Cut(text[1:min(len(text), 20)], "{")
	for _, command := range commands {
		if name != command {
			continue
		}
		inner = text[len(name)+2 : len(text)-1]
		depth := 0
		for i := 0; i < len(inner) && depth >= 0; i++ {
			switch inner[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		return inner, depth == 0 && inner != ""
	}
	return "", false
}

// onlyPowers reports whether each ** of text stands between two operands, without spaces.
func onlyPowers(text string) bool {
	for {
		i := strings.Index(text, "**")
		switch {
		case i < 0:
			return true
		case i == 0 || !operand(text[i-1]) && text[i-1] != ')':
			return false
		}
		text = text[i+2:]
		if text == "" || !operand(text[0]) && text[0] != '(' && text[0] != '-' {
			return false
		}
	}
}

// operand reports whether c is part of a number or a name.
func operand(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
