// Package numbers holds the tasks about whole numbers, and lists of numbers and their notations.
package numbers

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		baseConversion.Task(),
		countBits.Task(),
		countPrimes.Task(),
		fractionSimplification.Task(),
		gcd.Task(),
		lcm.Task(),
		numberFiltering.Task(),
		numberFormat.Task(),
		numberSorting.Task(),
		primeFactorization.Task(),
	}
}
