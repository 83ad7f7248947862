package curriculum_test

import (
	"fmt"
	"log"

	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// A policy that solves the two easiest of four levels, and half of the problems of the
// third, soon gets the third.
func Example() {
	s := curriculum.Default()
	s.Mode = curriculum.Adaptive
	c, err := curriculum.New(s, 1, []curriculum.Course{{Name: "countdown", Levels: 4, Weight: 1}})
	if err != nil {
		log.Fatal(err)
	}
	scores := [][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 1, 0}, {0, 0, 0, 0}}
	for range 200 {
		level := c.Choose()
		c.Note(level, scores[level])
	}
	for _, one := range c.Standings() {
		fmt.Printf("%s: complexity %.1f\n", one.Name, one.Complexity)
	}
	// Output: countdown: complexity 0.7
}
