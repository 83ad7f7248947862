package mathverify

import "strings"

// listed reports whether a word is in a list with spaces around each word.
func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }
