package chattemplate

import (
	"fmt"

	"github.com/quintain-rl/quintain/tiny/gguf"
)

// FromGGUF returns the chat templates and the special tokens of a GGUF file. The error names the key.
func FromGGUF(g *gguf.File) (*Config, error) {
	c := &Config{}
	const main = "tokenizer.chat_template"
	if g.Has(main) {
		source, err := g.Text(main)
		if err != nil {
			return nil, err
		}
		c.Templates = append(c.Templates, NamedTemplate{"default", source})
	}
	if g.Has(main + "s") { // the names of further ones
		names, err := g.Texts(main + "s")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			source, err := g.Text(main + "." + name)
			if err != nil {
				return nil, err
			}
			c.Templates = append(c.Templates, NamedTemplate{name, source})
		}
	}
	tokens, err := g.Texts("tokenizer.ggml.tokens")
	if err != nil {
		return nil, err
	}
	for _, token := range [][2]string{{"bos", "bos"}, {"eos", "eos"}, {"unk", "unknown"}, {"pad", "padding"}, {"cls", "cls"}, {"mask", "mask"}} {
		key := "tokenizer.ggml." + token[1] + "_token_id"
		if !g.Has(key) {
			continue
		}
		id, err := g.Int(key)
		if err != nil {
			return nil, err
		}
		if id < 0 || id >= len(tokens) {
			return nil, fmt.Errorf("%s: is %d, want one of the %d tokens", key, id, len(tokens))
		}
		if err := c.Tokens.Set(token[0]+"_token", tokens[id]); err != nil {
			return nil, err
		}
	}
	return c, nil
}
