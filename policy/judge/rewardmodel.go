package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A RewardKind is the form of a server's requests and answers.
type RewardKind string

// The kinds.
const (
	Classify RewardKind = "vllm-classify" // vLLM's /classify: the model classifies sequences
	Pooling  RewardKind = "vllm-pooling"  // vLLM's /pooling: the reward is that of the last token
	SGLang   RewardKind = "sglang"        // SGLang's /classify
	OpenRLHF RewardKind = "openrlhf"      // POST to the address itself, as OpenRLHF does
)

// RewardKinds returns all kinds.
func RewardKinds() []RewardKind { return []RewardKind{Classify, Pooling, SGLang, OpenRLHF} }

// A RewardConfig describes servers of one reward model. Kind and URLs are required.
type RewardConfig struct {
	Kind RewardKind

	// URLs are the addresses: of OpenRLHF's form the whole one, such as
	// http://127.0.0.1:5000/get_reward; of the others with or without /v1. A failed request goes to
	// the next one.
	URLs []string

	Model  string        // the server's name for it; vLLM wants it
	Server remote.Config // limits of each server; its URL is ignored

	// Render writes a conversation as the text that the model was trained on, with its chat
	// template; nil: the server does, which only vLLM can.
	Render func(messages []quintain.Message) (string, error)

	// Class is the place of the reward among several numbers of a reply, from 1; 0: there is one.
	Class int

	// Sigmoid turns rewards into numbers from 0 to 1.
	Sigmoid bool

	// Batch is the most replies of one request; 0: 32. Conversations that a server renders go one
	// by one.
	Batch int
}

// A RewardReply is a conversation whose last message is to be rewarded.
type RewardReply struct {
	Messages []quintain.Message
	Label    string // the known answer, for servers of OpenRLHF's form; empty: none
}

// A RewardModel asks the servers of a reward model. Many goroutines may use it at once.
type RewardModel struct {
	cfg     RewardConfig
	path    string
	servers []*remote.Server
	next    atomic.Int64
	retry   *remote.Retry
}

// defaultBatch is the Batch of a Config that has none.
const defaultBatch = 32

// NewRewardModel returns a client of cfg's servers, without contacting them. The error names the invalid
// field.
func NewRewardModel(cfg RewardConfig) (*RewardModel, error) {
	switch {
	case !slices.Contains(RewardKinds(), cfg.Kind):
		return nil, fmt.Errorf("reward model: kind is %q, want one of %v", cfg.Kind, RewardKinds())
	case len(cfg.URLs) == 0:
		return nil, errors.New("reward model: no server address")
	case cfg.Model == "" && (cfg.Kind == Classify || cfg.Kind == Pooling):
		return nil, errors.New("reward model: model is empty, want the server's name for the model")
	case cfg.Render == nil && (cfg.Kind == SGLang || cfg.Kind == OpenRLHF):
		return nil, fmt.Errorf("reward model: a server of kind %s takes texts: want the chat template of its model", cfg.Kind)
	case cfg.Class < 0:
		return nil, fmt.Errorf("reward model: class is %d, want 1 or more, or 0", cfg.Class)
	case cfg.Batch < 0:
		return nil, fmt.Errorf("reward model: batch is %d, want 1 or more", cfg.Batch)
	}
	if cfg.Batch == 0 {
		cfg.Batch = defaultBatch
	}
	if cfg.Render == nil {
		cfg.Batch = 1
	}
	c := &RewardModel{cfg: cfg, path: map[RewardKind]string{Classify: "classify", Pooling: "pooling", SGLang: "classify"}[cfg.Kind], retry: remote.NewRetry(cfg.Server)}
	for _, url := range cfg.URLs {
		one := cfg.Server
		one.URL, one.Retries = url, -1 // a retry goes to the next server
		if cfg.Kind != OpenRLHF {
			one.URL = remote.Root(url)
		}
		server, err := remote.New(one)
		if err != nil {
			return nil, fmt.Errorf("reward model: %w", err)
		}
		c.servers = append(c.servers, server)
	}
	return c, nil
}

// CloseIdle closes the idle connections.
func (c *RewardModel) CloseIdle() {
	for _, s := range c.servers {
		s.CloseIdle()
	}
}

