package algorithmic

import (
	"strconv"
	"strings"
	"testing"
)

// readMatrix reads lines of numbers.
func readMatrix(t testing.TB, text string) matrix {
	t.Helper()
	var m matrix
	for line := range strings.Lines(text) {
		var row []int
		for field := range strings.FieldsSeq(line) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, n)
		}
		m = append(m, row)
	}
	return m
}

// matrixIn reads the matrix of a prompt: the lines of digits.
func matrixIn(t testing.TB, prompt string) matrix {
	t.Helper()
	var rows []string
	for line := range strings.Lines(prompt) {
		if strings.Trim(line, " 0123456789\n") == "" && strings.TrimSpace(line) != "" {
			rows = append(rows, line)
		}
	}
	return readMatrix(t, strings.Join(rows, ""))
}

func TestMatrixTurned(t *testing.T) {
	m := readMatrix(t, "1 2 3\n4 5 6")
	for quarters, want := range []string{"1 2 3\n4 5 6", "4 1\n5 2\n6 3", "6 5 4\n3 2 1", "3 6\n2 5\n1 4", "1 2 3\n4 5 6", "4 1\n5 2\n6 3"} {
		if got := m.turned(quarters).String(); got != want {
			t.Errorf("%d quarters: %q, want %q", quarters, got, want)
		}
	}
}

func TestMatrixCheck(t *testing.T) {
	for text, fine := range map[string]bool{"": false, "1 2\n3 4": true, "1 2\n3": false, "1 10": false, "-1": false} {
		if err := readMatrix(t, text).check(0, 9); (err == nil) != fine {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if (matrix{{}}).check(0, 9) == nil {
		t.Error("a matrix without columns is taken")
	}
	if (matrix)(nil).String() != "" {
		t.Error("a matrix without rows has a text")
	}
}
