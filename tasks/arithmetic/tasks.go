// Package arithmetic holds the tasks about expressions: sums, products, powers, and what comes of them.
package arithmetic

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	basicArithmetic,
	bitwiseArithmetic,
	chainSum,
	decimalArithmetic,
	decimalChainSum,
	legCounting,
	powerFunction,
	products,
}
