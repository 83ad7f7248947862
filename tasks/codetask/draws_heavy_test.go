//go:build heavy

package codetask

// Numbers of problems, of each kind; distinctDraws and keyedDraws of each level.
const (
	secondDraws   = 300
	checkedDraws  = 60
	distinctDraws = 1000
	keyedDraws    = 100
)
