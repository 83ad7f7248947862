package pretrained_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// refused opens a model that must be refused within 64 MiB.
func refused(t *testing.T, why, path, want string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := pretrained.Open(path)
	runtime.ReadMemStats(&after)
	if err == nil {
		err = m.Close()
		t.Errorf("%s: opened, error %v", why, err)
		return
	}
	if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %s", why, err, want)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%s: %d bytes of memory", why, n)
	}
}

func TestGGUFRefused(t *testing.T) {
	s := shapes()["llama"]
	arrays := append(s.arrays(gguf.Q8_0, true), s.factors()...)
	tensor := func(name string, change func(a *gguf.Array)) func([]gguf.Key, []gguf.Array) ([]gguf.Key, []gguf.Array) {
		return func(keys []gguf.Key, list []gguf.Array) ([]gguf.Key, []gguf.Array) {
			list = slices.Clone(list)
			i := slices.IndexFunc(list, func(a gguf.Array) bool { return a.Name == name })
			if change == nil {
				return keys, slices.Delete(list, i, i+1)
			}
			change(&list[i])
			return keys, list
		}
	}
	more := func(name string) func([]gguf.Key, []gguf.Array) ([]gguf.Key, []gguf.Array) {
		return func(keys []gguf.Key, list []gguf.Array) ([]gguf.Key, []gguf.Array) {
			return keys, append(slices.Clone(list), gguf.Array{Name: name, Type: gguf.F32, Shape: []int{1}, Raw: make([]byte, 4)})
		}
	}
	key := func(name string, value any) func([]gguf.Key, []gguf.Array) ([]gguf.Key, []gguf.Array) {
		return func(keys []gguf.Key, list []gguf.Array) ([]gguf.Key, []gguf.Array) {
			keys = slices.DeleteFunc(keys, func(k gguf.Key) bool { return k.Name == name })
			if value != nil {
				keys = append(keys, gguf.Key{Name: name, Value: value})
			}
			return keys, list
		}
	}
	for _, test := range []struct {
		why    string
		change func([]gguf.Key, []gguf.Array) ([]gguf.Key, []gguf.Array)
		want   string
	}{
		{"another architecture", key("general.architecture", "gemma3"), `general.architecture: is "gemma3": only models of the shapes of Llama`},
		{"no architecture", key("general.architecture", nil), "general.architecture: is missing"},
		{"experts", key("llama.expert_count", uint32(8)), "llama.expert_count: is 8: only"},
		{"a window", key("llama.attention.sliding_window", uint32(4096)), "llama.attention.sliding_window: is 4096: only"},
		{"other rotations", key("llama.rope.scaling.type", "yarn"), `llama.rope.scaling.type: is "yarn", want none`},
		{"a cap", key("llama.final_logit_softcapping", float32(30)), "llama.final_logit_softcapping: is a key that is not known here"},
		{"half of a head turns", key("llama.rope.dimension_count", uint32(32)), "llama.rope.dimension_count: is 32, want the width of a head, 64"},
		{"no number of blocks", key("llama.block_count", nil), "llama.block_count: is missing"},
		{"a text for it", key("llama.block_count", "two"), "llama.block_count: is a text in the GGUF file, want a whole number"},
		{"2^31 blocks", key("llama.block_count", uint32(1<<31)), "layers is 2147483648, want 1 to 128"},
		{"a block too many", key("llama.block_count", uint32(3)), "tensor blk.2.attn_norm.weight: is missing"},
		{"a width of 2^31", key("llama.embedding_length", uint32(1<<31)), "width is 2147483648"},
		{"no heads", key("llama.attention.head_count", uint32(0)), "heads is 0"},
		{"several files", key("split.count", int32(2)), "split.count: the model is in 2 files"},
		{"fewer tokens than rows", key("tokenizer.ggml.tokens", []string{"a"}), "tokenizer.ggml.tokens: has 1 tokens, but token_embd.weight 288 rows"},
		{"another vocabulary", key("llama.vocab_size", uint32(300)), "llama.vocab_size: is 300, but token_embd.weight has 288 rows"},
		{"an unknown tokenizer", key("tokenizer.ggml.pre", "x"), `tokenizer.ggml.pre: "x" is not read`},
		{"an end beyond the tokens", key("tokenizer.ggml.eot_token_id", uint32(288)), "the token 288 ends a reply, but the model has 288"},
		{"a vocabulary alone", tensor("token_embd.weight", nil), "tensor token_embd.weight: is missing: this file has no model"},
		{"a tensor is missing", tensor("blk.1.ffn_up.weight", nil), "tensor blk.1.ffn_up.weight: is missing: the file is damaged"},
		{"another shape", tensor("blk.1.ffn_up.weight", func(a *gguf.Array) { a.Shape = []int{128, 512} }), "tensor blk.1.ffn_up.weight: has the shape [128 512], want [256 256]"},
		{"another type", tensor("blk.1.ffn_up.weight", func(a *gguf.Array) { a.Type, a.Raw = 21, make([]byte, 110*256) }), "tensor blk.1.ffn_up.weight: has the type IQ3_S, want F32"},
		{"one more tensor", more("blk.0.ffn_gate_inp.weight"), `tensor "blk.0.ffn_gate_inp.weight": is not one of this shape`},
		{"other factors", tensor("rope_freqs.weight", func(a *gguf.Array) { a.Raw = append(slices.Clone(a.Raw[:124]), 0, 0, 128, 66) }), "tensor rope_freqs.weight: factor "},
		{"too many factors", tensor("rope_freqs.weight", func(a *gguf.Array) { a.Shape, a.Raw = []int{33}, make([]byte, 33*4) }), "tensor rope_freqs.weight: has the shape [33], want 32 values"},
	} {
		keys, list := test.change(s.keys(), arrays)
		refused(t, test.why, s.writeGGUF(t, keys, list), test.want)
	}
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := os.WriteFile(path, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, "another file", path, "is no GGUF file: name one, or the folder of a model with config.json")
	refused(t, "no file", filepath.Join(t.TempDir(), "none"), "none")
}

