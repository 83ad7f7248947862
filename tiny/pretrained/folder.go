package pretrained

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/safetensors"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// The files of a folder beside its weights and its tokenizer.
const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
)

// maxConfig bounds either, in bytes.
const maxConfig = 1 << 20

// A form is a config.json. Members that are not here change nothing in the shapes that are read.
type form struct {
	Type          string          `json:"model_type"`
	Vocab         int             `json:"vocab_size"`
	Width         int             `json:"hidden_size"`
	Hidden        int             `json:"intermediate_size"`
	Layers        int             `json:"num_hidden_layers"`
	Heads         int             `json:"num_attention_heads"`
	KVHeads       *int            `json:"num_key_value_heads"`
	HeadWidth     *int            `json:"head_dim"`
	Context       int             `json:"max_position_embeddings"`
	Epsilon       *float64        `json:"rms_norm_eps"`
	Base          *float64        `json:"rope_theta"`
	Scaling       *rotary         `json:"rope_scaling"`
	Rotary        *rotary         `json:"rope_parameters"` // transformers 5 writes both here
	Activation    *string         `json:"hidden_act"`
	AttentionBias bool            `json:"attention_bias"`
	MLPBias       bool            `json:"mlp_bias"`
	Sliding       bool            `json:"use_sliding_window"`
	LayerTypes    []string        `json:"layer_types"`
	Part          *float64        `json:"partial_rotary_factor"`
	Interleaved   bool            `json:"rope_interleaved"`
	Quantisation  json.RawMessage `json:"quantization_config"`
	Tied          *bool           `json:"tie_word_embeddings"`
	Ends          json.RawMessage `json:"eos_token_id"`
}

// A rotary says how rotations are scaled.
type rotary struct {
	Type    string   `json:"rope_type"`
	OldType string   `json:"type"`
	Base    *float64 `json:"rope_theta"`
	Part    *float64 `json:"partial_rotary_factor"`
	Factor  float64  `json:"factor"`
	Low     float64  `json:"low_freq_factor"`
	High    float64  `json:"high_freq_factor"`
	Context int      `json:"original_max_position_embeddings"`
}

// openFolder opens a folder.
func openFolder(m *Model) error {
	var of form
	if err := readJSON(filepath.Join(m.Path, configFile), &of); err != nil {
		return err
	}
	files, err := safetensors.Open(m.Path)
	if err != nil {
		return err
	}
	m.source = files
	_, head := files.Tensors["lm_head.weight"]
	if err := of.config(&m.Config, head); err != nil {
		return fmt.Errorf("%s: %w", configFile, err)
	}
	if err := m.endsOf(of); err != nil {
		return err
	}
	if m.Tokenizer, err = tokenizer.Load(m.Path, tokenizer.CacheFolder()); err != nil {
		return err
	}
	tensors := map[string]weight{}
	for name, t := range files.Tensors {
		kind, known := map[safetensors.Type]gguf.Type{safetensors.Float32: gguf.F32, safetensors.Float16: gguf.F16, safetensors.BFloat16: gguf.BF16}[t.Type]
		if !known {
			return fmt.Errorf("tensor %.100q: has the type %.20q, want F32, F16 or BF16: take the model without quantisation, or a GGUF file", name, t.Type)
		}
		if m.Config.Tied && name == "lm_head.weight" || strings.HasSuffix(name, ".rotary_emb.inv_freq") {
			continue // a copy, and what the base tells
		}
		tensors[name] = weight{name: name, shape: t.Shape, kind: kind, raw: t.Raw()}
	}
	return m.check(tensors, func(frozen string) string {
		_, name := spelling(frozen)
		return name
	})
}

// readJSON reads a file of settings.
func readJSON(path string, to any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return err
	}
	if len(text) > maxConfig {
		return fmt.Errorf("%s: want at most %d bytes", filepath.Base(path), maxConfig)
	}
	if err := strictjson.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), strictjson.Explain(err))
	}
	return nil
}

