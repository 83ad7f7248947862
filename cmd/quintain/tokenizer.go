package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

func newTokenizer(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "tokenizer",
		Short: "Turn text into the tokens of a model, and back",
		Long: `Tokenizer turns text into tokens and back, by a tokenizer.json of Hugging Face. The tokens
are those of the library tokenizers. An unsupported part of the file is an error that
names its place.`,
		Example: `  echo '{"text": "Hello"}' | quintain tokenizer encode --tokenizer tokenizer.json
  echo '{"ids": [9906]}' | quintain tokenizer decode --tokenizer tokenizer.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTokenizerEncode(w), newTokenizerDecode(w))
	return c
}

// A tokenizerFile is a tokenizer by flags.
type tokenizerFile struct{ path, cache string }

// flags gives c the flags of the tokenizer.
func (t *tokenizerFile) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.path, "tokenizer", "", "the tokenizer.json")
	c.Flags().StringVar(&t.cache, "cache", tokenizer.CacheFolder(), "folder that caches the compiled file, to start sooner; empty: none")
	_ = c.MarkFlagRequired("tokenizer") // the flag exists
}

// pipe loads the tokenizer and runs answer until it ends or is interrupted.
func (t *tokenizerFile) pipe(c *cobra.Command, w *world, answer func(ctx context.Context, t *tokenizer.Tokenizer) error) error {
	loaded, err := tokenizer.Load(t.path, t.cache)
	if err != nil {
		return err
	}
	return untilInterrupt(c.Context(), w, func(ctx context.Context) error { return answer(ctx, loaded) })
}

func newTokenizerEncode(w *world) *cobra.Command {
	var file tokenizerFile
	var special bool
	c := &cobra.Command{
		Use:   "encode --tokenizer FILE",
		Short: "Turn text into tokens: JSON lines in, JSON lines out",
		Long: `Encode reads {"text": …} a line from standard input and prints {"ids": […]} for each, in
order, on all cores. An unreadable line gives {"error": …} in its place and exit status 1
at the end; the other lines are still encoded.`,
		Example: `  echo '{"text": "Hello"}' | quintain tokenizer encode --tokenizer tokenizer.json --special`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, w, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return pipe.Encode(ctx, t, special, w.stdin, w.stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&special, "special", false, "add the special tokens at the ends of a text, such as <s>")
	return c
}

func newTokenizerDecode(w *world) *cobra.Command {
	var file tokenizerFile
	var skip bool
	c := &cobra.Command{
		Use:   "decode --tokenizer FILE",
		Short: "Turn tokens into text: JSON lines in, JSON lines out",
		Long: `Decode reads {"ids": […]} a line from standard input and prints {"text": …} for each, in
order, on all cores. It skips IDs without a token. An unreadable line gives {"error": …} in
its place and exit status 1 at the end; the other lines are still decoded.`,
		Example: `  echo '{"ids": [9906]}' | quintain tokenizer decode --tokenizer tokenizer.json`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, w, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return pipe.Decode(ctx, t, skip, w.stdin, w.stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&skip, "skip-special", false, "skip special tokens")
	return c
}
