package main

import (
	"math"
	"testing"
	"unicode/utf8"
)

func TestCurveKeepsTheMean(t *testing.T) {
	var c curve
	sum := 0.0
	for i := range 10_000 {
		v := float64(i%100) / 100
		c.add(v)
		sum += v
		if len(c.points) > curvePoints || len(c.points) == 0 {
			t.Fatalf("%d points after %d values", len(c.points), i+1)
		}
		got, n := 0.0, 0
		for k, p := range c.points {
			weight := c.each
			if k == len(c.points)-1 {
				weight = c.filled
			}
			got, n = got+p*float64(weight), n+weight
		}
		if n != i+1 || math.Abs(got-sum) > 1e-6*float64(i+1) {
			t.Fatalf("after %d values the points hold %d with the sum %v, want %v", i+1, n, got, sum)
		}
	}
	if spark := c.spark(20); utf8.RuneCountInString(spark) != 20 {
		t.Errorf("drawn as %q", spark)
	}
}

func TestSpark(t *testing.T) {
	var c curve
	if c.spark(10) != "" {
		t.Errorf("nothing is drawn as %q", c.spark(10))
	}
	for _, v := range []float64{0, 0.5, 1, 2, -1} {
		c.add(v)
	}
	if got := c.spark(10); got != "▁▅██▁" {
		t.Errorf("drawn as %q", got)
	}
}
