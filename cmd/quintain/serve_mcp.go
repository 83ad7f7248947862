package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/mcp"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newServeMCP(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve problems and grades to a program that speaks the Model Context Protocol over stdio",
		Long: `MCP lets a model draw problems and submit answers: it speaks the Model Context Protocol
on standard input and output, a message of JSON-RPC a line, until the input ends. quintain
serve has the same tools over HTTP (POST /mcp).`,
		Example: `  claude mcp add quintain -- quintain serve mcp
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | quintain serve mcp`,
		Args: noArgs,
	}
	load := w.settings(c, "serve mcp")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		defer cfg.Source.Scenario.Stop()
		guests, err := cfg.Source.Scenario.Served(c.Context(), cfg.Log.Logger(w.stderr))
		if err != nil {
			return err
		}
		book, err := catalog.Book(reasoninggym.Ours, guests...)
		if err != nil {
			return err
		}
		return mcp.New(book).Lines(c.Context(), w.stdin, w.stdout)
	}
	return c
}
