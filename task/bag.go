package task

import (
	"math"
	"slices"
)

// bags hold the words and pairs of words of prompts, as vectors of length 1. A term may weigh
// more the fewer prompts have it (tf-idf; K. Spärck Jones, 1972).
type bags struct {
	ids    map[string]int
	weight []float64 // of each term
	having [][]share // of each term: the prompts that have it
	n      int       // prompts
}

// A share is the part of a term in the vector of a prompt.
type share struct {
	prompt int
	part   float64
}

// A termCount says how often a prompt has a term.
type termCount struct{ id, n int }

// count counts the terms of a prompt, in order of their ids. With learn, new terms get ids.
func (b *bags) count(words []string, learn bool) (terms []termCount) {
	var ids []int
	for i := range words {
		for n := 1; n <= min(2, len(words)-i); n++ {
			term := words[i]
			if n == 2 {
				term += " " + words[i+1]
			}
			id, known := b.ids[term]
			if !known && !learn {
				continue
			}
			if !known {
				id = len(b.ids)
				b.ids[term] = id
			}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if last := len(terms) - 1; last >= 0 && terms[last].id == id {
			terms[last].n++
			continue
		}
		terms = append(terms, termCount{id, 1})
	}
	return terms
}

// A weighing gives the weight of a term that some of n prompts have.
type weighing func(n int, having float64) float64

// rare weighs a term by how few prompts have it, plain all alike.
func rare(n int, having float64) float64 { return math.Log(float64(n) / having) }
func plain(int, float64) float64         { return 1 }

// newBags makes the bags of prompts.
func newBags(looks []look, weigh weighing) *bags {
	b := &bags{ids: map[string]int{}, n: len(looks)}
	terms := make([][]termCount, len(looks))
	for i, seen := range looks {
		terms[i] = b.count(seen.words, true)
	}
	b.weight, b.having = make([]float64, len(b.ids)), make([][]share, len(b.ids))
	for _, list := range terms {
		for _, t := range list {
			b.weight[t.id]++
		}
	}
	for id, prompts := range b.weight {
		b.weight[id] = weigh(b.n, prompts)
	}
	for i, list := range terms {
		sum := 0.
		for _, t := range list {
			sum += math.Pow(float64(t.n)*b.weight[t.id], 2)
		}
		for _, t := range list {
			if b.weight[t.id] > 0 {
				b.having[t.id] = append(b.having[t.id], share{i, float64(t.n) * b.weight[t.id] / math.Sqrt(sum)})
			}
		}
	}
	return b
}

// nearest returns the prompt with the least angle to the one of words.
func (b *bags) nearest(words []string) int {
	product := make([]float64, b.n)
	for _, t := range b.count(words, false) {
		for _, s := range b.having[t.id] {
			product[s.prompt] += float64(t.n) * b.weight[t.id] * s.part
		}
	}
	best := 0
	for i := range product {
		if product[i] > product[best] {
			best = i
		}
	}
	return best
}

// nearestWords copies the answer to the prompt with the nearest bag of words.
func (l *lessons) nearestWords(weigh weighing) func(look) string {
	b := newBags(l.looks, weigh)
	return func(seen look) string { return l.answers[b.nearest(seen.words)] }
}
