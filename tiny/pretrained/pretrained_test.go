package pretrained_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/safetensors"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// The models are those that conformance/models.py makes, by the same formulas.
const vocab, length = 288, 48

// stream returns n bytes that a name stands for, by SplitMix64 (Steele, Lea and Flood, 2014).
func stream(name string, n int) []byte {
	var b []byte
	for state := uint64(crc32.ChecksumIEEE([]byte(name))) << 32; len(b) < n; {
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		b = binary.LittleEndian.AppendUint64(b, z^z>>31)
	}
	return b[:n]
}

// matrix returns the blocks of a matrix, and their type.
func matrix(name string, kind gguf.Type, rows, cols int) ([]byte, gguf.Type) {
	per, size := kind.Block()
	if cols%per != 0 {
		return matrix(name, gguf.Q8_0, rows, cols)
	}
	b := stream(name, rows*cols/per*size)
	if per == 1 {
		return plain(kind, stream(name, rows*cols)), kind
	}
	halves := map[gguf.Type][]uint16{ // of 2^-7, and so on
		gguf.Q8_0: {0x1000}, gguf.Q4_0: {0x2000}, gguf.Q4_1: {0x2000, 0xab80}, gguf.Q4_K: {0x0800, 0x1400}, gguf.Q6_K: {0x0200},
	}[kind]
	for at := 0; at < len(b); at += size {
		for i, h := range halves {
			if kind == gguf.Q6_K {
				i = 104
			}
			binary.LittleEndian.PutUint16(b[at+2*i:], h)
		}
	}
	return b, kind
}

// plain writes values that all types of single values have.
func plain(kind gguf.Type, bytes []byte) (b []byte) {
	for _, x := range bytes {
		bits := math.Float32bits((2*float32(x) - 255) / 4096)
		switch kind {
		case gguf.F32:
			b = binary.LittleEndian.AppendUint32(b, bits)
		case gguf.BF16:
			b = binary.LittleEndian.AppendUint16(b, uint16(bits>>16))
		default:
			b = binary.LittleEndian.AppendUint16(b, uint16(bits>>16&0x8000|(bits&0x7fffffff-112<<23)>>13))
		}
	}
	return b
}

// A shape is one of the models.
type shape struct {
	arch   string
	config transformer.Config
}

func shapes() map[string]shape {
	c := transformer.Config{Vocab: vocab, Context: 512, Layers: 2, Width: 256, Hidden: 256, Heads: 4, KVHeads: 2, HeadWidth: 64, Epsilon: 1e-5, RotaryBase: 1e6}
	llama, untied, qwen2, qwen3 := c, c, c, c
	llama.Tied, llama.RotaryBase, llama.Rotary = true, 1e4, transformer.Scaling{Factor: 32, Low: 1, High: 4, Context: 8192}
	untied.KVHeads, untied.RotaryBase = 4, 1e5
	qwen2.Tied, qwen2.Biases = true, true
	qwen3.HeadWidth, qwen3.QKNorm = 32, true
	return map[string]shape{"llama": {"llama", llama}, "untied": {"llama", untied}, "qwen2": {"qwen2", qwen2}, "qwen3": {"qwen3", qwen3}}
}

// frozen lists the tensors of a shape.
func (s shape) frozen() []transformer.Tensor {
	c := s.config
	c.Rank, c.Alpha = 16, 32
	return c.Frozen()
}

// names returns the names of a tensor in a GGUF file and in a folder, and the middle of its gains.
func names(frozen string) (inGGUF, inFolder string, gain float32) {
	layer, part := "", frozen
	if rest, is := strings.CutPrefix(frozen, "layers."); is {
		layer, part, _ = strings.Cut(rest, ".")
	}
	stem, bias := strings.CutSuffix(part, ".bias")
	n := map[string][2]string{
		"embed": {"token_embd", "embed_tokens"}, "head": {"output", "lm_head"}, "last": {"output_norm", "norm"}, "in": {"attn_norm", "input_layernorm"}, "mid": {"ffn_norm", "post_attention_layernorm"},
		"q": {"attn_q", "self_attn.q_proj"}, "k": {"attn_k", "self_attn.k_proj"}, "v": {"attn_v", "self_attn.v_proj"}, "q.gain": {"attn_q_norm", "self_attn.q_norm"}, "k.gain": {"attn_k_norm", "self_attn.k_norm"},
		"out": {"attn_output", "self_attn.o_proj"}, "gate": {"ffn_gate", "mlp.gate_proj"}, "up": {"ffn_up", "mlp.up_proj"}, "down": {"ffn_down", "mlp.down_proj"},
	}[stem]
	end := ".weight"
	if bias {
		end = ".bias"
	}
	gain = map[string]float32{"in": 3, "mid": 2, "last": 3, "q.gain": 1.5, "k.gain": 1.5}[part]
	switch {
	case layer != "":
		return "blk." + layer + "." + n[0] + end, "model.layers." + layer + "." + n[1] + end, gain
	case frozen == "head":
		return n[0] + end, n[1] + end, gain
	}
	return n[0] + end, "model." + n[1] + end, gain
}

