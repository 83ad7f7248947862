package task

import "fmt"

// CheckWeights refuses weights unless they are n shares of one, for the n choices. choices
// names the setting that lists them; the setting of the weights appends "_weights".
func CheckWeights(choices string, n int, weights []float64) error {
	if n == 0 {
		return fmt.Errorf("%s is empty", choices)
	}
	if len(weights) != n {
		return fmt.Errorf("%s_weights has %d numbers, want one for each of the %d %s", choices, len(weights), n, choices)
	}
	sum := 0.
	for _, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("%s_weights has %v, want 0 or more", choices, w)
		}
		sum += w
	}
	if sum < 0.999 || sum > 1.001 {
		return fmt.Errorf("%s_weights add up to %v, want 1", choices, sum)
	}
	return nil
}

// Weighted maps x, from 0 to 1, to the index of the weight into whose share of 1 it falls.
func Weighted(weights []float64, x float64) int {
	last := 0
	for i, w := range weights {
		if w > 0 {
			last = i
			if x < w {
				return i
			}
		}
		x -= w
	}
	return last
}
