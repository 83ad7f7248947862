package codegrade

import (
	"math/big"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		why              string
		how              Compare
		expected, output string
		want             bool
	}{
		{"the same bytes", Exact, "1\n", "1\n", true},
		{"a newline less", Exact, "1\n", "1", false},

		{"newlines at the end do not count", Trim, "1\n", "1\n\n", true},
		{"other space does", Trim, "1", "1 ", false},
		{"newlines within do", Trim, "1\n2", "1\n\n2", false},
		{"those at the beginning do", Trim, "1", "\n1", false},

		{"space at the ends of lines", Lines, "1 2 \n3\n", "\n1 2\n 3", true},
		{"space within a line", Lines, "1 2", "1  2", false},
		{"an empty line within", Lines, "1\n2", "1\n\n2", false},
		{"a line less", Lines, "1\n2", "1", false},
		{"a line more", Lines, "1", "1\n2", false},
		{"upper case", Lines, "Yes", "YES", true},
		{"upper case beyond ASCII", Lines, "straße ä", "Straße Ä", true},
		{"Windows' line ends", Lines, "1\r\n2\r\n", "1\n2\n", true},
		{"a near fraction", Lines, "0.333333", "0.3333333333", true},
		{"a far fraction", Lines, "0.333333", "0.3334", false},
		{"a whole number is exact", Lines, "1000000007", "1000000008", false},
		{"also as a fraction", Lines, "1000000007", "1000000008.0", false},
		{"also as a huge one", Lines, "9007199254740993", "9007199254740992.0", false},
		{"a whole number off by rounding", Lines, "3", "2.9999999", true},
		{"a whole number written as a fraction", Lines, "3", "3.0", true},
		{"a whole number for a fraction", Lines, "3.0", "3", true},
		{"zeros before a whole number", Lines, "7", "007", true},
		{"nothing is near zero", Lines, "0", "0.000000001", false},
		{"exponents", Lines, "1e-3", "0.001", true},
		{"not a number equals none", Lines, "nan", "1", false},
		{"it equals itself as a text", Lines, "nan", "NaN", true},
		{"infinity is no number", Lines, "inf", "1e999", false},
		{"two infinities", Lines, "1e998", "1e999", false},
		{"several numbers in a line are a text", Lines, "0.5 1", "0.50 1", false},
		{"half UTF-8", Lines, "a", "a\xff", false},
		{"NUL", Lines, "1", "1\x00", false},
		{"nothing equals nothing", Lines, "", " \n", true},
		{"nothing is not something", Lines, "", "0", false},
		{"something is not nothing", Lines, "0", "", false},
		{"empty stands for lines", "", "Yes", "yes", true},

		{"words over lines", Tokens, "1 2\n3", " 1\n2\t3 ", true},
		{"the case of words", Tokens, "Yes", "yes", false},
		{"a word more", Tokens, "1 2", "1 2 3", false},
		{"a word less", Tokens, "1 2 3", "1 2", false},
		{"words glued", Tokens, "1 2", "12", false},
		{"numbers are words", Tokens, "1.0", "1", false},

		{"words of a line as numbers", LCB, "1.0 2", "1  2.00", true},
		{"exactly", LCB, "0.3333333", "0.33333333", false},
		{"huge numbers exactly", LCB, "123456789012345678901234567890", "123456789012345678901234567891", false},
		{"exponents as numbers", LCB, "1e3 .5 5. -0", "1000 0.5 +5 0", true},
		{"signs", LCB, "-5", "5", false},
		{"two signs are no number", LCB, "-5", "+-5", false},
		{"space within a line of words", LCB, "a b", "a  b", false},
		{"the same words", LCB, "a b", "a b", true},
		{"a word beside a number", LCB, "a 1", "a 1.0", false},
		{"a word more than numbers", LCB, "1", "1 1", false},
		{"the case of words in LCB", LCB, "YES", "Yes", false},
		{"a fraction of nothing", LCB, "0", ".", false},
		{"an endless exponent", LCB, "1", "1e99999999999999999999", false},
	} {
		if got := c.how.Same(c.expected, c.output); got != c.want {
			t.Errorf("%s: %s of %q and %q is %v", c.why, c.how, c.expected, c.output, got)
		}
	}
}

