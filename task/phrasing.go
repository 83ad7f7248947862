package task

import "fmt"

// CheckPhrasing refuses a record that names a wording which its task does not have;
// the task has n.
func CheckPhrasing(phrasing, n int) error {
	if phrasing < 0 || phrasing >= n {
		return fmt.Errorf("phrasing is %d, want 0 to %d", phrasing, n-1)
	}
	return nil
}
