package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// shown returns what the judge sees of an item, as it came; empty: there is nothing to judge.
func (it Item) shown(view string) string {
	switch view {
	case Transcript:
		return transcript(it.Transcript)
	case Diff:
		return it.Diff
	}
	return answerOf(it.Reply)
}

// Shown returns the item with a reply in all forms that a rubric may show.
func (it Item) Shown(reply string) Item {
	it.Reply, it.Diff = reply, reply
	it.Transcript = []quintain.Message{{Role: quintain.RoleUser, Content: it.Question}, {Role: quintain.RoleAssistant, Content: reply}}
	return it
}

// closing ends the reasoning in the text of a reply.
const opening, closing = "<think>", "</think>"

// answerOf returns a reply without the reasoning before it.
func answerOf(reply string) string {
	before, after, ended := strings.Cut(reply, closing)
	switch {
	case ended && (strings.HasPrefix(strings.TrimSpace(before), opening) || !strings.Contains(before, opening)):
		return after
	case strings.HasPrefix(strings.TrimSpace(reply), opening) && !ended:
		return ""
	}
	return reply
}

// transcript writes the messages from the policy's first on; empty: the policy said and did
// nothing.
func transcript(messages []quintain.Message) string {
	var b strings.Builder
	begun := false
	for _, m := range messages {
		text := m.Text()
		if m.Role == quintain.RoleAssistant {
			text = answerOf(text)
			begun = begun || strings.TrimSpace(text) != "" || len(m.ToolCalls) > 0
		}
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, text)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "[calls %s]\n%s\n", c.Name, c.Arguments)
		}
	}
	if !begun {
		return ""
	}
	return b.String()
}

// speaks reports whether a text has a letter, a digit or a symbol. Lone punctuation, which some
// judges reward, is nothing to judge, unless the reference is nothing else.
func speaks(text, reference string) bool {
	says := func(text string) bool {
		return strings.ContainsFunc(text, func(r rune) bool {
			return !hidden(r) && (unicode15.IsLetter(r) || unicode15.IsNumber(r) || unicode15.In(r, unicode.S))
		})
	}
	blank := strings.TrimFunc(text, func(r rune) bool { return hidden(r) || unicode.IsSpace(r) }) == ""
	return !blank && (says(text) || reference != "" && !says(reference))
}

// blanks are letters and marks that nobody sees.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1}, {0x2800, 0x2800, 1},
		{0x3164, 0x3164, 1}, {0xfe00, 0xfe0f, 1}, {0xffa0, 0xffa0, 1},
	},
	R32: []unicode.Range32{{0xe0000, 0xe0fff, 1}},
}

// hidden reports whether a character is not seen, or turns the order of others: control and format
// characters, unusual line ends, private ones. Line feeds and tabs are seen.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	}
	return unicode15.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, blanks)
}

// legible returns a text with hidden characters and broken UTF-8 as escapes, and with the words
// that may be control tokens of the judge's model broken up by a backslash.
func legible(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/16)
	seen := 0 // bytes written
	for i, r := range text {
		var form string
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			form, r = `\x%02x`, rune(text[i])
		case hidden(r) && r > 0xffff:
			form = `\U%08x`
		case hidden(r):
			form = `\u%04x`
		default:
			continue
		}
		b.WriteString(text[seen:i])
		fmt.Fprintf(&b, form, r)
		_, size := utf8.DecodeRuneInString(text[i:])
		seen = i + size
	}
	b.WriteString(text[seen:])
	return broken(b.String())
}

// broken breaks up control tokens.
func broken(text string) string {
	if !strings.ContainsAny(text, begins) {
		return text
	}
	var b strings.Builder
	for {
		at := strings.IndexAny(text, begins)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		b.WriteString(text[:at+size])
		if control().MatchString(text[at:min(len(text), at+longest)]) {
			b.WriteByte('\\')
		}
		text = text[at+size:]
	}
}

// The first characters of control tokens, and the bytes of the longest.
const (
	begins  = "<[]|｜"
	longest = 32
)

// control matches control tokens of the chat templates in use, by their beginning: <|…|> of most,
// <｜…｜> of DeepSeek, [INST] of Mistral, <<SYS>> of Llama 2, <start_of_turn> of Gemma, <s> and its
// like, and marks of reasoning and tools.
var control = compiled.Regexp(`(?i)^(?:<[|｜]|<<?/?sys>|[|｜]>` +
	`|</?(?:s|bos|eos|pad|unk|mask|sep|cls|think|thinking|reasoning|tool_calls?|tool_responses?|tools|function_calls?|start_of_turn|end_of_turn|start_of_image|im_start|im_end|system|user|assistant)>` +
	`|\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|call_id|think|img)\]` +
	`|\]<\]|\[>\[)`)

// cut returns a text of at most about limit bytes: of a longer one the beginning and the end, with
// a mark between them.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	for len(head) > 0 && !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return fmt.Sprintf("%s\n[… %d bytes are left out here …]\n%s", head, len(text)-len(head)-len(tail), tail)
}
