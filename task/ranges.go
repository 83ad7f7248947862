package task

import "fmt"

// CheckRange refuses settings min_NAME (low) and max_NAME (high) unless they are a range of
// whole numbers within bounds, both ends included.
func CheckRange(name string, low, high int, bounds [2]int) error {
	switch {
	case low < bounds[0] || low > bounds[1]:
		return fmt.Errorf("min_%s is %d, want %d to %d", name, low, bounds[0], bounds[1])
	case high < low || high > bounds[1]:
		return fmt.Errorf("max_%s is %d, want min_%s (%d) to %d", name, high, name, low, bounds[1])
	}
	return nil
}
