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

	// looksTag matches tags that change only the look.
	looksTag = compiled.Regexp(`</?(?:b|i|em|strong|u|p|br|span|var|mark|code)\s*/?>`)
)

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
	return looksTag().ReplaceAllString(text, "")
}
