package trace

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestColumnsComeBack(t *testing.T) {
	number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 300), rapid.Just[int64](math.MinInt64), rapid.Just[int64](math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(number).Draw(t, "values")
		text := appendColumn(nil, values)
		c, rest, err := readColumn(append(text, "rest"...), len(values))
		if err != nil || string(rest) != "rest" {
			t.Fatalf("left %q, error %v", rest, err)
		}
		for i, want := range values {
			if got := c.at(i); got != want {
				t.Fatalf("number %d is %d, want %d", i, got, want)
			}
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		if _, _, err := readColumn(text[:cut], len(values)); err == nil {
			t.Fatalf("a column of %d bytes, cut at %d: taken", len(text), cut)
		}
	})
}

func TestColumnsOfNoWidthAreRefused(t *testing.T) {
	for _, width := range []byte{0, 9, 255} {
		if _, _, err := readColumn(append(make([]byte, 8), width, 1, 2, 3, 4, 5, 6, 7, 8, 9), 1); err == nil {
			t.Errorf("a width of %d: taken", width)
		}
	}
}

func TestColumnsTakeNoMoreThanTheyNeed(t *testing.T) {
	for _, test := range []struct {
		values []int64
		width  int
	}{
		{nil, 1},
		{[]int64{5}, 1},
		{[]int64{math.MaxInt64 - 255, math.MaxInt64}, 1},
		{[]int64{0, 256}, 2},
		{[]int64{-1, 1 << 31}, 4},
		{[]int64{math.MinInt64, math.MaxInt64}, 8},
	} {
		if got, want := len(appendColumn(nil, test.values)), columnHead+test.width*len(test.values); got != want {
			t.Errorf("%v take %d bytes, want %d", test.values, got, want)
		}
	}
}
