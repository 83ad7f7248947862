package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// following matches a unit in the text after an answer.
var following = compiled.Regexp(`^(?:\\?[\])}$*]|\s)*((?:square |sq\.? |cubic )?[A-Za-zµμΩΩ°¢€£]+(?:\^?[23]|²|³)?(?:\s?(?:/|per)\s?[A-Za-zµμΩΩ]+(?:\^?[23]|²|³)?)?)`)

// withUnit returns an answer with the unit that follows it in the text.
func withUnit(found, text string) string {
	at := strings.LastIndex(text, found)
	if _, _, ok := SplitUnit(found); ok || found == "" || at < 0 {
		return found
	}
	rest := text[at+len(found):]
	m := following().FindStringSubmatch(rest[:min(len(rest), maxShort)])
	if m == nil {
		return found
	}
	for _, name := range []string{m[1], strings.Fields(m[1])[0]} {
		if _, ok := UnitIn(name); ok && name != "in" {
			return found + `\text{ ` + name + "}"
		}
	}
	return found
}
