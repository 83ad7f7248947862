package reasoninggym

import (
	"slices"

	"github.com/quintain-rl/quintain/task/answer"
)

// matrix takes the stored text, and pays a little for the same as a list of lists.
func matrix(of *item, got string) float64 {
	if got == of.oracle {
		return 1
	}
	v, _ := pyReadLiteral(got)
	text, ok := pyRows(v)
	return part(ok && text == of.oracle, 0.1)
}

// spiral takes the stored text, and pays a little for the same as a list.
func spiral(of *item, got string) float64 {
	if got == "" {
		return 0
	}
	got, want := answer.Trim(got), answer.Trim(of.oracle)
	if got == want {
		return 1
	}
	v, _ := pyReadLiteral(got)
	text, ok := pyJoined(v, " ")
	return part(ok && text == want, 0.1)
}

// inserted takes the stored text, and pays a little for the same as a list or in quotes.
func inserted(of *item, got string) float64 {
	if got == of.oracle {
		return 1
	}
	v, _ := pyReadLiteral(got)
	text, ok := pyJoined(v, "")
	return part(ok && text == of.oracle, 0.1)
}

// queens takes a stored board, and pays half for one as a list of lists.
func queens(of *item, got string) float64 {
	var m struct {
		Valid []string `json:"valid_answers"`
	}
	if !of.read(&m) {
		return 0
	}
	if slices.Contains(m.Valid, got) {
		return 1
	}
	v, _ := pyReadLiteral(got)
	text, ok := pyRows(v)
	for _, board := range m.Valid {
		if ok && text == board {
			return 0.5
		}
	}
	return 0
}
