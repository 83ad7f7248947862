package task

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A branch is a node of a decision tree: an answer, or two branches, for prompts with a
// feature up to a limit and above it.
type branch struct {
	answer  string
	feature int
	limit   float64
	low     *branch // nil for a leaf
	high    *branch
}

// The bounds of a tree.
const (
	deepestTree = 6
	leastLeaf   = 8  // prompts at a leaf
	mostClasses = 64 // answers told apart; the rest form one class
	mostLimits  = 16 // limits tried for each feature
)

// tree answers with a decision tree over the numbers of the prompt and its counts of
// characters, down to so many prompts a leaf.
func (l *lessons) tree(deepest, leaf int) func(look) string {
	frequent := mostFrequent(l.answers, mostClasses)
	g := grower{frequent: frequent, leaf: leaf}
	for i, seen := range l.looks {
		g.features = append(g.features, features(seen))
		class := slices.Index(frequent, l.answers[i])
		if class < 0 {
			class = mostClasses
		}
		g.classes = append(g.classes, class)
	}
	all := make([]int, len(l.looks))
	for i := range all {
		all[i] = i
	}
	root := g.grow(all, deepest)
	return func(seen look) string {
		f := features(seen)
		b := root
		for b.low != nil {
			if f[b.feature] <= b.limit {
				b = b.low
			} else {
				b = b.high
			}
		}
		return b.answer
	}
}

// features returns the inputs of the tree: the first and the last numbers, what they have
// in common, the count of each character, and lengths.
func features(seen look) []float64 {
	const ends, signs = 6, 96
	f := make([]float64, 2*ends+5, 2*ends+5+signs+2)
	least, most := math.Inf(1), math.Inf(-1)
	for i, text := range seen.numbers {
		n, _ := strconv.ParseFloat(text, 64) // digits only
		if i < ends {
			f[i] = n
		}
		if back := len(seen.numbers) - 1 - i; back < ends {
			f[ends+back] = n
		}
		f[2*ends] += n
		least, most = min(least, n), max(most, n)
	}
	f[2*ends+1], f[2*ends+2], f[2*ends+3], f[2*ends+4] = least, most, float64(len(seen.numbers)), math.Mod(f[2*ends], 2)
	var count [signs]float64
	for i := range len(seen.prompt) {
		count[seen.prompt[i]%signs]++
	}
	f = append(f, count[:]...)
	return append(f, float64(len(seen.prompt)), float64(strings.Count(seen.prompt, "\n")))
}

// A grower grows a tree for prompts. Each has features and a class: the rank of its answer
// among the frequent ones, or mostClasses.
type grower struct {
	frequent []string
	features [][]float64
	classes  []int
	leaf     int // least number of prompts
}

// grow grows the tree of some prompts.
func (g *grower) grow(prompts []int, depth int) *branch {
	var count [mostClasses + 1]int
	for _, i := range prompts {
		count[g.classes[i]]++
	}
	best := 0
	for class := range g.frequent {
		if count[class] > count[best] {
			best = class
		}
	}
	leaf := &branch{answer: g.frequent[best]}
	if depth == 0 || len(prompts) < 2*g.leaf || count[best] == len(prompts) {
		return leaf
	}
	feature, limit, found := g.split(prompts, gini(count[:], len(prompts)))
	if !found {
		return leaf
	}
	var low, high []int
	for _, i := range prompts {
		if g.features[i][feature] <= limit {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	return &branch{feature: feature, limit: limit, low: g.grow(low, depth-1), high: g.grow(high, depth-1)}
}

// gini returns the mean number of n things in another class than one drawn from them.
func gini(count []int, n int) float64 {
	same := 0.
	for _, c := range count {
		same += float64(c) * float64(c)
	}
	return float64(n) - same/float64(max(1, n))
}

// split finds the feature and the limit that leave the least mixture of classes, below
// before.
func (g *grower) split(prompts []int, before float64) (feature int, limit float64, found bool) {
	values := make([]float64, len(prompts))
	for f := range g.features[prompts[0]] {
		for k, i := range prompts {
			values[k] = g.features[i][f]
		}
		slices.Sort(values)
		for q := range mostLimits {
			try := values[(q*len(values))/mostLimits]
			if try == values[len(values)-1] || q > 0 && try == values[((q-1)*len(values))/mostLimits] {
				continue
			}
			if mixed, large := g.mixture(prompts, f, try); large && mixed < before-1e-9 {
				feature, limit, found, before = f, try, true, mixed
			}
		}
	}
	return feature, limit, found
}

// mixture returns the sum of the gini of both sides of a split; large reports that both are
// large enough.
func (g *grower) mixture(prompts []int, feature int, limit float64) (sum float64, large bool) {
	var low, high [mostClasses + 1]int
	n := 0
	for _, i := range prompts {
		if g.features[i][feature] <= limit {
			low[g.classes[i]]++
			n++
		} else {
			high[g.classes[i]]++
		}
	}
	return gini(low[:], n) + gini(high[:], len(prompts)-n), n >= g.leaf && len(prompts)-n >= g.leaf
}
