// Package arithmetic holds the tasks about reckoning with numbers.
package arithmetic

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	basicArithmetic,
	bitwiseArithmetic,
	calendarArithmetic,
	chainSum,
	countBits,
	decimalArithmetic,
	decimalChainSum,
	dice,
	fractionSimplification,
	gcd,
	lcm,
	legCounting,
	numberFormat,
	powerFunction,
	primeFactorization,
	products,
	timeIntervals,
}