// FuzzCompare holds the ways to compare to each other, and decimals to those of math/big.
func FuzzCompare(f *testing.F) {
	for _, one := range []string{"1", "-0.5e3", "1 2\n3", "Yes", "\xff", "00.100", "1e-7"} {
		f.Add(one, one+"\n")
		f.Add(one, "0"+one)
	}
	f.Fuzz(func(t *testing.T, expected, output string) {
		weaker := map[Compare][]Compare{Exact: {Trim, Lines, Tokens, LCB}, Trim: {Lines, Tokens, LCB}}
		for strong, all := range weaker {
			for _, weak := range all {
				if strong.Same(expected, output) && !weak.Same(expected, output) {
					t.Errorf("%q and %q are the same by %s, and not by %s", expected, output, strong, weak)
				}
			}
		}
		for _, how := range []Compare{Exact, Trim, Tokens, LCB} {
			if how.Same(expected, output) != how.Same(output, expected) {
				t.Errorf("%s of %q and %q depends on the order", how, expected, output)
			}
		}
		if len(expected)+len(output) < 100 && !strings.ContainsAny(expected+output, "eEpPxXbBoO_/iInN") {
			a, isA := new(big.Rat).SetString(expected)
			b, isB := new(big.Rat).SetString(output)
			if want := isA && isB && a.Cmp(b) == 0; sameDecimal(expected, output) != want {
				t.Errorf("%q and %q are the same decimals: %v, want %v", expected, output, !want, want)
			}
		}
	})
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		why       string
		want, got string // JSON, and the form of driver.py
		equal     bool
	}{
		{"whole numbers", `12345678901234567890123`, `12345678901234567890123`, true},
		{"exactly", `12345678901234567890123`, `12345678901234567890124`, false},
		{"a text is no number", `1`, `"1"`, false},
		{"a float that is whole", `2`, `{"float":"2.0"}`, true},
		{"a float beside a whole number", `1000000007`, `{"float":"1000000007.5"}`, false},
		{"a float that cannot hold it", `9007199254740993`, `{"float":"9007199254740992.0"}`, false},
		{"a near float", `0.3333333`, `{"float":"0.33333333333"}`, true},
		{"a far float", `0.33333`, `{"float":"0.33334"}`, false},
		{"a whole number for a float", `2.0`, `2`, true},
		{"infinity", `1e308`, `{"float":"inf"}`, false},
		{"not a number", `1`, `{"float":"nan"}`, false},
		{"not a number for a float", `1.5`, `{"float":"nan"}`, false},
		{"True is 1", `1`, `true`, true},
		{"1 is True", `true`, `1`, true},
		{"2 is not True", `true`, `2`, false},
		{"None is not False", `false`, `null`, false},
		{"None", `null`, `null`, true},
		{"None is not expected", `0`, `null`, false},
		{"lists", `[1,[2]]`, `[1,[2]]`, true},
		{"the order of lists", `[1,2]`, `[2,1]`, false},
		{"a shorter list", `[1,2]`, `[1]`, false},
		{"a tuple", `[1,"a"]`, `{"tuple":[1,"a"]}`, true},
		{"a set", `[3,1,20]`, `{"set":[1,20,3]}`, true},
		{"a smaller set", `[3,1,1]`, `{"set":[1,3]}`, false},
		{"dictionaries", `{"a":1,"b":[2]}`, `{"dict":[["b",[2]],["a",1]]}`, true},
		{"whole numbers as keys", `{"1":2}`, `{"dict":[[1,2]]}`, true},
		{"two keys that are one", `{"1":2}`, `{"dict":[[1,2],["1",2]]}`, false},
		{"a key more", `{"a":1}`, `{"dict":[["a",1],["b",1]]}`, false},
		{"another key", `{"a":null}`, `{"dict":[["b",null]]}`, false},
		{"an object is not in the form", `{"a":1}`, `{"a":1}`, false},
		{"bytes are no text", `"a"`, `{"bytes":"a"}`, false},
		{"a complex number", `"(1+2j)"`, `{"complex":"(1+2j)"}`, true},
		{"an imaginary one, nearly", `"-2j"`, `{"complex":"(1e-12-2j)"}`, true},
		{"another complex number", `"(1+2j)"`, `{"complex":"(1-2j)"}`, false},
		{"a complex number that is real", `3`, `{"complex":"(3-0j)"}`, true},
		{"a complex number for a real one", `3`, `{"complex":"(3+1j)"}`, false},
		{"a complex number in a list", `["(1-0.5j)",1]`, `{"tuple":[{"complex":"(1-0.5j)"},1]}`, true},
		{"a text that is not complex", `"j"`, `{"complex":"1j"}`, false},
		{"a text for a complex number", `"(1+2j)"`, `"(1+2j)"`, true},
		{"half a complex number", `1`, `{"complex":"(1+j)"}`, false},
		{"a complex number of numbers", `1`, `{"complex":[1.0,0.0]}`, false},
		{"infinity, complex", `"(1+2j)"`, `{"complex":"(inf+2j)"}`, false},
		{"two types", `[]`, `{"tuple":[],"set":[]}`, false},
		{"no type", `{}`, `{}`, false},
		{"no JSON", `1`, `1 1`, false},
		{"no form", `"x"`, `{"none":"x"}`, false},
		{"half a surrogate pair", `"x"`, `"\ud800"`, false},
		{"deep", `1`, strings.Repeat("[", 100000), false},
	} {
		want, err := decode([]byte(c.want))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		got, err := resultOf([]byte(c.got))
		if equal := err == nil && equal(want, got); equal != c.equal {
			t.Errorf("%s: %s and %s: %v, error %v", c.why, c.want, c.got, equal, err)
		}
	}
}

// FuzzResult reads what programs may write in place of the caller.
func FuzzResult(f *testing.F) {
	for _, one := range []string{`1`, `{"dict":[[1,{"set":[1]}]]}`, `{"float":"1e5"}`, `[{"tuple":[null]}]`} {
		f.Add(one)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := resultOf([]byte(text)); err == nil && equal("another text", got) && text != `"another text"` {
			t.Errorf("%q equals any text", text)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	text := strings.Repeat("12 3.5 abc\n", 95_000)
	for _, how := range []Compare{Exact, Lines, Tokens, LCB} {
		b.Run(string(how), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !how.Same(text, text+" ") && how != Exact {
					b.Fatal("they differ")
				}
			}
		})
	}
}
