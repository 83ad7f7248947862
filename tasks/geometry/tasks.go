// Package geometry holds the tasks about points, lines and angles.
package geometry

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	advancedGeometry,
	simpleGeometry,
}

// checkPhrasing refuses a record that names a wording which its task does not
// have; the task has n.
func checkPhrasing(phrasing, n int) error {
	if phrasing < 0 || phrasing >= n {
		return fmt.Errorf("phrasing is %d, want 0 to %d", phrasing, n-1)
	}
	return nil
}
