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

func newFakeServer(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "fake-server",
		Short: "Serve an inference server without a model, for dry runs",
		Long: `Fake-server looks like vLLM's, SGLang's, llama.cpp's and any OpenAI-compatible server
on one port, or like one of them. It samples from a small distribution, so that its
log-probabilities are real ones, and takes the time that it is told to. Its tokens are
bytes, or those of a model (--tokenizer), with its chat template. It writes letters, or
gives the replies of a file (--replies), a JSON object {"text"} a line. Its weights have
versions, which the update routes of vLLM and SGLang set; it can be paused, aborts
requests, and has the faults that it is told to have.

Its routes and faults are in docs/servers.md.`,
		Example: `  quintain fake-server --port 8001
  quintain fake-server --port 8001 --length uniform:100-2000 --rate 50 --max-running 256
  quintain fake-server --port 8001 --shape vllm --faults busy=0.02,cut=0.01
  quintain fake-server --port 8001 --tokenizer my-model --replies replies.jsonl
  quintain run --policy server --url http://127.0.0.1:8001 --tokenizer bytes --keep-equal`,
		Args: noArgs,
	}
	load := w.settings(c, "fake-server")
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
	fmt.Fprintf(w.stderr, "quintain fake-server: listening on http://%s, model %s; Ctrl-C stops\n", door.Addr(), c.Fake.Model)
	return server.Run(ctx, door)
}

// fake is the config of the server, with the tokenizer that the settings name.
func (c *config) fake() (fake.Config, error) {
	of, files := fake.Config{Server: c.Fake}, &c.Policy.Server.Files
	if err := files.Check(); err != nil {
		return of, fmt.Errorf("policy.%w", err)
	}
	if files.Tokenizer == "" {
		return of, nil
	}
	renderer, err := files.Renderer(c.Fake.Model, time.Now())
	if model, is := renderer.(*exact.Chat); is {
		of.Tokenizer, of.Template, of.Now = model.Tokenizer, model.Template, model.Now
	}
	return of, err
}
