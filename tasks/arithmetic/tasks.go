// Package arithmetic holds the tasks about expressions: sums, products, powers and their
// values.
package arithmetic

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		basicArithmetic.Task(),
		bitwiseArithmetic.Task(),
		chainSum.Task(),
		decimalArithmetic.Task(),
		decimalChainSum.Task(),
		legCounting.Task(),
		powerFunction.Task(),
		products.Task(),
	}
}
