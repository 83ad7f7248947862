//go:build !heavy

package codetask

// Numbers of problems, of each kind; distinctDraws of each level.
const (
	secondDraws   = 12
	checkedDraws  = 6
	distinctDraws = 100
)
