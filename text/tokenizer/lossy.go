package tokenizer

import "unicode/utf8"

// lossy converts bytes to text. Each longest truncated start of a character becomes one
// replacement character, as Unicode recommends and Rust does; Go would write one per byte.
func lossy(bytes []byte) string {
	if utf8.Valid(bytes) {
		return string(bytes)
	}
	text := make([]byte, 0, len(bytes)+8)
	for len(bytes) > 0 {
		r, width := utf8.DecodeRune(bytes)
		if r == utf8.RuneError && width == 1 {
			width = startLength(bytes)
		}
		text = utf8.AppendRune(text, r)
		bytes = bytes[width:]
	}
	return string(text)
}

// startLength returns how many bytes begin a character without completing it; at least 1.
func startLength(bytes []byte) int {
	n := 1
	for n < len(bytes) && n < utf8.UTFMax && couldGoOn(bytes[:n+1]) {
		n++
	}
	return n
}

// unfinished returns how many bytes at the end further bytes could complete to a character.
func unfinished(bytes []byte) int {
	for n := min(utf8.UTFMax-1, len(bytes)); n > 0; n-- {
		if couldGoOn(bytes[len(bytes)-n:]) {
			return n
		}
	}
	return 0
}

// couldGoOn reports whether bytes begin a character and do not complete it.
func couldGoOn(bytes []byte) bool { return !utf8.FullRune(bytes) }
