package jsonform

import (
	"bytes"
	"math/bits"
)

// Searches read eight bytes of a text at a time, as one number. A search sets the high
// bit of every matching byte, and of no other byte below the first match. XOR turns a
// matching byte into zero; subtracting 1 borrows from the high bit of a byte only if the
// byte is zero.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// load returns the eight bytes of text from i on, the first lowest.
func load[T string | []byte](text T, i int) uint64 {
	_ = text[i+7]
	return uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
		uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56
}

// escaped finds the bytes that AppendText may have to escape: controls, quotes,
// backslashes, HTML characters, and bytes beyond ASCII.
func escaped(w uint64) uint64 {
	quote := (w | 4*ones) ^ '&'*ones // and &
	angle := (w | 2*ones) ^ '>'*ones // and <
	backslash := w ^ '\\'*ones
	return (w | (w - ' '*ones) | (quote - ones) | (angle - ones) | (backslash - ones)) & tops
}

// ending finds the bytes that end the plain part of a string: controls, quotes and
// backslashes.
func ending(w uint64) uint64 {
	return ((w - ' '*ones) | (w ^ '"'*ones - ones) | (w ^ '\\'*ones - ones)) &^ w & tops
}

// webSigns finds the HTML characters: <, > and &.
func webSigns(w uint64) uint64 {
	return (((w | 2*ones) ^ '>'*ones - ones) | (w ^ '&'*ones - ones)) &^ w & tops
}

// The bytes without a match in the searches above.
var (
	plainWritten = table(escaped)
	plainRead    = table(ending)
	plainWeb     = table(webSigns)
)

// table lists the bytes without a match in a search.
func table(search func(w uint64) uint64) (plain [256]bool) {
	for c := range plain {
		plain[c] = search(uint64(c)|(ones-1)*'x') == 0
	}
	return plain
}

// plainUntil returns the length of text up to the first control, quote or backslash.
func plainUntil(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if found := ending(load(text, i)); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && plainRead[text[i]] {
		i++
	}
	return i
}

// hasWebSigns reports whether text contains characters that encoding/json escapes for
// HTML or JavaScript.
func hasWebSigns(text []byte) bool {
	if bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029")) {
		return true
	}
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if webSigns(load(text, i)) != 0 {
			return true
		}
	}
	for ; i < len(text); i++ {
		if !plainWeb[text[i]] {
			return true
		}
	}
	return false
}
