//go:build !heavy

package codetask

// Numbers of problems, of each kind; distinctDraws and keyedDraws of each level.
const (
	secondDraws   = 3
	checkedDraws  = 2
	distinctDraws = 30
	keyedDraws    = 30
)
