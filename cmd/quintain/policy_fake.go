package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
)

func newPolicyFake(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "fake",
		Short: "Imitate an inference server without a model, for dry runs",
		Long: `Fake imitates vLLM, SGLang, llama.cpp and any OpenAI-compatible server on one port,
or one of them. It samples from a small distribution, so its log-probabilities are real,
at a pace of your choice. Its tokens are bytes, or those of a model (--tokenizer), with the
model's chat template. It writes letters, or replies from a file (--replies), a JSON object
{"text"} a line. Its weights have versions, set by the update routes of vLLM and SGLang. It
can be paused, aborts requests, and fails as you choose.

docs/servers.md lists its routes and faults.`,
		Example: `  quintain policy fake --port 8001
  quintain policy fake --port 8001 --length uniform:100-2000 --rate 50 --max-running 256
  quintain policy fake --port 8001 --shape vllm --faults busy=0.02,cut=0.01
  quintain policy fake --port 8001 --tokenizer my-model --replies said.jsonl
  quintain run --policy server --url http://127.0.0.1:8001 --tokenizer bytes --data dry-run --with rules.keep_equal=true`,
		Args: noArgs,
	}
	load := w.settings(c, "policy fake")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.serveFake(ctx, cfg) })
	}
	return c
}

// serveFake serves until ctx ends.
func (w *world) serveFake(ctx context.Context, c *config) error {
	of, err := c.fake()
	if err != nil {
		return usageError{err}
	}
	door, err := web.Listen(ctx, c.Server)
	if err != nil {
		return err
	}
	if len(door.Keys) > 0 {
		of.Key = door.Keys[0].Secret
	}
	server, err := fake.New(of)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(w.stderr, "quintain policy fake: listening on http://%s, model %s; Ctrl-C stops\n", door.Addr(), c.Fake.Model)
	return server.Run(ctx, door)
}

// fake returns the config of the server, with the tokenizer of the settings.
func (c *config) fake() (fake.Config, error) {
	of, files := fake.Config{Server: c.Fake}, &c.Policy.Server.Files
	if err := files.Check(); err != nil {
		return of, fmt.Errorf("policy.%w", err)
	}
	if files.Tokenizer == "" {
		return of, nil
	}
	renderer, err := files.Renderer(c.Fake.Model, time.Now())
	if model, ok := renderer.(*exact.Chat); ok {
		of.Tokenizer, of.Template, of.Now = model.Tokenizer, model.Template, model.Now
	}
	return of, err
}
