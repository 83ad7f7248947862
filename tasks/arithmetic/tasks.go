// Package arithmetic holds the tasks about expressions (sums, products, powers and their
// values, also as stories and with an expression as the answer) and about dates and times.
package arithmetic

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		basicArithmetic.Task(),
		bitwiseArithmetic.Task(),
		calendarArithmetic.Task(),
		chainSum.Task(),
		decimalArithmetic.Task(),
		decimalChainSum.Task(),
		gsmSymbolic.Task(),
		intermediateIntegration.Task(),
		legCounting.Task(),
		polynomialMultiplication.Task(),
		powerFunction.Task(),
		products.Task(),
		simpleIntegration.Task(),
		timeIntervals.Task(),
	}
}
