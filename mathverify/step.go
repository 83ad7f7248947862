package mathverify

import "strings"

// arrow matches a sign between the steps of an argument.
var arrow = compiled(`\\(?:implies|Rightarrow|Longrightarrow|iff|Leftrightarrow|Longleftrightarrow|therefore|leadsto|rightsquigarrow)\b|[⇒⟹⇔⟺∴]`)

// hasArrow reports whether a text has a sign between steps.
func hasArrow(text string) bool {
	return strings.ContainsAny(text, `\⇒⟹⇔⟺∴`) && arrow().MatchString(text)
}

// lastStep returns what stands after the last sign between steps, unless nothing does: "x = 4" of
// "2x = 8 \implies x = 4".
func lastStep(text string) string {
	if len(text) > maxNormal || !hasArrow(text) {
		return text
	}
	all := arrow().Split(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		if part := strings.Trim(all[i], " \n,;.&$"); !blank(part) && !endMark().MatchString(part) {
			return part
		}
	}
	return text
}
