package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/policy/exact"
)

func newPolicyTemplate(w *world) *cobra.Command {
	var f exact.TemplateFiles
	var now string
	c := &cobra.Command{
		Use:   "template",
		Short: "Render conversations as a chat template does: JSON lines in, JSON lines out",
		Long: `Template reads a JSON object a line from standard input and prints {"text": …} for each, in
order: the text that transformers makes of it with the chat template.

A line is {"messages": […]}, with optional "tools", "documents", "add_generation_prompt"
(default false) and any other variable of the template. The special tokens come from the
configuration.

The template is --template, else the file chat_template.jinja beside the configuration,
else the chat_template in it, and the files of additional_chat_templates beside it. If there
are several, conversations with tools get tool_use and others get default, unless --name
names one. A GGUF file has its own.

All cores render. A line that the template refuses gives {"error": …} in its place and
exit status 1 at the end; the other lines are still rendered.`,
		Example: `  echo '{"messages": [{"role": "user", "content": "Hello!"}], "add_generation_prompt": true}' |
    quintain policy template --tokenizer-config my-model/tokenizer_config.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := pipe.Clock(now)
			if err != nil {
				return usagef("--%w", err)
			}
			if f.Config == "" {
				return usagef("--tokenizer-config is missing")
			}
			chat, err := f.Load()
			if err != nil {
				return err
			}
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return pipe.Render(ctx, chat, at, w.input(), w.stdout)
			})
		},
	}
	c.Flags().StringVar(&f.Config, "tokenizer-config", "", "tokenizer_config.json of the model, or its GGUF file (required)")
	c.Flags().StringVar(&f.Template, "template", "", "file with a template, in place of the model's")
	c.Flags().StringVar(&f.Name, "name", "", "name of the template, if the model has several")
	c.Flags().StringVar(&now, "now", "", "time for the template, as 2006-01-02T15:04:05 (default: the local time)")
	return c
}
