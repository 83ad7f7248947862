package exact

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/text/toolcall"
	"github.com/quintain-rl/quintain/tiny/gguf"
)

// ByteTokenizer names [Bytes] instead of a file.
const ByteTokenizer = "bytes"

// Files names a model's tokenizer and chat template. They are settings.
type Files struct {
	Tokenizer  string         // a tokenizer.json, a folder with one, a GGUF file, or ByteTokenizer; empty: none
	Config     string         // tokenizer_config.json, or a GGUF file; empty: the one beside the tokenizer, or that GGUF file
	Template   string         // file of the chat template; empty: the model's own
	Vars       map[string]any // further variables of the template
	Vocabulary string         // name of the vocabulary; empty: the caller chooses

	ToolFormat string // of the calls in replies; empty: that of the template

	TrustMessages bool // special tokens and tags written out in messages are control tokens; see [Chat]
}

// Declare implements [settings.Declarer].
func (f *Files) Declare(d *settings.Section) {
	d.Text(&f.Tokenizer, "tokenizer", "tokenizer.json of the model, its folder, or its GGUF file; "+ByteTokenizer+": one token per byte").Flag("tokenizer")
	d.Text(&f.Config, "tokenizer_config", "tokenizer_config.json of the model; none: the one beside the tokenizer")
	d.Text(&f.Template, "chat_template", "file of the chat template, instead of the model's own").Flag("chat-template")
	d.Object(&f.Vars, "template_vars", `object of further chat template variables, such as {"enable_thinking": false}`)
	d.Text(&f.ToolFormat, "tool_format", "format of tool calls in replies (docs/tool-calls.md); empty: that of the chat template, or plain if it knows no tools")
	d.Bool(&f.TrustMessages, "trust_messages", "special tokens and the template's tags written out in messages are control tokens, as in prompts rendered beforehand; otherwise they are plain text")
	d.Text(&f.Vocabulary, "vocabulary", "name of the vocabulary in groups and traces; none: the model's")
}

// Check implements [settings.Checker].
func (f *Files) Check() error {
	switch {
	case f.Tokenizer == "" && (f.Config != "" || f.Template != "" || len(f.Vars) > 0 || f.Vocabulary != ""):
		return errors.New("tokenizer: is missing; tokenizer_config, chat_template, template_vars and vocabulary need it")
	case f.Tokenizer == ByteTokenizer && (f.Config != "" || f.Template != "" || len(f.Vars) > 0 || f.Vocabulary != ""):
		return errors.New("tokenizer: " + ByteTokenizer + " has a template and a name of its own: leave out tokenizer_config, chat_template, template_vars and vocabulary")
	}
	return nil
}

// Renderer loads the files and returns their renderer. Model names the vocabulary unless
// Vocabulary does. Now answers a template that asks for the time.
func (f *Files) Renderer(model string, now time.Time) (Renderer, error) {
	if f.Tokenizer == ByteTokenizer {
		return Bytes{}, nil
	}
	text, err := f.Load()
	if err != nil {
		return nil, err
	}
	c, err := f.chat(f.config(), now)
	if err != nil {
		return nil, err
	}
	c.Tokenizer, c.Model = text, cmp.Or(f.Vocabulary, model)
	return c, nil
}

// Hashes returns hashes of the content of the files by their settings: of the tokenizer, and of all
// that the chat template may come from. It leaves out files that it cannot read.
func (f *Files) Hashes() map[string]string {
	if f.Tokenizer == "" || f.Tokenizer == ByteTokenizer {
		hashes := map[string]string{"policy.tokenizer": f.Tokenizer}
		if template, err := (TemplateFiles{Config: f.Config, Template: f.Template}).hash(); err == nil {
			hashes["policy.chat_template"] = template
		}
		return hashes
	}
	hashes := map[string]string{}
	if g, err := gguf.Open(f.Tokenizer); err == nil {
		hashes["policy.tokenizer"] = "sha256:" + g.Digest("tokenizer.", "tokenizer.chat_template")
		_ = g.Close() // it was only read
	} else if text, err := os.ReadFile(tokenizer.File(f.Tokenizer)); err == nil {
		hashes["policy.tokenizer"] = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	}
	if template, err := (TemplateFiles{Config: f.config(), Template: f.Template}).hash(); err == nil {
		hashes["policy.chat_template"] = template
	}
	return hashes
}

// config returns the path of the configuration: a GGUF file is its own.
func (f *Files) config() string {
	if f.Config == "" && gguf.Is(f.Tokenizer) {
		return f.Tokenizer
	}
	return cmp.Or(f.Config, filepath.Join(filepath.Dir(tokenizer.File(f.Tokenizer)), "tokenizer_config.json"))
}

// Load reads the tokenizer; nil: none is named, or ByteTokenizer.
func (f *Files) Load() (*tokenizer.Tokenizer, error) {
	if f.Tokenizer == "" || f.Tokenizer == ByteTokenizer {
		return nil, nil
	}
	return tokenizer.Load(f.Tokenizer, tokenizer.CacheFolder())
}

// chat reads the template from a tokenizer_config.json unless Template names a file.
func (f *Files) chat(config string, now time.Time) (*Chat, error) {
	template, err := TemplateFiles{Config: config, Template: f.Template}.Load()
	if err != nil {
		return nil, err
	}
	c := &Chat{Template: template, Now: now, TrustMessages: f.TrustMessages}
	if c.Calls, err = f.calls(template.Source()); err != nil {
		return nil, err
	}
	for name, value := range f.Vars {
		if err := c.Vars.Set(name, value); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// calls returns the format of calls in replies under a template.
func (f *Files) calls(template string) (*toolcall.Format, error) {
	if f.ToolFormat != "" {
		format, err := toolcall.Named(f.ToolFormat)
		if err != nil {
			return nil, fmt.Errorf("tool_format: %w", err)
		}
		return format, nil
	}
	if !strings.Contains(template, "tools") {
		return toolcall.Plain(), nil
	}
	return toolcall.Detect(template), nil
}

// CheckPrompt is Check for [Files.Prompt], which needs no tokenizer.
func (f *Files) CheckPrompt() error {
	switch {
	case f.Tokenizer != "" || f.Vocabulary != "":
		return errors.New("tokenizer: the server continues text, not tokens: leave out tokenizer and vocabulary; tokenizer_config and chat_template name its template")
	case f.Config == "" && f.Template == "" && len(f.Vars) > 0:
		return errors.New("template_vars: there is no template; name it with tokenizer_config or chat_template")
	}
	return nil
}

// Prompt loads the files and returns a function that renders a conversation as text for a
// server to continue, and the form of tool calls in its replies: with the chat template of Template or Config or,
// without one, [Paragraphs]. Now is as for [Files.Renderer].
func (f *Files) Prompt(now time.Time) (func(quintain.Request) (string, error), *toolcall.Format, error) {
	if f.Config == "" && f.Template == "" {
		return Paragraphs, toolcall.Plain(), nil
	}
	c, err := f.chat(f.Config, now)
	if err != nil {
		return nil, nil, err
	}
	return c.Prompt, c.Calls, nil
}

// Paragraphs returns the texts of r's messages without roles, with an empty line after each,
// for models without chat training. Tools are in them as [toolcall.Plainly] writes them.
func Paragraphs(r quintain.Request) (string, error) {
	var b strings.Builder
	for _, m := range toolcall.Plainly(r.Tools, r.Messages) {
		b.WriteString(m.Text() + "\n\n")
	}
	return b.String(), nil
}
