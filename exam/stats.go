package exam

import (
	"math"
	"slices"

	"github.com/quintain-rl/quintain/rng"
)

// An Interval is a confidence interval of 95 %.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// resamples is the number of samples of a bootstrap.
const resamples = 2000

// Mean returns the mean of the means of rows, and its interval by the percentile
// bootstrap within rows (Efron, 1979). If each value is the mean of several episodes of
// one problem, this is the cluster bootstrap over problems. The same values always give
// the same interval. It panics without rows, and for a row without values.
func Mean(rows ...[]float64) (mean float64, within Interval) {
	sorted := make([][]float64, len(rows))
	for i, row := range rows {
		sorted[i] = slices.Sorted(slices.Values(row)) // the sum does not depend on the order
		mean += sum(sorted[i]) / float64(len(row)*len(rows))
	}
	r := rng.New(Seed, "bootstrap")
	means := make([]float64, resamples)
	for i := range means {
		for _, row := range sorted {
			total := 0.0
			for range row {
				total += rng.Pick(r, row)
			}
			means[i] += total / float64(len(row)*len(rows))
		}
	}
	slices.Sort(means)
	return mean, Interval{quantile(means, 0.025), quantile(means, 0.975)}
}

// quantile returns a quantile of sorted values, interpolated linearly.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// PassAt estimates how likely at least one of k samples is right, if c of n samples
// are: the unbiased estimator 1 - C(n-c, k) / C(n, k) of Chen et al.
// (Evaluating Large Language Models Trained on Code, 2021). K is 1 to n.
func PassAt(k, n, c int) float64 {
	if n-c < k {
		return 1
	}
	miss := 1.0
	for i := n - c + 1; i <= n; i++ {
		miss *= 1 - float64(k)/float64(i)
	}
	return 1 - miss
}

// Majority returns the index of the most frequent answer; of several, the first. Empty
// answers do not count. -1: there is no other.
func Majority(answers []string) int {
	votes := map[string]int{}
	for _, a := range answers {
		if a != "" {
			votes[a]++
		}
	}
	best := -1
	for i, a := range answers {
		if a != "" && (best < 0 || votes[a] > votes[answers[best]]) {
			best = i
		}
	}
	return best
}

// mcNemar returns the probability that b + c differing pairs are by chance split at least
// as unevenly as b to c: the exact test of McNemar (1947), two-sided.
func mcNemar(b, c int) float64 {
	n := b + c
	if n == 0 {
		return 1
	}
	tail := 0.0
	for i := range min(b, c) + 1 {
		tail += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

// logChoose returns the natural logarithm of the binomial coefficient n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
