// Package pretrained opens language models of others for [transformer.Adapt]: GGUF files, and
// folders of Hugging Face. It reads models of the shapes of Llama, with its scaling of rotations,
// Qwen2 and Qwen3, and refuses others by the key or the tensor that it does not know.
//
// Files are hostile input: nothing is allocated before its size has been compared with the file's.
package pretrained

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A Model is an open model. Its methods are for one goroutine.
type Model struct {
	Path      string             // the GGUF file or the folder: it is the model's tokenizer and chat template as well
	Name      string             // that of the file or folder
	Config    transformer.Config // without Rank and Alpha, which the caller chooses
	Tokenizer *tokenizer.Tokenizer
	Ends      []int32 // tokens that end a reply, in ascending order

	weights map[string]weight // by the name in [transformer.Config.Frozen]
	source  io.Closer
}

// A weight is a tensor of a file.
type weight struct {
	name  string // in the file
	shape []int  // rows first
	kind  gguf.Type
	raw   *io.SectionReader
	heads int // above 0: the rotary pairs of so many heads are neighbouring rows, where they belong half a head apart
}

// Open opens a model. The error names the file, and the key or the tensor in it.
func Open(path string) (*Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	m, open := &Model{Path: path, Name: name(path)}, openFolder
	if !info.IsDir() {
		if !gguf.Is(path) {
			return nil, fmt.Errorf("%s: is no GGUF file: name one, or the folder of a model with %s and model.safetensors", path, configFile)
		}
		file, err := gguf.Open(path)
		if err != nil {
			return nil, err
		}
		open = func(m *Model) error { return openGGUF(m, file) }
	}
	if err := open(m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, m.Close()))
	}
	return m, nil
}

// name returns the name of a file or folder; of a snapshot in the cache of Hugging Face, the model's.
func name(path string) string {
	if all, err := filepath.Abs(path); err == nil {
		path = all
	}
	above := filepath.Base(filepath.Dir(filepath.Dir(path)))
	if repository, is := strings.CutPrefix(above, "models--"); is && filepath.Base(filepath.Dir(path)) == "snapshots" {
		return strings.ReplaceAll(repository, "--", "/")
	}
	return strings.TrimSuffix(filepath.Base(path), ".gguf")
}

// Close closes the files.
func (m *Model) Close() error {
	if m.source == nil {
		return nil
	}
	return m.source.Close()
}

// known is the remedy for a model of another shape, damaged that for one at odds with itself.
const (
	known   = "only models of the shapes of Llama, Qwen2 and Qwen3 are read"
	damaged = "the file is damaged or wrongly converted, get another one"
)

// check checks the sizes, and that tensors, by their names in the file, are those of m's shape. Spell tells the name
// in the file.
func (m *Model) check(tensors map[string]weight, spell func(frozen string) string) error {
	c := m.Config
	c.Rank, c.Alpha = 16, 32 // any: it is about the others
	if err := c.Check(); err != nil {
		return fmt.Errorf("%w: %s", err, known)
	}
	m.weights = map[string]weight{}
	heads := map[string]int{"q": c.Heads, "k": cmp.Or(c.KVHeads, c.Heads)}
	for _, want := range c.Frozen() {
		name := spell(want.Name)
		w, has := tensors[name]
		shape := []int{want.Rows, want.Cols}
		if want.Rows == 1 {
			shape = shape[1:]
		}
		switch {
		case !has:
			return fmt.Errorf("tensor %s: is missing: %s", name, damaged)
		case !slices.Equal(w.shape, shape):
			return fmt.Errorf("tensor %s: has the shape %v, want %v: %s", name, w.shape, shape, damaged)
		case !w.kind.Readable():
			return fmt.Errorf("tensor %s: has the type %s, want %s: take a file of another quantisation, such as Q8_0", name, w.kind, gguf.Readable())
		}
		if w.heads != 0 {
			name := strings.TrimSuffix(want.Name, ".bias")
			w.heads = heads[name[len(name)-1:]]
		}
		m.weights[want.Name] = w
		delete(tensors, name)
	}
	for name := range tensors {
		return fmt.Errorf("tensor %.100q: is not one of this shape: %s", name, known)
	}
	return m.checkVocabulary()
}

