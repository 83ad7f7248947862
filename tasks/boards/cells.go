package boards

// digit reads a digit from 1 to 9; -1 for an invalid text.
func digit(text string) int {
	if len(text) == 1 && text[0] >= '1' && text[0] <= '9' {
		return int(text[0] - '0')
	}
	return -1
}
