package reply

import (
	"html"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

var (
	// entity matches a character by its name or number in HTML.
	entity = compiled.Regexp(`&(?:[A-Za-z][A-Za-z0-9]{1,20}|#\d{1,6}|#x[0-9A-Fa-f]{1,5});`)

	raisedTag  = compiled.Regexp(`<sup>([^<>]{1,40})</sup>`)
	loweredTag = compiled.Regexp(`<sub>([^<>]{1,40})</sub>`)
)

// looksTags lists the tags that change only the look.
const looksTags = " b i em strong u p br span var mark code "

// withoutHTML returns a text with its characters for those named in HTML, with exponents and
// subscripts in LaTeX, and without tags that change only the look.
func withoutHTML(text string) string {
	if strings.Contains(text, "&") && strings.Contains(text, ";") {
		text = entity().ReplaceAllStringFunc(text, html.UnescapeString)
	}
	if !strings.Contains(text, "</") && !strings.Contains(text, "<br") {
		return text
	}
	text = loweredTag().ReplaceAllString(raisedTag().ReplaceAllString(text, "^{$1}"), "_{$1}")
	return withoutLooks(text)
}

// withoutLooks drops the tags that change only the look.
func withoutLooks(text string) string {
	var b strings.Builder
	for at := strings.IndexByte(text, '<'); at >= 0; at = strings.IndexByte(text, '<') {
		name, rest := commandName(strings.TrimPrefix(text[at+1:], "/"))
		rest, isTag := strings.CutPrefix(strings.TrimPrefix(strings.TrimLeft(rest, " \t\n\f\r"), "/"), ">")
		if !isTag || !listed(looksTags, name) {
			b.WriteString(text[:at+1])
			text = text[at+1:]
			continue
		}
		b.WriteString(text[:at])
		text = rest
	}
	b.WriteString(text)
	return b.String()
}