// checkVocabulary checks that tokenizer and end tokens fit the embedding.
func (m *Model) checkVocabulary() error {
	if n := m.Tokenizer.Size(); n > m.Config.Vocab {
		return fmt.Errorf("the tokenizer has %d tokens, but the model %d: it is another model's", n, m.Config.Vocab)
	}
	slices.Sort(m.Ends)
	m.Ends = slices.Compact(m.Ends)
	if len(m.Ends) == 0 {
		return errors.New("no token ends a reply: want eos_token_id in generation_config.json, or tokenizer.ggml.eos_token_id in a GGUF file")
	}
	for _, end := range m.Ends {
		if end < 0 || int(end) >= m.Config.Vocab {
			return fmt.Errorf("the token %d ends a reply, but the model has %d: %s", end, m.Config.Vocab, damaged)
		}
	}
	return nil
}

// Read fills t.Data, as [transformer.Adapt] asks for. The error names the tensor of the file: it cannot be read, or
// has a value that is no finite number.
func (m *Model) Read(t transformer.Tensor) error {
	w, has := m.weights[t.Name]
	if !has {
		return fmt.Errorf("%s: there is no such tensor", t.Name)
	}
	if _, err := w.raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.kind.Read(t.Data[:t.Rows*t.Cols], w.raw); err != nil {
		return fmt.Errorf("tensor %s of %s: %w", w.name, m.Path, err)
	}
	for i, x := range t.Data[:t.Rows*t.Cols] {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("tensor %s of %s: the value in row %d, column %d is %v: the file is damaged, get it again", w.name, m.Path, i/t.Cols, i%t.Cols, x)
		}
	}
	if w.heads > 0 {
		part(t, w.heads)
	}
	return nil
}

// part puts the first rows of each pair of neighbouring ones in the first half of their head. A vector is a column.
func part(t transformer.Tensor, heads int) {
	rows, cols := t.Rows, t.Cols
	if rows == 1 {
		rows, cols = cols, 1
	}
	width := rows / heads
	pairs := make([]float32, width*cols)
	for head := range heads {
		to := t.Data[head*width*cols:][:width*cols]
		copy(pairs, to)
		for i := range width {
			copy(to[i*cols:][:cols], pairs[(i%(width/2)*2+i/(width/2))*cols:])
		}
	}
}

// Digest returns a hash of all weights as they stand in the file, in hexadecimal digits. It reads them all.
func (m *Model) Digest() (string, error) {
	sum := sha256.New()
	c := m.Config
	for _, t := range c.Frozen() {
		w := m.weights[t.Name]
		fmt.Fprintln(sum, t.Name, w.kind, w.shape)
		if _, err := w.raw.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		if _, err := io.Copy(sum, w.raw); err != nil {
			return "", fmt.Errorf("tensor %s of %s: %w", w.name, m.Path, err)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// Size returns the bytes of all weights as they stand in the file.
func (m *Model) Size() (bytes int64) {
	for _, w := range m.weights {
		bytes += w.raw.Size()
	}
	return bytes
}

// spelling returns the names of a tensor of [transformer.Config.Frozen] in GGUF files and in those of Hugging Face.
func spelling(frozen string) (inGGUF, inFolder string) {
	layer, part := "", frozen
	if rest, is := strings.CutPrefix(frozen, "layers."); is {
		layer, part, _ = strings.Cut(rest, ".")
	}
	names := map[string][2]string{
		"embed": {"token_embd.weight", "model.embed_tokens.weight"}, "head": {"output.weight", "lm_head.weight"}, "last": {"output_norm.weight", "model.norm.weight"},
		"in": {"attn_norm.weight", "input_layernorm.weight"}, "mid": {"ffn_norm.weight", "post_attention_layernorm.weight"},
		"q": {"attn_q.weight", "self_attn.q_proj.weight"}, "k": {"attn_k.weight", "self_attn.k_proj.weight"}, "v": {"attn_v.weight", "self_attn.v_proj.weight"},
		"q.bias": {"attn_q.bias", "self_attn.q_proj.bias"}, "k.bias": {"attn_k.bias", "self_attn.k_proj.bias"}, "v.bias": {"attn_v.bias", "self_attn.v_proj.bias"},
		"q.gain": {"attn_q_norm.weight", "self_attn.q_norm.weight"}, "k.gain": {"attn_k_norm.weight", "self_attn.k_norm.weight"},
		"out": {"attn_output.weight", "self_attn.o_proj.weight"}, "gate": {"ffn_gate.weight", "mlp.gate_proj.weight"},
		"up": {"ffn_up.weight", "mlp.up_proj.weight"}, "down": {"ffn_down.weight", "mlp.down_proj.weight"},
	}
	name := names[part]
	if layer == "" {
		return name[0], name[1]
	}
	return "blk." + layer + "." + name[0], "model.layers." + layer + "." + name[1]
}
