package pool_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Two servers that speak like vLLM's become one policy.
func Example() {
	server, err := fake.New(fake.Config{Server: fake.Defaults()})
	if err != nil {
		fmt.Println(err)
		return
	}
	one, two := httptest.NewServer(server), httptest.NewServer(server)
	defer one.Close()
	defer two.Close()

	g, err := pool.NewGenerator(
		pool.Config{URLs: []string{one.URL, two.URL}, Control: true},
		func(c remote.Config) (pool.Tokens, error) {
			return engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake"})
		},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.CloseIdle()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = g.Run(ctx) })
	defer running.Wait()
	defer stop()

	policy := exact.New(g, exact.Bytes{}) // for a real model: exact.Chat
	samples, err := policy.Sample(ctx, quintain.Request{
		Key: "p1", N: 4, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}},
		Sampling: quintain.Sampling{Temperature: 1},
	})
	fmt.Println(len(samples), err, g.Status().Limit > 0)
	// Output: 4 <nil> true
}
