//go:build heavy

package problems_test

import "testing"

// Each row of LeetCode's kind in each form has its solution pass, written as its starter code has it.
func TestRowsOfLeetCode(t *testing.T) {
	n := 0
	for form := range leetForms {
		n += tryLeetCode(t, form, leetCode)
	}
	if t.Logf("%d rows", n); n < 200 {
		t.Errorf("%d rows, want 200", n)
	}
}
