// Package nearest finds the name that somebody meant who mistyped it.
package nearest

// Name returns the name of names that is most like word, and whether one is like it
// at all: at most a third of the letters, and no more than three, have to be typed
// anew. Of several that are as near it returns the first.
func Name(word string, names []string) (name string, found bool) {
	best := min(3, len(word)/3+1)
	if word == "" {
		return "", false
	}
	for _, candidate := range names {
		if d := distance(word, candidate); d < best || d == best && !found {
			name, best, found = candidate, d, true
		}
	}
	return name, found
}

// Suggest returns `; did you mean "NAME"?` for the nearest name, or nothing where no
// name is near: the end of an error.
func Suggest(word string, names []string) string {
	if name, found := Name(word, names); found {
		return `; did you mean "` + name + `"?`
	}
	return ""
}

// distance is the Levenshtein distance of a and b in bytes (Levenshtein, 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
