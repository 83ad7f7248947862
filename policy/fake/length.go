package fake

import (
	"fmt"
	"math"
)

// lengths is a distribution of reply lengths, the ending token included. It returns the
// probability that a reply ends with token n, from 1 on, given that it did not end before.
type lengths func(n int) float64

// parseLengths reads a distribution, such as "uniform:8-64".
func parseLengths(text string) (lengths, error) {
	var low, high int
	var median, sigma float64
	var rest string
	if n, _ := fmt.Sscanf(text+" .", "fixed:%d %s", &low, &rest); n == 2 && low >= 1 {
		return uniform(low, low), nil
	}
	if n, _ := fmt.Sscanf(text+" .", "uniform:%d-%d %s", &low, &high, &rest); n == 3 && low >= 1 && high >= low {
		return uniform(low, high), nil
	}
	if n, _ := fmt.Sscanf(text+" .", "lognormal:%g,%g %s", &median, &sigma, &rest); n == 3 && median >= 1 && sigma > 0 {
		return lognormal(median, sigma), nil
	}
	return nil, fmt.Errorf("length: is %q, want fixed:N, uniform:A-B or lognormal:MEDIAN,SIGMA", text)
}

func uniform(low, high int) lengths {
	return func(n int) float64 {
		if n < low {
			return 0
		}
		return 1 / float64(max(1, high-n+1))
	}
}

func lognormal(median, sigma float64) lengths {
	longer := func(n int) float64 { // probability of more than n tokens
		return math.Erfc((math.Log(float64(n))-math.Log(median))/(sigma*math.Sqrt2)) / 2
	}
	ends := func(n int) float64 {
		if before := longer(n - 1); before > 1e-12 {
			return 1 - longer(n)/before
		}
		return 1
	}
	var usual [1024]float64 // of the first tokens, the most frequent queries
	for n := range usual {
		usual[n] = ends(n)
	}
	return func(n int) float64 {
		if n >= 0 && n < len(usual) {
			return usual[n]
		}
		return ends(n)
	}
}
