// Package nearest finds the intended name behind a mistyped one.
package nearest

// Name returns the name nearest to word, the first of several. found is false if none is
// near: within a distance of 3, of about a third of the length of word, and of less than half of it.
func Name(word string, names []string) (name string, found bool) {
	best := min(3, len(word)/3+1)
	if word == "" {
		return "", false
	}
	for _, candidate := range names {
		if d := distance(word, candidate); (d < best || d == best && !found) && 2*d < max(3, len(word)) {
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

// distance returns how many bytes to insert, delete or replace, or neighbours to swap, turn a
// into b, none of them twice (Damerau, 1964: optimal string alignment).
func distance(a, b string) int {
	var last, row []int // of the two bytes before
	next := make([]int, len(b)+1)
	for j := range next {
		next[j] = j
	}
	for i := range len(a) {
		last, row, next = row, next, make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], last[j-1]+1)
			}
		}
	}
	return next[len(b)]
}