// arrays returns the tensors of a shape, in the order of GGUF files if permuted.
func (s shape) arrays(kind gguf.Type, permuted bool) (list []gguf.Array) {
	for _, t := range s.frozen() {
		inGGUF, inFolder, gain := names(t.Name)
		a := gguf.Array{Name: inFolder, Type: gguf.F32, Shape: []int{t.Rows, t.Cols}}
		if t.Rows == 1 {
			a.Shape = a.Shape[1:]
			for _, x := range stream(t.Name, t.Cols) {
				a.Raw = binary.LittleEndian.AppendUint32(a.Raw, math.Float32bits(gain+(2*float32(x)-255)/1024))
			}
		} else {
			a.Raw, a.Type = matrix(t.Name, kind, t.Rows, t.Cols)
		}
		if permuted {
			a.Name = inGGUF
		}
		if permuted && s.arch == "llama" && (strings.HasSuffix(t.Name, ".q") || strings.HasSuffix(t.Name, ".k")) {
			a.Raw = interleaved(a.Raw, t.Rows, s.config.HeadWidth)
		}
		list = append(list, a)
	}
	return list
}

// interleaved puts the halves of each head in turns.
func interleaved(raw []byte, rows, width int) (b []byte) {
	size := len(raw) / rows
	for row := range rows {
		head, in := row/width, row%width
		from := head*width + in%2*width/2 + in/2
		b = append(b, raw[from*size:][:size]...)
	}
	return b
}

// tokens returns a vocabulary of all bytes and a few control tokens, with their types.
func tokens() (list []string, types []int32) {
	next := rune(256)
	for b := range rune(256) {
		if b > 32 && b < 127 || b > 160 && b != 173 {
			list = append(list, string(b))
			continue
		}
		list = append(list, string(next))
		next++
	}
	list = append(list, "<|im_end|>", "<|endoftext|>")
	for i := range 30 {
		list = append(list, fmt.Sprintf("<%d>", i))
	}
	return list, append(slices.Repeat([]int32{1}, 256), slices.Repeat([]int32{3}, 32)...)
}

// keys returns the keys of a GGUF file.
func (s shape) keys() []gguf.Key {
	list, types := tokens()
	c, of := s.config, s.arch+"."
	return []gguf.Key{
		{Name: "general.architecture", Value: s.arch}, {Name: of + "block_count", Value: uint32(c.Layers)}, {Name: of + "context_length", Value: uint32(c.Context)},
		{Name: of + "embedding_length", Value: uint32(c.Width)}, {Name: of + "feed_forward_length", Value: uint32(c.Hidden)},
		{Name: of + "attention.head_count", Value: uint32(c.Heads)}, {Name: of + "attention.head_count_kv", Value: uint32(c.KVHeads)},
		{Name: of + "attention.key_length", Value: uint32(c.HeadWidth)}, {Name: of + "attention.layer_norm_rms_epsilon", Value: float32(c.Epsilon)}, {Name: of + "rope.freq_base", Value: float32(c.RotaryBase)},
		{Name: "tokenizer.ggml.model", Value: "gpt2"}, {Name: "tokenizer.ggml.pre", Value: "gpt-2"}, {Name: "tokenizer.ggml.tokens", Value: list},
		{Name: "tokenizer.ggml.token_type", Value: types}, {Name: "tokenizer.ggml.merges", Value: []string{}}, {Name: "tokenizer.ggml.eos_token_id", Value: uint32(256)},
	}
}

// factors returns the tensor of the scaled rotations.
func (s shape) factors() (list []gguf.Array) {
	r := s.config.Rotary
	if r.Factor == 0 {
		return nil
	}
	a := gguf.Array{Name: "rope_freqs.weight", Type: gguf.F32, Shape: []int{s.config.HeadWidth / 2}}
	for i := range s.config.HeadWidth / 2 {
		wave := 2 * math.Pi * math.Pow(s.config.RotaryBase, 2*float64(i)/float64(s.config.HeadWidth))
		factor := r.Factor
		switch smooth := (float64(r.Context)/wave - r.Low) / (r.High - r.Low); {
		case smooth >= 1:
			factor = 1
		case smooth > 0:
			factor = 1 / ((1-smooth)/r.Factor + smooth)
		}
		a.Raw = binary.LittleEndian.AppendUint32(a.Raw, math.Float32bits(float32(factor)))
	}
	return []gguf.Array{a}
}

