package run

import (
	"sync"

	"github.com/quintain-rl/quintain"
)

// A Cost says what it took to play groups.
type Cost struct {
	Groups   int     `json:"groups"`
	Episodes int     `json:"episodes"`
	Tokens   int     `json:"tokens"`  // sampled
	Seconds  float64 `json:"seconds"` // of each group, from the start of its first episode to the end of its last; added up
}

// costOf returns the cost of a group.
func costOf(played []quintain.Trajectory) Cost {
	c := Cost{Groups: 1, Episodes: len(played), Seconds: duration(played).Seconds()}
	for i := range played {
		c.Tokens += played[i].Sampled()
	}
	return c
}

// plus returns the sum of two costs.
func (c Cost) plus(d Cost) Cost {
	return Cost{c.Groups + d.Groups, c.Episodes + d.Episodes, c.Tokens + d.Tokens, c.Seconds + d.Seconds}
}

// minus returns the cost of the groups of c without those of d.
func (c Cost) minus(d Cost) Cost {
	return c.plus(Cost{-d.Groups, -d.Episodes, -d.Tokens, -d.Seconds})
}

// Length is the mean number of sampled tokens of an episode; 0 if there is none.
func (c Cost) Length() float64 { return float64(c.Tokens) / float64(max(1, c.Episodes)) }

// Longer is by which share the episodes of c are longer than those of d, in the mean; 0 if d has none.
func (c Cost) Longer(d Cost) float64 {
	if d.Tokens == 0 {
		return 0
	}
	return c.Length()/d.Length() - 1
}

// Duration is the mean number of seconds of a group; 0 if there is none.
func (c Cost) Duration() float64 { return c.Seconds / float64(max(1, c.Groups)) }

// mostCosts bounds the remembered costs. It exceeds the groups that a gate lets wait, unless
// batches are huge.
const mostCosts = 1 << 14

// costs remembers the costs of the groups that were kept last. Many goroutines may use it.
type costs struct {
	mu    sync.Mutex
	of    map[string]Cost // by ID
	order []string        // IDs, oldest first
}

// add remembers the cost of a group.
func (c *costs) add(id string, cost Cost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]Cost{}
	}
	c.of[id] = cost
	c.order = append(c.order, id)
	if len(c.order) > mostCosts {
		delete(c.of, c.order[0])
		c.order = c.order[1:]
	}
}

// sum returns the cost of all groups that it knows of some.
func (c *costs) sum(ids []string) (sum Cost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		sum = sum.plus(c.of[id])
	}
	return sum
}
