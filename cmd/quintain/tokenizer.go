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
		Long: `Tokenizer turns text into tokens and back, as a tokenizer.json of Hugging Face says. The
tokens are those of the library tokenizers. What a file asks for that is not supported is
an error that names its place in the file.`,
		Example: `  echo '{"text": "Hello"}' | quintain tokenizer encode --tokenizer tokenizer.json
  echo '{"ids": [9906]}' | quintain tokenizer decode --tokenizer tokenizer.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTokenizerEncode(w), newTokenizerDecode(w))
	return c
}

// A tokenizerFile is a tokenizer in flags.
type tokenizerFile struct{ path, cache string }

// flags gives c the flags of the tokenizer.
func (t *tokenizerFile) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.path, "tokenizer", "", "the tokenizer.json")
	c.Flags().StringVar(&t.cache, "cache", tokenizer.CacheFolder(), "folder that keeps what was read of the file, to start sooner; empty: none")
	_ = c.MarkFlagRequired("tokenizer") // which is there
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
order. All cores work. A line that cannot be read gives {"error": …} in its place and
exit status 1 at the end; the others are still encoded.`,
		Example: `  echo '{"text": "Hello"}' | quintain tokenizer encode --tokenizer tokenizer.json --special`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, w, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return pipe.Encode(ctx, t, special, w.stdin, w.stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&special, "special", false, "add the special tokens with which a text begins and ends, such as <s>")
	return c
}

func newTokenizerDecode(w *world) *cobra.Command {
	var file tokenizerFile
	var skip bool
	c := &cobra.Command{
		Use:   "decode --tokenizer FILE",
		Short: "Turn tokens into text: JSON lines in, JSON lines out",
		Long: `Decode reads {"ids": […]} a line from standard input and prints {"text": …} for each, in
order. All cores work. Ids without a token are left out. A line that cannot be read gives
{"error": …} in its place and exit status 1 at the end; the others are still decoded.`,
		Example: `  echo '{"ids": [9906]}' | quintain tokenizer decode --tokenizer tokenizer.json`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, w, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return pipe.Decode(ctx, t, skip, w.stdin, w.stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&skip, "skip-special", false, "leave out special tokens")
	return c
}
