package server_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/server"
)

// A server recognised as vLLM's gets tokens.
func Example() {
	vllm, err := fake.New(fake.Config{Server: fake.Defaults()})
	if err != nil {
		fmt.Println(err)
		return
	}
	web := httptest.NewServer(vllm)
	defer web.Close()

	settings := server.Defaults()
	settings.Pool.URLs, settings.Files.Tokenizer = []string{web.URL}, exact.ByteTokenizer // a real model: its folder
	policy, err := server.New(settings, server.Use{Trainer: true, LogProbs: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer policy.CloseIdle()
	ctx := context.Background()
	if err := policy.Connect(ctx); err != nil {
		fmt.Println(err) // if server.Temporary(err), policy.Run waits for the server
		return
	}
	samples, err := policy.Sample(ctx, quintain.Request{
		N: 2, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}}, Sampling: quintain.Sampling{Temperature: 1},
	})
	fmt.Println(len(samples), len(samples[0].LogProbs) == len(samples[0].Wrote), err)
	// Output: 2 true <nil>
}
