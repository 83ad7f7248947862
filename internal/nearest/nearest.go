// Package nearest finds the intended name behind a mistyped one.
package nearest

// Name returns the name nearest to word, the first of several. found is false if none is
// near: within a distance of 3 and of about a third of the length of word.
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

// Suggest returns the end of an error, `; did you mean "NAME"?`, or nothing if no name
// is near.
func Suggest(word string, names []string) string {
	if name, found := Name(word, names); found {
		return `; did you mean "` + name + `"?`
	}
	return ""
}

// distance returns the Levenshtein distance of a and b in bytes (Levenshtein, 1966).
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