// writeGGUF writes a GGUF file.
func (s shape) writeGGUF(t *testing.T, keys []gguf.Key, arrays []gguf.Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, gguf.Append(nil, keys, arrays), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// folder returns the files of a folder.
func (s shape) folder(kind gguf.Type) map[string]string {
	c := s.config
	config := map[string]any{
		"model_type": s.arch, "vocab_size": c.Vocab, "hidden_size": c.Width, "intermediate_size": c.Hidden, "num_hidden_layers": c.Layers, "num_attention_heads": c.Heads, "num_key_value_heads": c.KVHeads,
		"head_dim": c.HeadWidth, "max_position_embeddings": c.Context, "rms_norm_eps": c.Epsilon, "rope_theta": c.RotaryBase, "tie_word_embeddings": c.Tied, "hidden_act": "silu", "eos_token_id": 256,
	}
	if r := c.Rotary; r.Factor > 0 {
		config["rope_scaling"] = map[string]any{"rope_type": "llama3", "factor": r.Factor, "low_freq_factor": r.Low, "high_freq_factor": r.High, "original_max_position_embeddings": r.Context}
	}
	var arrays []safetensors.Array
	for _, a := range s.arrays(kind, false) {
		arrays = append(arrays, safetensors.Array{Name: a.Name, Type: safetensors.Type(a.Type.String()), Shape: a.Shape, Append: func(b []byte) []byte { return append(b, a.Raw...) }})
	}
	list, _ := tokens()
	ids := map[string]int{}
	for id, token := range list {
		ids[token] = id
	}
	tokenizer := map[string]any{
		"version": "1.0", "pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false}, "decoder": map[string]any{"type": "ByteLevel"},
		"model": map[string]any{"type": "BPE", "vocab": ids, "merges": []string{}},
	}
	return map[string]string{
		"config.json": text(config), "tokenizer.json": text(tokenizer), "generation_config.json": `{"eos_token_id": [257, 256]}`, "model.safetensors": string(safetensors.Append(nil, nil, arrays)),
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// writeFolder writes a folder.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The numbers are those of transformers.
func TestLogProbs(t *testing.T) {
	b, err := os.ReadFile("testdata/logprobs.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string][]float32
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	for name, s := range shapes() {
		for _, kind := range []gguf.Type{gguf.F32, gguf.F16, gguf.BF16, gguf.Q8_0, gguf.Q4_0, gguf.Q4_1, gguf.Q4_K, gguf.Q6_K} {
			of := kind
			if per, _ := kind.Block(); per == 1 {
				of = gguf.F32
				compare(t, name+" "+kind.String()+", folder", writeFolder(t, s.folder(kind)), s.config, want[name][of.String()])
			}
			compare(t, name+" "+kind.String(), s.writeGGUF(t, s.keys(), append(s.arrays(kind, true), s.factors()...)), s.config, want[name][of.String()])
		}
	}
}

// compare opens a model, and compares its sizes and its log-probabilities.
func compare(t *testing.T, name, path string, config transformer.Config, want []float32) {
	t.Helper()
	m, err := pretrained.Open(path)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := m.Config
	if c.Epsilon = float64(float32(c.Epsilon)); math.Abs(c.Epsilon-config.Epsilon) < 1e-9 {
		c.Epsilon = config.Epsilon
	}
	if c != config || !slices.Equal(m.Ends, []int32{256, 257}) || m.Tokenizer.Size() != vocab || m.Name != strings.TrimSuffix(filepath.Base(path), ".gguf") {
		t.Errorf("%s: %+v, want %+v; ends %v, %d tokens, name %s", name, c, config, m.Ends, m.Tokenizer.Size(), m.Name)
	}
	c.Rank, c.Alpha = 16, 32
	model, err := transformer.Adapt(c, 1, m.Read)
	if err = errors.Join(err, m.Close()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	ids := make([]int32, length)
	for i, b := range slices.Collect(slices.Chunk(stream("ids", 2*length), 2)) {
		ids[i] = (int32(b[0]) + 256*int32(b[1])) % vocab
	}
	scores, err := transformer.NewPass(model).Forward([][]int32{ids}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, most := scores.LogProbs[0][1:], 0.0
	for i, x := range got {
		most = max(most, math.Abs(float64(x-want[i])))
	}
	if !(most < 1e-3) {
		t.Errorf("%s: log-probabilities are %.2g apart, want 1e-3: %v, want %v", name, most, got[:4], want[:4])
	}
}
