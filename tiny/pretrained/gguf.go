package pretrained

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// factors is the tensor that says in a GGUF file how Llama's rotations are scaled.
const factors = "rope_freqs.weight"

// openGGUF reads the model of a GGUF file, which closes with it.
func openGGUF(m *Model, g *gguf.File) error {
	m.source = g
	k := &keys{file: g}
	arch := k.text("general.architecture")
	if k.err == nil && !slices.Contains([]string{"llama", "qwen2", "qwen3"}, arch) {
		return fmt.Errorf("general.architecture: is %.40q: %s", arch, known)
	}
	k.prefix = arch + "."
	k.sizes(&m.Config)
	if k.err == nil {
		k.err = checkKeys(g, arch)
	}
	m.ends(k)
	if k.err != nil {
		return k.err
	}
	var err error
	if m.Tokenizer, err = tokenizer.FromGGUF(g); err != nil {
		return err
	}
	tensors := map[string]weight{}
	for _, t := range g.Tensors {
		tensors[t.Name] = weight{name: t.Name, shape: t.Shape, kind: t.Type, raw: g.Raw(t)}
	}
	if scaled, has := g.Tensor(factors); has {
		if err := m.scaling(g, scaled); err != nil {
			return err
		}
		delete(tensors, factors)
	}
	if arch == "llama" {
		interleaved(tensors)
	}
	return m.check(tensors, func(frozen string) string {
		name, _ := spelling(frozen)
		return name
	})
}

// interleaved marks the tensors whose rotary pairs are neighbours.
func interleaved(tensors map[string]weight) {
	for name, w := range tensors {
		if strings.Contains(name, ".attn_q.") || strings.Contains(name, ".attn_k.") {
			w.heads = -1 // check knows how many
			tensors[name] = w
		}
	}
}

// keys reads keys until one is not as it should be.
type keys struct {
	file   *gguf.File
	prefix string
	err    error
}

// text reads a text.
func (k *keys) text(key string) (text string) {
	if k.err == nil {
		text, k.err = k.file.Text(key)
	}
	return text
}

// int reads a whole number; missing: it need not be there.
func (k *keys) int(key string, missing ...int) (n int) {
	if len(missing) > 0 && !k.file.Has(k.prefix+key) {
		return missing[0]
	}
	if k.err == nil {
		n, k.err = k.file.Int(k.prefix + key)
	}
	return n
}

// float reads a number; missing: it need not be there.
func (k *keys) float(key string, missing ...float64) (x float64) {
	if len(missing) > 0 && !k.file.Has(k.prefix+key) {
		return missing[0]
	}
	if k.err == nil {
		x, k.err = k.file.Float(k.prefix + key)
	}
	return x
}

// must notes an error unless ok.
func (k *keys) must(ok bool, format string, args ...any) {
	if k.err == nil && !ok {
		k.err = fmt.Errorf(format, args...)
	}
}

// sizes reads the sizes of the model.
func (k *keys) sizes(c *transformer.Config) {
	c.Layers, c.Width, c.Hidden = k.int("block_count"), k.int("embedding_length"), k.int("feed_forward_length")
	c.Context = min(k.int("context_length"), maxContext)
	c.Heads = k.int("attention.head_count")
	c.KVHeads = k.int("attention.head_count_kv", c.Heads)
	c.Epsilon, c.RotaryBase = k.float("attention.layer_norm_rms_epsilon"), k.float("rope.freq_base", 10000)
	c.HeadWidth = k.int("attention.key_length", c.Width/max(1, c.Heads))
	for _, same := range []string{"attention.value_length", "rope.dimension_count"} {
		n := k.int(same, c.HeadWidth)
		k.must(n == c.HeadWidth, "%s: is %d, want the width of a head, %d: %s", k.prefix+same, n, c.HeadWidth, known)
	}
	embedding, has := k.file.Tensor("token_embd.weight")
	k.must(has, "tensor token_embd.weight: is missing: this file has no model, only its vocabulary")
	if k.err != nil {
		return
	}
	c.Vocab = embedding.Shape[0]
	tokens, err := k.file.Texts("tokenizer.ggml.tokens")
	if err != nil {
		k.err = err
		return
	}
	k.must(len(tokens) == c.Vocab, "tokenizer.ggml.tokens: has %d tokens, but token_embd.weight %d rows", len(tokens), c.Vocab)
	n := k.int("vocab_size", c.Vocab)
	k.must(n == c.Vocab, "%s: is %d, but token_embd.weight has %d rows", k.prefix+"vocab_size", n, c.Vocab)
	_, untied := k.file.Tensor("output.weight")
	c.Tied, c.Biases, c.QKNorm = !untied, k.prefix == "qwen2.", k.prefix == "qwen3."
}

