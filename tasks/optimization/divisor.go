package optimization

// divisor returns the greatest number that divides a and b, neither negative; 0 if both are 0.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