func TestFolderRefused(t *testing.T) {
	s := shapes()["qwen2"]
	swap := func(file, old, new string) func(files map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files[file], old) {
				t.Fatalf("%s has no %s", file, old)
			}
			files[file] = strings.Replace(files[file], old, new, 1)
		}
	}
	for _, test := range []struct {
		why    string
		change func(files map[string]string)
		want   string
	}{
		{"another shape", swap("config.json", `"qwen2"`, `"gemma3_text"`), "config.json: model_type: is gemma3_text: only models of the shapes of Llama"},
		{"experts", swap("config.json", `"qwen2"`, `"qwen3_moe"`), "config.json: model_type: is qwen3_moe"},
		{"other units", swap("config.json", `"silu"`, `"gelu"`), "config.json: hidden_act: is gelu"},
		{"other rotations", swap("config.json", `"rope_theta"`, `"rope_scaling":{"type":"yarn"},"rope_theta"`), `config.json: rope_scaling.rope_type: is "yarn", want llama3 or default`},
		{"a window", swap("config.json", `"hidden_act"`, `"use_sliding_window":true,"hidden_act"`), "config.json: use_sliding_window: is true"},
		{"some layers with a window", swap("config.json", `"hidden_act"`, `"layer_types":["full_attention","sliding_attention"],"hidden_act"`), "config.json: layer_types: is [full_attention sliding_attention]"},
		{"quantised", swap("config.json", `"hidden_act"`, `"quantization_config":{"bits":4},"hidden_act"`), "config.json: quantization_config: is there"},
		{"pairs of neighbours", swap("config.json", `"hidden_act"`, `"rope_interleaved":true,"hidden_act"`), "config.json: rope_interleaved: is true"},
		{"biases", swap("config.json", `"hidden_act"`, `"mlp_bias":true,"hidden_act"`), "config.json: mlp_bias: is true"},
		{"no epsilon", swap("config.json", `"rms_norm_eps"`, `"layer_norm_eps"`), "config.json: rms_norm_eps: is"},
		{"a text for a number", swap("config.json", `"num_hidden_layers":2`, `"num_hidden_layers":"two"`), "config.json: num_hidden_layers: is a text, want a whole number"},
		{"a size below 0", swap("config.json", `"hidden_size":256`, `"hidden_size":-256`), "width is -256"},
		{"no configuration", func(files map[string]string) { delete(files, "config.json") }, "config.json"},
		{"a large one", func(files map[string]string) { files["config.json"] = strings.Repeat(" ", 2<<20) }, "config.json: want at most 1048576 bytes"},
		{"no weights", func(files map[string]string) { delete(files, "model.safetensors") }, "model.safetensors"},
		{"no tokenizer", func(files map[string]string) { delete(files, "tokenizer.json") }, "tokenizer.json"},
		{"weights cut short", func(files map[string]string) { files["model.safetensors"] = files["model.safetensors"][:9999] }, "it is damaged or cut short"},
		{"a tensor is missing", swap("model.safetensors", "model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.up_pro2.weight"), "tensor model.layers.1.mlp.up_proj.weight: is missing"},
		{"a tensor of another type", swap("model.safetensors", `"dtype":"F16"`, `"dtype":"I16"`), "has the type \"I16\", want F32, F16 or BF16"},
		{"no end", func(files map[string]string) {
			delete(files, "generation_config.json")
			swap("config.json", `"eos_token_id":256`, `"eos_token_id":null`)(files)
		}, "no token ends a reply"},
		{"an end beyond the tokens", swap("generation_config.json", "256", "288"), "the token 288 ends a reply"},
		{"an end of another kind", swap("generation_config.json", "[257, 256]", `"</s>"`), "generation_config.json: eos_token_id: is"},
		{"a tokenizer with more tokens", swap("config.json", `"vocab_size":288`, `"vocab_size":256`), "want [256 256]"},
	} {
		files := s.folder(gguf.F16)
		test.change(files)
		refused(t, test.why, writeFolder(t, files), test.want)
	}
}

// A value that is no number is told by the name of its tensor.
func TestNaN(t *testing.T) {
	s := shapes()["qwen2"]
	arrays := s.arrays(gguf.F32, true)
	i := slices.IndexFunc(arrays, func(a gguf.Array) bool { return a.Name == "blk.1.attn_k.weight" })
	binary.LittleEndian.PutUint32(arrays[i].Raw[4*(3*256+7):], math.Float32bits(float32(math.NaN())))
	m, err := pretrained.Open(s.writeGGUF(t, s.keys(), arrays))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c := m.Config
	c.Rank, c.Alpha = 16, 32
	if _, err := transformer.Adapt(c, 1, m.Read); err == nil || !strings.Contains(err.Error(), "tensor blk.1.attn_k.weight of "+m.Path+": the value in row 3, column 7 is NaN") {
		t.Errorf("error %v", err)
	}
	first, err := m.Digest()
	again, err2 := m.Digest()
	if err != nil || err2 != nil || first != again || len(first) != 64 || m.Size() < 400_000 {
		t.Errorf("digests %s and %s, errors %v and %v; size %d", first, again, err, err2, m.Size())
	}
}
