package games

import "strings"

// Either joins two words or more by "or".
func Either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
