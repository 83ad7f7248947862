// Package numbers holds the tasks about whole numbers, and lists of numbers and their notations.
package numbers

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	baseConversion,
	countBits,
	countPrimes,
	fractionSimplification,
	gcd,
	lcm,
	numberFiltering,
	numberFormat,
	numberSorting,
	primeFactorization,
}
