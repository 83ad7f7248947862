package stats_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/task/rng"
)

// Five policies answered the same problem eight times.
func Example() {
	answers := []string{"12", "12", "15", "12", "15", "", "9", "12"}
	right := []bool{true, true, false, true, false, false, false, true}
	fmt.Printf("pass@1 %.3f, pass@4 %.3f\n", stats.PassAt(1, 8, 4), stats.PassAt(4, 8, 4))
	fmt.Printf("majority@4 %.3f, majority@8 %.3f\n", stats.MajorityAt(4, answers, right), stats.MajorityAt(8, answers, right))
	fmt.Printf("9 better and 2 worse: p = %.4f\n", stats.McNemar(9, 2))
	// Output:
	// pass@1 0.500, pass@4 0.986
	// majority@4 0.752, majority@8 1.000
	// 9 better and 2 worse: p = 0.0654
}

// near reports whether two numbers are equal up to rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestPassAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		k, n, c int
		want    float64
	}{
		{"pass@1 is the share", 1, 10, 3, 0.3},
		{"one right, and all are taken", 10, 10, 1, 1},
		{"none right", 10, 10, 0, 0},
		{"half the pairs", 2, 4, 1, 0.5},
		{"fewer wrong ones than are taken", 3, 5, 3, 1},
		{"numbers with overflowing binomials", 1000, 4000, 1, 0.25},
	} {
		if got := stats.PassAt(test.k, test.n, test.c); !near(got, test.want) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

func TestMajorityAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		k       int
		answers []string
		right   []bool
		want    float64
	}{
		{"no answers", 2, []string{"", ""}, []bool{false, false}, 0},
		{"the most frequent", 3, []string{"a", "b", "b"}, []bool{false, true, true}, 1},
		{"two equally frequent count alike, whichever is first", 4, []string{"a", "b", "b", "a"}, []bool{false, true, true, false}, 0.5},
		{"empty answers have no vote", 3, []string{"", "", "a"}, []bool{false, false, true}, 1},
		{"one vote is pass@1", 1, []string{"a", "b", "b", ""}, []bool{true, false, false, false}, 0.25},
		{"two of three: ab, ab, bb", 2, []string{"a", "b", "b"}, []bool{true, false, false}, 1. / 3},
		{"two right answers in different words", 3, []string{"1/2", "0.5", "2"}, []bool{true, true, false}, 2. / 3},
		{"the share of a sometimes right answer", 2, []string{"a", "a"}, []bool{true, false}, 0.5},
	} {
		if got := stats.MajorityAt(test.k, test.answers, test.right); !near(got, test.want) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

// TestMajorityAtIsTheMeanOfAllChoices compares it with the vote of each choice.
func TestMajorityAtIsTheMeanOfAllChoices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		answers := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"}), 1, 9).Draw(t, "answers")
		right := make([]bool, len(answers))
		for i, answer := range answers {
			right[i] = answer == "a" || answer == "d"
		}
		k := rapid.IntRange(1, len(answers)).Draw(t, "k")
		total, choices := 0.0, 0
		for chosen := range 1 << len(answers) {
			if v, ok := vote(answers, right, chosen, k); ok {
				total += v
				choices++
			}
		}
		if got, want := stats.MajorityAt(k, answers, right), total/float64(choices); !near(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// vote returns the result of the samples with a bit in chosen, if there are k of them.
func vote(answers []string, right []bool, chosen, k int) (v float64, ok bool) {
	votes, correct := map[string]int{}, map[string]bool{}
	most, n := 0, 0
	for i, answer := range answers {
		if chosen>>i&1 == 0 {
			continue
		}
		if n++; answer != "" {
			votes[answer]++
			correct[answer] = right[i]
			most = max(most, votes[answer])
		}
	}
	ties := 0.0
	for answer, count := range votes {
		if count < most {
			continue
		}
		if ties++; correct[answer] {
			v++
		}
	}
	return v / max(1, ties), n == k
}

func TestMcNemar(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		b, c int
		want float64
	}{
		{"no pair differs", 0, 0, 1},
		{"as many each way", 5, 5, 1},
		{"five of five", 5, 0, 0.0625},
		{"the other way round", 0, 5, 0.0625},
		{"two of ten: 2·(1+10+45)/1024", 2, 8, 112. / 1024},
	} {
		if got := stats.McNemar(test.b, test.c); !near(got, test.want) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
	if p := stats.McNemar(50_000, 50_400); p < 0.207 || p > 0.208 { // of a normal distribution: 0.2077
		t.Errorf("many pairs: %v", p)
	}
}

func picks() func(n int) int {
	r := rng.New(1, "picks")
	return func(n int) int { return r.Between(0, n-1) }
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why       string
		strata    [][]float64
		mean      float64
		low, high float64 // of the interval, within 0.03
	}{
		{"one value", [][]float64{{0.25}}, 0.25, 0.25, 0.25},
		{"equal values have no width", [][]float64{{1, 1, 1}}, 1, 1, 1},
		{"a coin, 100 times: ±1.96·0.5/10", [][]float64{coins(50, 50)}, 0.5, 0.402, 0.598},
		{"strata of different sizes have one weight", [][]float64{coins(10, 0), {0}}, 0.5, 0.5, 0.5},
		{"differences between strata alone add no width", [][]float64{{0, 0}, {1, 1}}, 0.5, 0.5, 0.5},
	} {
		mean, within := stats.Bootstrap(picks(), test.strata...)
		if !near(mean, test.mean) || math.Abs(within.Low-test.low) > 0.03 || math.Abs(within.High-test.high) > 0.03 {
			t.Errorf("%s: %v, %+v", test.why, mean, within)
		}
	}
}

func TestEstimateOfEqualValues(t *testing.T) {
	t.Parallel()
	share, differences := stats.Interval{Low: 0, High: 1}, stats.Interval{Low: -1, High: 1}
	for _, test := range []struct {
		why       string
		span      stats.Interval
		strata    [][]float64
		low, high float64
	}{
		{"7 wrong: Wilson's 0 of 7", share, [][]float64{coins(0, 7)}, 0, 0.354330},
		{"7 right: Wilson's 7 of 7", share, [][]float64{coins(7, 0)}, 0.645670, 1},
		{"one wrong: Wilson's 0 of 1", share, [][]float64{coins(0, 1)}, 0, 0.793451},
		{"0 of 100", share, [][]float64{coins(0, 100)}, 0, 0.036994},
		{"equal shares, in between", share, [][]float64{{0.25, 0.25}}, 0.25 - 0.25*0.657619, 0.25 + 0.75*0.657619},
		{"no difference in 7 pairs", differences, [][]float64{coins(0, 7)}, -0.354330, 0.354330},
		{"all 7 became right", differences, [][]float64{coins(7, 0)}, 1 - 2*0.354330, 1},
		{"two rows: the squares add up", share, [][]float64{coins(0, 7), coins(7, 0)}, 0.5 - 0.354330/2, 0.5 + 0.354330/2},
		{"a row of equal values beside a coin", share, [][]float64{coins(0, 100), coins(50, 50)}, 0.25 - 0.049, 0.25 + math.Hypot(0.049, 0.018497)},
		{"values that differ: the bootstrap", share, [][]float64{coins(50, 50)}, 0.402, 0.598},
		{"rewards beyond the span have no width", share, [][]float64{{-5, -5}}, -5, -5},
	} {
		mean, within := stats.Estimate(picks(), test.span, test.strata...)
		want, bootstrap := stats.Bootstrap(picks(), test.strata...)
		slack := 1e-6
		if bootstrap.Low < bootstrap.High {
			slack = 0.02
		}
		if mean != want || math.Abs(within.Low-test.low) > slack || math.Abs(within.High-test.high) > slack {
			t.Errorf("%s: %v, %+v, want %v, %v to %v", test.why, mean, within, want, test.low, test.high)
		}
	}
}

// coins returns heads ones and tails zeros.
func coins(heads, tails int) []float64 {
	all := make([]float64, heads+tails)
	for i := range heads {
		all[i] = 1
	}
	return all
}

func TestBootstrapDependsOnNoOrder(t *testing.T) {
	t.Parallel()
	a, b := []float64{0.1, 0.7, 0.2, 0.9, 0.3}, []float64{0.9, 0.3, 0.7, 0.1, 0.2}
	meanA, withinA := stats.Bootstrap(picks(), a)
	meanB, withinB := stats.Bootstrap(picks(), b)
	if meanA != meanB || withinA != withinB || a[1] != 0.7 {
		t.Errorf("%v, %+v and %v, %+v; the values are %v", meanA, withinA, meanB, withinB, a)
	}
}

func TestMeanAndQuantile(t *testing.T) {
	t.Parallel()
	if stats.Mean(nil) != 0 || stats.Mean([]float64{1, 2, 6}) != 3 {
		t.Error("the mean is wrong")
	}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} {
		if got := stats.Quantile([]float64{1, 2, 3, 4}, q); !near(got, want) {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}

var casesFile = flag.String("cases", "testdata/scipy.json", "cases with expected results, as conformance/stats.py writes them")

// A reference is a random case with the results of conformance/stats.py, mostly from SciPy.
type reference struct {
	PassAt []struct {
		K, N, C int
		Want    float64
	} `json:"pass_at"`
	Majority []struct {
		K       int
		Answers []string
		Right   []bool
		Want    float64
	}
	McNemar []struct {
		B, C int
		Want float64
	} `json:"mcnemar"`
	Bootstrap []struct {
		Strata          [][]float64
		Mean, Low, High float64
		Loose           [2]float64 // of SciPy's own resamples
		Within          float64    // how far the interval may be from those
	}
}

func TestStatisticsAreThoseOfSciPy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(*casesFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases reference
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases.PassAt) == 0 || len(cases.Majority) == 0 || len(cases.McNemar) == 0 || len(cases.Bootstrap) == 0 {
		t.Fatal("cases are missing")
	}
	for _, c := range cases.PassAt {
		if got := stats.PassAt(c.K, c.N, c.C); !near(got, c.Want) {
			t.Errorf("PassAt(%d, %d, %d) is %v, want %v", c.K, c.N, c.C, got, c.Want)
		}
	}
	for _, c := range cases.Majority {
		if got := stats.MajorityAt(c.K, c.Answers, c.Right); !near(got, c.Want) {
			t.Errorf("MajorityAt(%d, %q, %v) is %v, want %v", c.K, c.Answers, c.Right, got, c.Want)
		}
	}
	for _, c := range cases.McNemar {
		if got := stats.McNemar(c.B, c.C); !near(got, c.Want) {
			t.Errorf("McNemar(%d, %d) is %v, want %v", c.B, c.C, got, c.Want)
		}
	}
	for i, c := range cases.Bootstrap {
		mean, within := stats.Bootstrap(knuth(), c.Strata...)
		if !near(mean, c.Mean) || !near(within.Low, c.Low) || !near(within.High, c.High) {
			t.Errorf("bootstrap %d: %v, %+v; want %v, %v to %v", i, mean, within, c.Mean, c.Low, c.High)
		}
		if math.Abs(within.Low-c.Loose[0]) > c.Within || math.Abs(within.High-c.Loose[1]) > c.Within {
			t.Errorf("bootstrap %d: %+v, and SciPy's is %v, which may differ by %v", i, within, c.Loose, c.Within)
		}
	}
}

// knuth is a pick by the linear congruential generator MMIX of Knuth. conformance/stats.py
// uses it too: both make the same resamples.
func knuth() func(n int) int {
	state := uint64(1)
	return func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
}

func BenchmarkMajorityAt(b *testing.B) {
	answers, right := make([]string, 64), make([]bool, 64)
	for i := range answers {
		answers[i], right[i] = fmt.Sprint(i*i%23), i*i%23 == 4
	}
	for b.Loop() {
		stats.MajorityAt(32, answers, right)
	}
}

// Ones are 1 on average, however many there are.
func TestTheMeanOfOnesIsOne(t *testing.T) {
	for n := 1; n <= 60; n++ {
		strata := make([][]float64, n)
		for i := range strata {
			strata[i] = slices.Repeat([]float64{1}, 1+i%7)
		}
		if got, _ := stats.Estimate(func(n int) int { return n - 1 }, stats.Interval{}, strata...); got != 1 {
			t.Errorf("%d strata: %v", n, got)
		}
	}
}
