package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

var (
	// heading matches a line that only says that the answer follows, and the answer.
	heading = compiled.Regexp(`(?i)(?:^|\n)[#>*_ \t]*(?:the )?(?:final )?(?:answer|result)[*_ \t]*:?[*_ \t]*\n\s*((?:\$\$[^$]*\$\$|\\\[[^$]*\\\]|[^\n]*)\s*)\z`)

	// emphasis matches text in bold.
	emphasis = compiled.Regexp(`\*\*([^*\n]+)\*\*`)

	// escapes matches the codes by which terminals change colour.
	escapes = compiled.Regexp("\x1b\\[[0-9;]*m")
)

// maxUnderHeading is the greatest length of an answer under a heading.
const maxUnderHeading = 200

// marked puts the colon of "**Answer**:" before the stars, and a statement for a heading over a
// short last paragraph.
func marked(text string) string {
	if strings.Contains(text, "**:") {
		text = strings.ReplaceAll(text, "**:", ":**")
	}
	from := max(0, len(text)-maxUnderHeading)
	if strings.IndexByte(text[from:], '\n') < 0 {
		return text
	}
	if m := heading().FindStringSubmatchIndex(text[from:]); m != nil {
		return text[:from+m[0]] + "Answer: " + text[from+m[2]:]
	}
	return text
}

// emphasized returns the only text in bold in the last line of a text, unless it is a heading or denied.
func emphasized(text string) string {
	line := strings.TrimSpace(text)
	line = line[strings.LastIndexByte(line, '\n')+1:]
	all := emphasis().FindAllStringSubmatchIndex(line, 2)
	if len(all) != 1 {
		return ""
	}
	bold := line[all[0][2]:all[0][3]]
	if strings.HasSuffix(bold, ":") && !strings.HasSuffix(line, "**") {
		return ""
	}
	return strings.Trim(bold, " .:")
}

// broken maps commands whose first letters JSON took for an escape to what they were.
var broken = strings.NewReplacer("\frac{", `\frac{`, "\frac", `\frac`, "\boxed", `\boxed`, "\binom", `\binom`, "\begin{", `\begin{`,
	"\text{", `\text{`, "\textcirc", `\circ`, "\times", `\times`, "\theta", `\theta`, "\tfrac{", `\tfrac{`, "\right)", `\right)`, "\right]", `\right]`, "\right|", `\right|`)

// repaired restores commands that JSON broke, and drops the codes of terminals and of HTML.
func repaired(text string) string {
	text = withoutHTML(text)
	control := false
	for i := range len(text) {
		control = control || text[i] < ' ' && text[i] != '\n'
	}
	if !control {
		return text
	}
	return escapes().ReplaceAllString(broken.Replace(text), "")
}
