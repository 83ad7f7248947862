package task

import (
	"cmp"
	"slices"
	"strings"
)

// mostRelabelings limits the labelings that [Relabeled] compares.
const mostRelabelings = 120

// Relabeled returns one text for all questions that differ only in the names of n things, for
// a [Canonicalizer]. Write writes the question with a label in place of each name, and without
// any order that does not matter. Things may share a label.
//
// Labels are refined, like the colors of a graph: things with unlike parts in the question get
// unlike labels. If some things stay alike, the text is the least of all ways to tell them
// apart, or, if there are too many ways, the one in which they share a label.
func Relabeled(n int, write func(labels []int) string) string {
	labels := make([]int, n)
	for classes, more := min(n, 1), true; more && classes < n; {
		refined := refine(labels, write)
		more, classes = refined > classes, refined
	}
	if relabelings(labels) > mostRelabelings {
		return write(labels)
	}
	return least(labels, write)
}

// refine gives things of one label different ones if the question differs once they are
// marked. A label is the number of things with a lower one. It returns the number of labels.
func refine(labels []int, write func([]int) string) (classes int) {
	type thing struct {
		at, label int
		marked    string
	}
	things := make([]thing, len(labels))
	for i, label := range labels {
		labels[i] = len(labels)
		things[i] = thing{i, label, write(labels)}
		labels[i] = label
	}
	order := func(a, b thing) int { return cmp.Or(a.label-b.label, strings.Compare(a.marked, b.marked)) }
	slices.SortFunc(things, order)
	for i, t := range things {
		labels[t.at] = i
		if i > 0 && order(things[i-1], t) == 0 {
			labels[t.at] = labels[things[i-1].at]
			continue
		}
		classes++
	}
	return classes
}

// relabelings counts the ways to tell apart all things that share a label, up to a few more
// than the limit.
func relabelings(labels []int) int {
	ways, sharing := 1, make([]int, len(labels))
	for _, label := range labels {
		if sharing[label]++; ways <= mostRelabelings {
			ways *= sharing[label]
		}
	}
	return ways
}

// least returns the least text over the ways to tell apart all things that share a label.
func least(labels []int, write func([]int) string) (best string) {
	shared := -1
	seen := make([]bool, len(labels))
	for _, label := range labels {
		if seen[label] {
			shared = label
			break
		}
		seen[label] = true
	}
	if shared < 0 {
		return write(labels)
	}
	for first, label := range labels {
		if label != shared {
			continue
		}
		apart := slices.Clone(labels)
		for i := range apart {
			if i != first && apart[i] == shared {
				apart[i]++
			}
		}
		if text := least(apart, write); best == "" || text < best {
			best = text
		}
	}
	return best
}
