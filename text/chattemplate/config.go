package chattemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A Config holds the chat templates of a tokenizer_config.json.
type Config struct {
	Templates []NamedTemplate // in the order of the file
	Tokens    Vars            // bos_token, eos_token and the other special tokens in the file, as text; those of the model alone too, such as image_token
}

// A NamedTemplate is the source of a template.
type NamedTemplate struct {
	Name   string `json:"name"` // "default" for the only template of a file
	Source string `json:"template"`
}

// specialTokens lists the tokens of every model. Templates see them, and what else the
// configuration names like a token.
var specialTokens = []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token", "additional_special_tokens"}

// ParseConfig parses a tokenizer_config.json.
func ParseConfig(text []byte) (*Config, error) {
	var members map[string]json.RawMessage
	if err := strictjson.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("tokenizer_config: %w", err)
	}
	c := &Config{}
	if err := c.addTokens(members); err != nil {
		return nil, err
	}
	for _, of := range []string{"extra_special_tokens", "model_specific_special_tokens"} {
		var named map[string]json.RawMessage
		if strictjson.Unmarshal(members[of], &named) == nil { // else a list, of tokens without names
			if err := c.addTokens(named); err != nil {
				return nil, err
			}
		}
	}
	raw := members["chat_template"]
	if raw == nil || string(raw) == "null" {
		return c, nil
	}
	var source string
	if raw[0] == '"' && strictjson.Unmarshal(raw, &source) == nil {
		c.Templates = []NamedTemplate{{"default", source}}
		return c, nil
	}
	if err := strictjson.Unmarshal(raw, &c.Templates); err != nil {
		return nil, fmt.Errorf("tokenizer_config: chat_template: want a string or a list of {\"name\", \"template\"}: %w", err)
	}
	return c, nil
}

// addTokens adds the tokens among members, unless they are there already.
func (c *Config) addTokens(members map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		usual, raw := slices.Contains(specialTokens, name), members[name]
		if !usual && !strings.HasSuffix(name, "_token") || c.Tokens.Has(name) || string(raw) == "null" {
			continue
		}
		token, err := specialToken(raw)
		switch {
		case err == nil:
			c.Tokens.put(name, token)
		case usual: // others may be switches, such as add_bos_token
			return fmt.Errorf("tokenizer_config: %s: %w", name, err)
		}
	}
	return nil
}

// specialToken parses a token: a string, an object with the string as content, or a list of these.
func specialToken(raw json.RawMessage) (value, error) {
	v, err := pyvalue.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	if l, ok := v.(*pyvalue.List); ok {
		for i, item := range l.Items {
			if l.Items[i], err = tokenText(item); err != nil {
				return nil, err
			}
		}
		return l, nil
	}
	return tokenText(v)
}

func tokenText(v value) (value, error) {
	if d, ok := v.(*pyvalue.Dict); ok {
		v, _ = d.Get("content")
	}
	if _, ok := v.(string); !ok {
		return nil, fmt.Errorf("is %s, want a string or an object with the string content", pyvalue.TypeName(v))
	}
	return v, nil
}

// A Chat renders conversations like apply_chat_template of transformers. It does not change, and is
// safe for concurrent use.
type Chat struct {
	plain, tools *Template
	tokens       Vars
}

// Chat compiles the named template. An empty name leaves the choice to each conversation, as in
// transformers: tool_use if it has tools, or else default.
func (c *Config) Chat(name string) (*Chat, error) {
	if len(c.Templates) == 0 {
		return nil, errors.New("tokenizer_config: chat_template is missing; give the template as a file of its own")
	}
	chat := &Chat{tokens: c.Tokens}
	var err error
	if name != "" {
		chat.plain, err = c.compile(name)
		chat.tools = chat.plain
		return chat, err
	}
	if chat.plain, err = c.compile("default"); err != nil {
		return nil, err
	}
	chat.tools = chat.plain
	if c.has("tool_use") {
		chat.tools, err = c.compile("tool_use")
	}
	return chat, err
}

// has reports whether the named template exists.
func (c *Config) has(name string) bool {
	return slices.ContainsFunc(c.Templates, func(t NamedTemplate) bool { return t.Name == name })
}

// compile compiles the named template.
func (c *Config) compile(name string) (*Template, error) {
	var names []string
	for _, t := range c.Templates {
		if t.Name == name {
			template, err := Compile(t.Source)
			if err != nil {
				return nil, fmt.Errorf("chat template %s: %w", name, err)
			}
			return template, nil
		}
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("there is no chat template %q, want %s", name, strings.Join(names, " or "))
}

// Source is the text of the template for conversations with tools.
func (c *Chat) Source() string { return c.tools.source }

// Render renders a conversation: the variable messages, and any others that the template reads.
// Missing variables default as in transformers: tools and documents are None, add_generation_prompt
// is false, and the special tokens are those of the configuration. Render does not change vars.
func (c *Chat) Render(vars Vars, o Options) (Rendering, error) {
	messages, _ := vars.dict().Get("messages")
	if l, ok := messages.(*pyvalue.List); !ok || l.Tuple {
		return Rendering{}, errors.New("messages: want a list of messages")
	}
	var all Vars
	all.Merge(vars)
	all.Merge(c.tokens)
	for _, name := range []string{"tools", "documents"} {
		if !all.Has(name) {
			all.put(name, nil)
		}
	}
	if !all.Has("add_generation_prompt") {
		all.put("add_generation_prompt", false)
	}
	if tools, _ := all.d.Get("tools"); tools != nil {
		return c.tools.Render(all, o)
	}
	return c.plain.Render(all, o)
}
