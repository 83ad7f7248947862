package unicode15_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
	"unicode"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// The checksums are those of package unicode in Go 1.26.
func TestCharactersAreTheSameWithEveryToolchain(t *testing.T) {
	is := func(has func(r rune) bool) func(r rune) rune {
		return func(r rune) rune {
			if has(r) {
				return r
			}
			return -1
		}
	}
	table := func(table *unicode.RangeTable) func(r rune) rune {
		return is(func(r rune) bool {
			if unicode15.In(r, unicode.Zs, table) != (unicode15.Is(table, r) || unicode15.Is(unicode.Zs, r)) {
				t.Errorf("%U is in one of two tables, and not", r)
			}
			return unicode15.Is(table, r)
		})
	}
	for _, c := range []struct {
		name string
		of   func(r rune) rune
		want uint32
	}{
		{"IsLetter", is(unicode15.IsLetter), 0x78b4f8f1},
		{"IsNumber", is(unicode15.IsNumber), 0x197b69bd},
		{"IsDigit", is(unicode15.IsDigit), 0x72bb402d},
		{"IsUpper", is(unicode15.IsUpper), 0x3d4068a4},
		{"IsLower", is(unicode15.IsLower), 0x490a8760},
		{"IsTitle", is(unicode15.IsTitle), 0xbe342617},
		{"IsPrint", is(unicode15.IsPrint), 0x8c963ff7},
		{"IsGraphic", is(unicode15.IsGraphic), 0xc9cde204},
		{"Digit", func(r rune) rune { return rune(unicode15.Digit(r)) }, 0xf0d81c7a},
		{"ToUpper", unicode15.ToUpper, 0x122708ab},
		{"ToLower", unicode15.ToLower, 0xd9df7749},
		{"ToTitle", unicode15.ToTitle, 0xa0e1faaf},
		{"SimpleFold", unicode15.SimpleFold, 0xdb4780cb},
		{"L", table(unicode.L), 0x78b4f8f1},
		{"Ll", table(unicode.Ll), 0x490a8760},
		{"Lm", table(unicode.Lm), 0x7cdd2a6e},
		{"Lo", table(unicode.Lo), 0xce171b4c},
		{"M", table(unicode.M), 0xd6b79a0c},
		{"Mn", table(unicode.Mn), 0xc130b96b},
		{"Mc", table(unicode.Mc), 0x199129ad},
		{"Nd", table(unicode.Nd), 0x72bb402d},
		{"No", table(unicode.No), 0x5e03989},
		{"P", table(unicode.P), 0x18a3a9d2},
		{"Sk", table(unicode.Sk), 0x9c097f8d},
		{"Cf", table(unicode.Cf), 0xbbd13a12},
		{"Han", table(unicode.Han), 0x4ead1340},
		{"Hangul", table(unicode.Hangul), 0xf6fe0e88},
		{"Latin", table(unicode.Latin), 0x92d70d9},
		{"Greek", table(unicode.Greek), 0x264ec3e9},
		{"Arabic", table(unicode.Arabic), 0x7e1af3ec},
		{"Other_Default_Ignorable_Code_Point", table(unicode.Other_Default_Ignorable_Code_Point), 0xae0a2cd0},
		{"Newer", is(unicode15.Newer), 0x2ae82494},
	} {
		var all []byte
		for r := range rune(0x34000) { // above it are tags and private characters
			all = binary.LittleEndian.AppendUint32(all, uint32(c.of(r)))
		}
		if got := crc32.ChecksumIEEE(all); got != c.want {
			t.Errorf("%s: the checksum of all characters is %#x, want %#x", c.name, got, c.want)
		}
	}
}

func TestEqualFold(t *testing.T) {
	for _, test := range []struct {
		s, t string
		want bool
	}{
		{"", "", true}, {"Straße", "STRAßE", true}, {"k", "\u212a", true}, {"a", "ab", false}, {"é", "É", true}, {"\xff", "\xff", true},
		{"aɤ", "a\ua7cb", false}, {"\ua7cb", "\ua7cb", true}, {"\u0390", "\u1fd3", false}, {"ﬅ", "ﬆ", false}, {"\U00016ea0", "\U00016ebb", false},
	} {
		if got := unicode15.EqualFold(test.s, test.t); got != test.want {
			t.Errorf("%q and %q: %v", test.s, test.t, got)
		}
		if got := unicode15.EqualFold(test.t, test.s); got != test.want {
			t.Errorf("%q and %q: %v", test.t, test.s, got)
		}
	}
}
