package words

import "slices"

// shape renames the bytes of a text in the order in which they first occur.
func shape(text string) string {
	var names [256]byte
	known := byte(0)
	b := []byte(text)
	for i, c := range b {
		if names[c] == 0 {
			known++
			names[c] = 'a' - 1 + known
		}
		b[i] = names[c]
	}
	return string(b)
}

// backward returns the bytes of a text from the last to the first.
func backward(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}
