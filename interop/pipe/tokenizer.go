package pipe

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/text/tokenizer"
)

// A Desk is where verbs of pipes work.
type Desk struct {
	Stdin  io.Reader
	Stdout io.Writer
	NoArgs cobra.PositionalArgs // refuses arguments

	// Attend runs work until it ends or is interrupted.
	Attend func(ctx context.Context, work func(ctx context.Context) error) error
}

// Tokenizer returns the verb of tokenizers, with those below it.
func (d *Desk) Tokenizer() *cobra.Command {
	c := &cobra.Command{
		Use:   "tokenizer",
		Short: "Turn text into the tokens of a model, and back",
		Long: `Tokenizer turns text into tokens and back, by a tokenizer.json of Hugging Face or by the GGUF
file of a model. The tokens are those of the library tokenizers. An unsupported part of the
file is an error that names its place.`,
		Example: `  echo '{"text": "Hello"}' | quintain policy tokenizer encode --tokenizer my-model
  echo '{"ids": [72, 105]}' | quintain policy tokenizer decode --tokenizer my-model`,
		Args: d.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(d.encode(), d.decode())
	return c
}

// A tokenizerFile is a tokenizer by flags.
type tokenizerFile struct{ path, cache string }

// flags gives c the flags of the tokenizer.
func (t *tokenizerFile) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.path, "tokenizer", "", "tokenizer.json of the model, its folder, or its GGUF file")
	c.Flags().StringVar(&t.cache, "cache", tokenizer.CacheFolder(), "folder that caches the compiled file, to start sooner; empty: none")
	_ = c.MarkFlagRequired("tokenizer") // the flag exists
}

// pipe loads the tokenizer and runs answer until it ends or is interrupted.
func (t *tokenizerFile) pipe(c *cobra.Command, d *Desk, answer func(ctx context.Context, t *tokenizer.Tokenizer) error) error {
	loaded, err := tokenizer.Load(t.path, t.cache)
	if err != nil {
		return err
	}
	return d.Attend(c.Context(), func(ctx context.Context) error { return answer(ctx, loaded) })
}

// encode returns the verb that encodes.
func (d *Desk) encode() *cobra.Command {
	var file tokenizerFile
	var special bool
	c := &cobra.Command{
		Use:   "encode --tokenizer FILE",
		Short: "Turn text into tokens: JSON lines in, JSON lines out",
		Long: `Encode reads {"text": …} a line from standard input and prints {"ids": […]} for each, in
order, on all cores. An unreadable line gives {"error": …} in its place and exit status 1
at the end; the other lines are still encoded.`,
		Example: `  echo '{"text": "Hello"}' | quintain policy tokenizer encode --tokenizer my-model --special`,
		Args:    d.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, d, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return Encode(ctx, t, special, d.Stdin, d.Stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&special, "special", false, "add the special tokens at the ends of a text, such as <s>")
	return c
}

// decode returns the verb that decodes.
func (d *Desk) decode() *cobra.Command {
	var file tokenizerFile
	var skip bool
	c := &cobra.Command{
		Use:   "decode --tokenizer FILE",
		Short: "Turn tokens into text: JSON lines in, JSON lines out",
		Long: `Decode reads {"ids": […]} a line from standard input and prints {"text": …} for each, in
order, on all cores. It skips IDs without a token. An unreadable line gives {"error": …} in
its place and exit status 1 at the end; the other lines are still decoded.`,
		Example: `  echo '{"ids": [72, 105]}' | quintain policy tokenizer decode --tokenizer my-model`,
		Args:    d.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return file.pipe(c, d, func(ctx context.Context, t *tokenizer.Tokenizer) error {
				return Decode(ctx, t, skip, d.Stdin, d.Stdout)
			})
		},
	}
	file.flags(c)
	c.Flags().BoolVar(&skip, "skip-special", false, "skip special tokens")
	return c
}
