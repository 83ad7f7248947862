package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// arrow matches a sign between the steps of an argument.
var arrow = compiled.Regexp(`\\(?:implies|Rightarrow|Longrightarrow|iff|Leftrightarrow|Longleftrightarrow|therefore|leadsto)\b|[⇒⟹⇔⟺∴]`)

// HasArrow reports whether a text has a sign between steps.
func HasArrow(text string) bool {
	if strings.IndexByte(text, '\\') < 0 && !strings.ContainsAny(text, "⇒⟹⇔⟺∴") {
		return false
	}
	hasName := strings.Contains(text, "implies") || strings.Contains(text, "ightarrow") || strings.Contains(text, "iff") || strings.Contains(text, "therefore") || strings.Contains(text, "leadsto")
	return (hasName || strings.ContainsAny(text, "⇒⟹⇔⟺∴")) && arrow().MatchString(text)
}

// LastStep returns what stands after the last sign between steps, unless nothing does: "x = 4" of
// "2x = 8 \implies x = 4".
func LastStep(text string) string {
	if len(text) > maxNormal || !HasArrow(text) {
		return text
	}
	all := arrow().Split(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		if part := strings.Trim(all[i], " \n,;.&$"); !Blank(part) && !endMark().MatchString(part) {
			return part
		}
	}
	return text
}