// maxContext is the longest context that [transformer.Config] takes.
const maxContext = 1 << 17

// checkKeys refuses keys of other shapes.
func checkKeys(g *gguf.File, arch string) error {
	read := strings.Fields("block_count embedding_length feed_forward_length context_length attention.head_count attention.head_count_kv attention.layer_norm_rms_epsilon " +
		"rope.freq_base attention.key_length attention.value_length rope.dimension_count vocab_size")
	for _, key := range g.Keys(arch + ".") {
		short := strings.TrimPrefix(key, arch+".")
		switch {
		case slices.Contains(read, short) || short == "tensor_data_layout":
		case short == "rope.scaling.type":
			if kind, err := g.Text(key); err != nil || kind != "none" {
				return fmt.Errorf("%s: is %.40q, want none: %s", key, kind, known)
			}
		case short == "expert_count" || short == "expert_used_count" || short == "attention.sliding_window":
			if n, err := g.Int(key); err != nil || n != 0 {
				return fmt.Errorf("%s: is %d: %s", key, n, known)
			}
		default:
			return fmt.Errorf("%s: is a key that is not known here: %s", key, known)
		}
	}
	if n, err := g.Int("split.count"); err == nil && n > 1 {
		return fmt.Errorf("split.count: the model is in %d files: join them with llama-gguf-split --merge", n)
	}
	return nil
}

// scaling reads by which factors the rotations are slower. They must be those of [transformer.Scaling] with the
// numbers that all models of Llama have.
func (m *Model) scaling(g *gguf.File, t gguf.Tensor) error {
	c := &m.Config
	if len(t.Shape) != 1 || t.Shape[0] != c.HeadWidth/2 {
		return fmt.Errorf("tensor %s: has the shape %v, want %d values", factors, t.Shape, c.HeadWidth/2)
	}
	values, err := g.Floats(t)
	if err != nil {
		return err
	}
	s := transformer.Scaling{Factor: float64(values[len(values)-1]), Low: 1, High: 4, Context: 8192}
	for i, x := range values {
		rounds := float64(s.Context) * math.Pow(c.RotaryBase, -2*float64(i)/float64(c.HeadWidth)) / (2 * math.Pi)
		kept := min(max((rounds-s.Low)/(s.High-s.Low), 0), 1)
		if want := 1 / (kept + (1-kept)/s.Factor); !(math.Abs(float64(x)-want) <= 1e-3*want) {
			return fmt.Errorf("tensor %s: factor %d is %v, want %.6g, as in the models of Llama: %s", factors, i, x, want, known)
		}
	}
	c.Rotary = s
	return nil
}

// ends reads the tokens that end a reply: those with a key, and the control tokens that llama.cpp knows by name.
func (m *Model) ends(k *keys) {
	k.prefix = "tokenizer.ggml."
	for _, key := range []string{"eos_token_id", "eot_token_id", "eom_token_id"} {
		if id := k.int(key, -1); id >= 0 {
			m.Ends = append(m.Ends, int32(min(id, math.MaxInt32)))
		}
	}
	if k.err != nil {
		return
	}
	tokens, err := k.file.Texts("tokenizer.ggml.tokens")
	if err != nil {
		k.err = err
		return
	}
	types, err := k.file.Ints("tokenizer.ggml.token_type")
	if err != nil {
		k.err = err
		return
	}
	const control = 3
	for id, kind := range types {
		if kind == control && id < len(tokens) && slices.Contains([]string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"}, tokens[id]) {
			m.Ends = append(m.Ends, int32(id))
		}
	}
}