// Rewards returns a finite reward for each reply, or an error: a [*remote.Error], that of Render,
// or the cause of ctx.
func (c *RewardModel) Rewards(ctx context.Context, replies []RewardReply) ([]float64, error) {
	rewards := make([]float64, 0, len(replies))
	for batch := range slices.Chunk(replies, c.cfg.Batch) {
		some, err := c.ask(ctx, batch)
		if err != nil {
			return nil, err
		}
		rewards = append(rewards, some...)
	}
	return rewards, nil
}

// ask returns the rewards of one request.
func (c *RewardModel) ask(ctx context.Context, batch []RewardReply) (rewards []float64, err error) {
	body, err := c.body(batch)
	if err != nil {
		return nil, fmt.Errorf("reward model: %w", err)
	}
	call := remote.Call{
		Path: c.path, Body: body, Missing: fmt.Sprintf("is it a server of kind %s?", c.cfg.Kind), Begin: func(int32) {},
		Read: func(body []byte) (fault *remote.Error) {
			rewards, fault = c.read(body, len(batch))
			return fault
		},
	}
	err = c.retry.Do(ctx, func() *remote.Error {
		server := c.servers[int(c.next.Add(1)-1)%len(c.servers)]
		err := server.Ask(ctx, call)
		if err == nil {
			return nil
		}
		if fault, ok := errors.AsType[*remote.Error](err); ok {
			return fault
		}
		return &remote.Error{Kind: remote.Unreachable, Err: err} // ctx has ended
	})
	if err != nil {
		return nil, err
	}
	return rewards, nil
}

// body returns the JSON of a request.
func (c *RewardModel) body(batch []RewardReply) ([]byte, error) {
	if c.cfg.Render == nil {
		return json.Marshal(map[string]any{"model": c.cfg.Model, "messages": batch[0].Messages, "add_generation_prompt": false})
	}
	texts, prompts, labels := make([]string, len(batch)), make([]string, len(batch)), make([]string, len(batch))
	for i, r := range batch {
		var err error
		if texts[i], err = c.cfg.Render(r.Messages); err != nil {
			return nil, err
		}
		if c.cfg.Kind == OpenRLHF && len(r.Messages) > 1 {
			if prompts[i], err = c.cfg.Render(r.Messages[:len(r.Messages)-1]); err != nil {
				return nil, err
			}
		}
		labels[i] = r.Label
	}
	switch c.cfg.Kind {
	case OpenRLHF:
		return json.Marshal(map[string]any{"query": texts, "prompts": prompts, "labels": labels})
	case SGLang:
		fields := map[string]any{"text": texts}
		if c.cfg.Model != "" {
			fields["model"] = c.cfg.Model
		}
		return json.Marshal(fields)
	}
	return json.Marshal(map[string]any{"model": c.cfg.Model, "input": texts})
}

// read returns the n rewards in the body of an answer.
func (c *RewardModel) read(body []byte, n int) ([]float64, *remote.Error) {
	rows, fault := c.rows(body, n)
	if fault != nil {
		return nil, fault
	}
	rewards := make([]float64, n)
	for i, row := range rows {
		reward, err := c.reward(row)
		if err != nil {
			return nil, remote.Nonsensef("reply %d: %w", i, err)
		}
		rewards[i] = reward
	}
	return rewards, nil
}

// rows returns the numbers for each of n replies.
func (c *RewardModel) rows(body []byte, n int) ([][]float64, *remote.Error) {
	switch c.cfg.Kind {
	case OpenRLHF:
		return readOpenRLHF(body, n)
	case SGLang:
		return readSGLang(body, n)
	}
	return readVLLM(body, n, c.cfg.Kind)
}

// reward returns the reward among the numbers for a reply.
func (c *RewardModel) reward(row []float64) (float64, error) {
	at := max(0, c.cfg.Class-1)
	switch {
	case c.cfg.Class == 0 && len(row) != 1:
		return 0, fmt.Errorf("%d numbers, want 1: is it a reward model? Else name the class that is the reward", len(row))
	case at >= len(row):
		return 0, fmt.Errorf("%d numbers, and the reward is to be number %d", len(row), at+1)
	}
	reward := row[at]
	if err := quintain.CheckReward(reward); err != nil {
		return 0, err
	}
	if c.cfg.Sigmoid {
		reward = 1 / (1 + math.Exp(-reward))
	}
	return reward, nil
}
