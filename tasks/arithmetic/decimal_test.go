package arithmetic

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// The values come from Python's decimal module.
func TestEvaluatorInDecimals(t *testing.T) {
	for _, test := range []struct {
		text      string
		precision int
		want      string
	}{
		{"6.086-1.948", 12, "4.138"},
		{"1.189*(1.376+0.957)*6.306*4.202/1.486", 12, "49.4638365584"},
		{"(6.418+8.257/(3.762*8.423))", 12, "6.67857736775"},
		{"7.1334-9.895/7.6134", 6, "5.83372"},
		{"(4.97*0.01-7.6872)/4.8911*(2.80/7.48)", 6, "-0.584523"},
		{"1/3", 5, "0.33333"},
		{"2/3", 5, "0.66667"},
		{"-2/3", 5, "-0.66667"},
		{"1/8", 2, "0.12"},
		{"3/8", 2, "0.38"},
		{"9.99*1.001", 3, "10"},
		{"1/1024", 3, "0.000977"},
		{"123456*1000", 3, "123000000"},
		{"0.5-0.50", 3, "0"},
		{"125*1", 2, "120"},
		{"135*1", 2, "140"},
		{"100.5/100.5", 4, "1"},
		{"1000/8", 2, "120"},
		{"1000.001/8", 2, "130"},
		{"--1.5", 4, "1.5"},
	} {
		if got, ok := evaluated(decimals(fourOperators, test.precision), test.text); !ok || got.String() != test.want {
			t.Errorf("%s to %d digits is %v, %v; want %s", test.text, test.precision, got, ok, test.want)
		}
	}
	for _, text := range []string{"", "1/0", "1/(2-2.0)", ".", "1.2.3", "1 << 2", "1e5", "0x1"} {
		if got, ok := evaluated(decimals(fourOperators, 9), text); ok {
			t.Errorf("%s is %v", text, got)
		}
	}
}

// Large numbers and machine integers give the same results.
func TestDecimalsOfBothSizesAgree(t *testing.T) {
	t.Parallel()
	large := func(text string) (decimal, int, error) {
		d, size := readDecimal(text)
		d.n = whole{large: d.n.big()}
		return d, size, nil
	}
	p := decimalArithmetic.Default
	p.MaxNumDecimalPlaces, p.MaxTerms, p.Precision = 12, 9, 14
	r := rng.New(5, "sizes")
	for range 5_000 {
		item, err := makeDecimalArithmetic(p, r)
		if err != nil {
			t.Fatal(err)
		}
		precision := r.Between(1, 40)
		other := decimals(fourOperators, precision)
		other.Operand = large
		got, ok := evaluated(decimals(fourOperators, precision), item.Expression)
		want, able := evaluated(other, item.Expression)
		if ok != able || ok && got.String() != want.String() {
			t.Fatalf("%s to %d digits is %s, %t; want %s, %t", item.Expression, precision, got, ok, want, able)
		}
	}
}

func TestNear(t *testing.T) {
	for _, test := range []struct {
		of, got string
		places  int
		near    bool
	}{
		{"4.138", "4.138", 3, true},
		{"4.138", "4.1385", 3, true},
		{"4.138", "4.1375", 3, true},
		{"4.138", "4.1385001", 3, false},
		{"4.138", "4.13749", 3, false},
		{"4.138", "4", 3, false},
		{"4.138", "4", 0, true},
		{"4.138", "5", 0, false},
		{"4.138", "-4.138", 3, false},
		{"0", "0.0005", 3, true},
		{"0", "-0.00051", 3, false},
		{"0.0005", "0", 3, true},
		{"0.0005", "1e-999999999999", 3, true},
		{"0.0005", "1e999999999999", 3, false},
		{"999.9996", "1e3", 3, true},
		{"4.138", "4.138" + strings.Repeat("4", 1000), 3, true},
		{"4.138", "4.1385" + strings.Repeat("9", 1000), 3, false},
		{"4.138", strings.Repeat("4", 1000), 3, false},
		{"123000000", "123000000.5", 0, true},
	} {
		of, size := readDecimal(test.of)
		got, ok := answer.ReadDecimal(test.got)
		if size != len(test.of) || !ok || of.near(got, test.places) != test.near {
			t.Errorf("%s and %.40s to %d places: want %v", test.of, test.got, test.places, test.near)
		}
	}
}
