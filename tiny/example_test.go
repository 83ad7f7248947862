package tiny_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A new policy gives every token the same probability.
func Example() {
	m, err := transformer.New(transformer.Config{Vocab: tiny.Size, Context: 64, Layers: 2, Width: 64, Heads: 4, Hidden: 256}, 1)
	if err != nil {
		panic(err)
	}
	p, err := tiny.New(m, 0, tiny.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			panic(err)
		}
	})
	samples, err := p.Sample(ctx, quintain.Request{
		Key: "sum.1", N: 4, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 8},
		Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "2+2?"}},
	})
	if err != nil {
		panic(err)
	}
	for _, s := range samples {
		fmt.Printf("%s: read %d tokens, wrote %d, the first with log-probability %.2f\n", s.Vocabulary, len(s.Read), len(s.Wrote), s.LogProbs[0])
	}
	stop()
	running.Wait()
	// Output:
	// quintain-tiny-1: read 7 tokens, wrote 8, the first with log-probability -5.58
	// quintain-tiny-1: read 7 tokens, wrote 8, the first with log-probability -5.58
	// quintain-tiny-1: read 7 tokens, wrote 8, the first with log-probability -5.58
	// quintain-tiny-1: read 7 tokens, wrote 8, the first with log-probability -5.58
}

func ExampleRead() {
	tokens, err := tiny.Read(quintain.Request{Messages: []quintain.Message{
		{Role: quintain.RoleSystem, Content: "Use <answer>"}, {Role: quintain.RoleUser, Content: "2+2"},
	}})
	fmt.Println(tokens, err)
	// Output: [260 85 115 101 32 258 264 261 50 43 50 264 262] <nil>
}
