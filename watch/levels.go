package watch

import (
	"strconv"

	"github.com/quintain-rl/quintain"
)

// levelOf names a level of a run; see [trace.Entry].
func levelOf(level int) string {
	if level == quintain.OwnParams {
		return "settings of its own"
	}
	return "level " + strconv.Itoa(level)
}