// config writes the sizes to c. Head says that the file has an output of its own.
func (f *form) config(c *transformer.Config, head bool) error {
	rotation, err := f.rotation(c)
	for _, s := range []struct {
		key   string
		is    any
		right bool
	}{
		{"model_type", f.Type, slices.Contains([]string{"llama", "qwen2", "qwen3"}, f.Type)},
		{"quantization_config", "there", len(f.Quantisation) == 0 || string(f.Quantisation) == "null"},
		{"hidden_act", f.Activation, f.Activation == nil || *f.Activation == "silu"},
		{"attention_bias", f.AttentionBias, !f.AttentionBias},
		{"mlp_bias", f.MLPBias, !f.MLPBias},
		{"rope_interleaved", f.Interleaved, !f.Interleaved},
		{"use_sliding_window", f.Sliding, !f.Sliding},
		{"layer_types", f.LayerTypes, !slices.ContainsFunc(f.LayerTypes, func(kind string) bool { return kind != "full_attention" })},
		{"partial_rotary_factor", f.Part, f.Part == nil || *f.Part == 1},
		{"rms_norm_eps", f.Epsilon, f.Epsilon != nil},
	} {
		if is, text := s.is.(*string); text && is != nil {
			s.is = *is
		}
		if !s.right {
			return fmt.Errorf("%s: is %.60v: %s", s.key, s.is, known)
		}
	}
	if err != nil {
		return err
	}
	c.Vocab, c.Width, c.Hidden, c.Layers, c.Heads, c.Context = f.Vocab, f.Width, f.Hidden, f.Layers, f.Heads, min(f.Context, maxContext)
	c.KVHeads, c.HeadWidth = f.Heads, f.Width/max(1, f.Heads)
	if f.KVHeads != nil {
		c.KVHeads = *f.KVHeads
	}
	if f.HeadWidth != nil {
		c.HeadWidth = *f.HeadWidth
	}
	c.Epsilon, c.Rotary = *f.Epsilon, rotation
	c.Biases, c.QKNorm, c.Tied = f.Type == "qwen2", f.Type == "qwen3", !head
	if f.Tied != nil {
		c.Tied = *f.Tied
	}
	return nil
}

// rotation sets the base of the rotations, and returns how they are scaled.
func (f *form) rotation(c *transformer.Config) (s transformer.Scaling, err error) {
	r := f.Scaling
	if f.Rotary != nil {
		r = f.Rotary
	}
	base := f.Base
	if r != nil && r.Base != nil {
		base = r.Base
	}
	c.RotaryBase = 10000
	if base != nil {
		c.RotaryBase = *base
	}
	if r == nil {
		return s, nil
	}
	kind := r.Type
	if kind == "" {
		kind = r.OldType
	}
	switch {
	case r.Part != nil && *r.Part != 1:
		return s, fmt.Errorf("rope_parameters.partial_rotary_factor: is %v: %s", *r.Part, known)
	case kind == "default" || kind == "":
		return s, nil
	case kind != "llama3":
		return s, fmt.Errorf("rope_scaling.rope_type: is %.40q, want llama3 or default: %s", kind, known)
	}
	return transformer.Scaling{Factor: r.Factor, Low: r.Low, High: r.High, Context: r.Context}, nil
}

// endsOf reads the tokens that end a reply: those of generation_config.json, or else of config.json.
func (m *Model) endsOf(of form) error {
	var generation struct {
		Ends json.RawMessage `json:"eos_token_id"`
	}
	if err := readJSON(filepath.Join(m.Path, generationFile), &generation); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, raw := generationFile, generation.Ends
	if len(raw) == 0 || string(raw) == "null" {
		file, raw = configFile, of.Ends
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil // check says it
	}
	if !bytes.HasPrefix(raw, []byte("[")) {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	if err := strictjson.Unmarshal(raw, &m.Ends); err != nil {
		return fmt.Errorf("%s: eos_token_id: is %.40s, want a token, or a list of tokens", file, raw)
	}
	return nil
}
