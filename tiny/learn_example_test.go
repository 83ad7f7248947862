package tiny_test

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A new model gives each of four tokens the same probability. Training on two answers
// to token 0 makes the better one more likely.
func Example_learner() {
	model, err := transformer.New(transformer.Config{Vocab: 4, Context: 8, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, 1)
	if err != nil {
		panic(err)
	}
	learner, err := tiny.NewLearner(model, nil, tiny.Default())
	if err != nil {
		panic(err)
	}
	group := &quintain.Group{
		Tokens:   [][]quintain.Token{{0, 2}, {0, 3}},
		Masks:    [][]int32{{quintain.Untrained, 2}, {quintain.Untrained, 3}},
		LogProbs: [][]float64{{1, -1.3863}, {1, -1.3863}},
		Versions: [][]int32{{-1, 0}, {-1, 0}},
		Scores:   []float64{1, 0},
	}
	for range 3 {
		m, err := learner.Step([]*quintain.Group{group})
		if err != nil {
			panic(err)
		}
		fmt.Printf("version %d: reward %.1f, entropy %.3f, staleness %v\n", m.Version, m.Reward, m.Entropy, m.Staleness)
	}
	scores, err := transformer.NewPass(model).Forward([][]int32{{0, 2}, {0, 3}}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("the better answer is more likely:", scores.LogProbs[0][1] > scores.LogProbs[1][1])
	// Output:
	// version 1: reward 0.5, entropy 1.386, staleness map[0:2]
	// version 2: reward 0.5, entropy 1.386, staleness map[1:2]
	// version 3: reward 0.5, entropy 1.386, staleness map[2:2]
	// the better answer is more likely: true
}
