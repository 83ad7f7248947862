package graphs

import (
	"fmt"
	"slices"
)

// A link joins two vertices of a graph.
type link struct {
	from, to int
	mark     int // what the link is like, such as its length
}

// shape describes a graph without the names and the order of its vertices and links: graphs
// that differ in these alone have one shape. A vertex has a mark; symmetric links have no
// direction. It refines the marks by those of the neighbours, a few times (B. Weisfeiler and A.
// Leman, 1968).
func shape(marks []int64, links []link, symmetric bool) string {
	const rounds = 5
	colors := make([]uint64, len(marks))
	for v, mark := range marks {
		colors[v] = mixed(uint64(mark))
	}
	for range rounds {
		next := make([]uint64, len(colors))
		for v, color := range colors {
			next[v] = mixed(color)
		}
		for _, l := range links {
			in, out := uint64(l.mark)<<1, uint64(l.mark)<<1|1
			if symmetric {
				out = in
			}
			next[l.from] += mixed(colors[l.to] + mixed(out))
			next[l.to] += mixed(colors[l.from] + mixed(in))
		}
		colors = next
	}
	slices.Sort(colors)
	return fmt.Sprintf("%x", colors)
}

// mixed spreads the bits of x (the finalizer of SplitMix64; G. Steele, D. Lea and C. Flood, 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// divisor returns the greatest number that divides a and b, neither negative; 0 if both are 0.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
