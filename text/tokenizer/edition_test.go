package tokenizer

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The program reads every character the same, whichever edition of Unicode its toolchain has.
func TestCharactersAreTheSameWithEveryToolchain(t *testing.T) {
	is := func(has func(r rune) bool) func([]byte, rune) []byte {
		return func(dst []byte, r rune) []byte {
			if has(r) {
				return binary.LittleEndian.AppendUint32(dst, uint32(r))
			}
			return dst
		}
	}
	form := func(f norm.Form) func([]byte, rune) []byte {
		return func(dst []byte, r rune) []byte {
			x, err := normalForm(f).normalize(piece{text: "a\u0323" + string(r) + "\u0301\u0323"})
			if err != nil {
				t.Fatal(err)
			}
			return append(dst, x.text...)
		}
	}
	category := func(name string) func([]byte, rune) []byte {
		set, _ := categoryRunes(name)
		return is(set.Has)
	}
	for _, c := range []struct {
		name   string
		append func([]byte, rune) []byte
		want   uint32
	}{
		{"number", is(isNumber), 0x67bb84e3},
		{"punctuation", is(isPunctuation), 0xa38f38e1},
		{"mark", is(isMark8), 0xa326606d},
		{"accent", is(isAccent), 0xca6fe5aa},
		{"control", is(isControl), 0xbc04cd30},
		{"lower", appendLower, 0x754203e2},
		{"breaks", is(breaks), 0xb04eb220},
		{"joins previous", is(joinsPrevious), 0x4903c9fc},
		{"joins next", is(joinsNext), 0x609d2dc2},
		{"space", is(unicode.IsSpace), 0xd19c46d5},
		{"word", is(wordRunes().Has), 0x70ff27ad},
		{"Ll", category("Ll"), 0x7453f1a7},
		{"Lo", category("Lo"), 0x948dcc63},
		{"M", category("M"), 0xcff23e82},
		{"So", category("So"), 0x62b9c752},
		{"Han", category("Han"), 0xe9d785eb},
		{"NFC", form(norm.NFC), 0x523a639},
		{"NFD", form(norm.NFD), 0xc253f087},
		{"NFKC", form(norm.NFKC), 0xbc9b1df0},
		{"NFKD", form(norm.NFKD), 0x97ed1df0},
	} {
		var all []byte
		for r := range rune(0x34000) { // above it are tags and private characters
			if utf8.ValidRune(r) {
				all = c.append(all, r)
			}
		}
		if got := crc32.ChecksumIEEE(all); got != c.want {
			t.Errorf("%s: the checksum of all characters is %#x, want %#x", c.name, got, c.want)
		}
	}
}
