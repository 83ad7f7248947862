package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// chatTemplate is that of a small language model.
const chatTemplate = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// languageModel writes a random language model of two layers, whose tokens are bytes, as a GGUF file, and returns its path.
func languageModel(t *testing.T, name string, seed uint64) string {
	t.Helper()
	const width, hidden, heads, layers = 64, 96, 2, 2
	tokens, types := []string{}, []int32{}
	for b, n := rune(0), rune(256); b < 256; b++ { // the letters that stand for bytes
		token := string(b)
		if b <= ' ' || b >= 0x7f && b <= 0xa0 || b == 0xad {
			token = string(n)
			n++
		}
		tokens, types = append(tokens, token), append(types, 1)
	}
	tokens, types = append(tokens, "in", "<|im_start|>", "<|im_end|>"), append(types, 1, 3, 3)
	keys := []gguf.Key{
		{Name: "general.architecture", Value: "llama"}, {Name: "llama.block_count", Value: uint32(layers)}, {Name: "llama.context_length", Value: uint32(2048)},
		{Name: "llama.embedding_length", Value: uint32(width)}, {Name: "llama.feed_forward_length", Value: uint32(hidden)},
		{Name: "llama.attention.head_count", Value: uint32(heads)}, {Name: "llama.attention.layer_norm_rms_epsilon", Value: float32(1e-5)},
		{Name: "tokenizer.ggml.model", Value: "gpt2"}, {Name: "tokenizer.ggml.pre", Value: "smollm"}, {Name: "tokenizer.ggml.tokens", Value: tokens},
		{Name: "tokenizer.ggml.token_type", Value: types}, {Name: "tokenizer.ggml.merges", Value: []string{"i n"}},
		{Name: "tokenizer.ggml.bos_token_id", Value: uint32(257)}, {Name: "tokenizer.ggml.eos_token_id", Value: uint32(258)}, {Name: "tokenizer.chat_template", Value: chatTemplate},
	}
	var arrays []gguf.Array
	chance := rng.New(seed, "language model")
	add := func(name string, shape ...int) {
		var raw []byte
		for range shape[0] * shape[len(shape)-1] / max(1, shape[0]*(2-len(shape))) {
			x := float32(1)
			if len(shape) > 1 {
				x = float32(chance.Float()-0.5) * 0.3
			}
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
		arrays = append(arrays, gguf.Array{Name: name, Shape: shape, Raw: raw})
	}
	add("token_embd.weight", len(tokens), width)
	add("output_norm.weight", width)
	for l := range layers {
		block := func(part string, shape ...int) { add(fmt.Sprintf("blk.%d.%s.weight", l, part), shape...) }
		block("attn_norm", width)
		block("ffn_norm", width)
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			block(part, width, width)
		}
		block("ffn_gate", hidden, width)
		block("ffn_up", hidden, width)
		block("ffn_down", width, hidden)
	}
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := os.WriteFile(path, gguf.Append(nil, keys, arrays), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLanguageModelLearnsHere runs, resumes, asks and exports a language model.
func TestLanguageModelLearnsHere(t *testing.T) {
	model, data := languageModel(t, "mini", 1), t.TempDir()
	short := []string{
		"--policy", "tiny", "--tasks", "chain_sum:0", "--exam-problems", "0", "--group-size", "2", "--batch-size", "4", "--data", data,
		"--with", "rules.keep_equal=true", "--with", "learn.entropy=0.1", "--with", "policy.sampling.max_tokens=4",
	}
	if r := runReport(t, append(short, "--weights", model, "--steps", "2")...); r.Version != 2 || r.Training.Entropy == 0 {
		t.Errorf("the first run: %+v, training %+v", r, r.Training)
	}
	if r := runReport(t, append(short, "--steps", "1")...); r.Version != 3 { // the checkpoint names the model
		t.Errorf("the second run goes to version %d, want 3", r.Version)
	}
	other := languageModel(t, "another", 2)
	auto, halves, told := tiny.Float32, exitUsage, []string{"model.precision: this processor has no bfloat16 products (AVX512_BF16); use float32"}
	if transformer.BFloat16() {
		auto, halves, told = tiny.BFloat16, exitOK, []string{"trained with products in float32, and goes on with bfloat16"}
	}
	for _, test := range []struct {
		why    string
		args   []string
		status int
		want   []string // on standard error
	}{
		{"it says what it is", append(short, "--weights", model, "--steps", "1"), exitOK, []string{"mini (F32, 0 MB): 0 million parameters", "of rank 16 learn", "tokens a second; a step with the longest replies takes up to", "the first step took", "products in " + auto}},
		{"float32", append(short, "--steps", "1", "--with", "model.precision=float32"), exitOK, []string{"products in float32", "products in " + auto}},
		{"bfloat16", append(short, "--steps", "1", "--with", "model.precision=bfloat16"), halves, told},
		{"another model on the folder", append(short, "--weights", other, "--steps", "1"), exitFailed, []string{`"mini:sha256:`, `"another:sha256:`, "choose another folder with --data"}},
		{"workers", append(short, "--workers"), exitUsage, []string{"plays and learns here alone"}},
		{"too little memory", append(short, "--weights", model, "--with", "run.parallel=1000000000"), exitUsage, []string{"training mini takes", "--with learn.micro_tokens=256 --with run.parallel="}},
	} {
		p := start(append([]string{"run", "--port", "0"}, test.args...)...)
		status := p.wait(t)
		for _, want := range test.want {
			if status != test.status || !strings.Contains(p.stderr.String(), want) {
				t.Errorf("%s: status %d, want %d and %q\n%s", test.why, status, test.status, want, p.stderr.String())
			}
		}
	}
}

// TestLanguageModelIsAskedAndExported asks a model before and after its training, exports it, and loses its file.
func TestLanguageModelIsAskedAndExported(t *testing.T) {
	model, data := languageModel(t, "mini", 1), t.TempDir()
	short := []string{
		"run", "--port", "0", "--tasks", "chain_sum:0", "--exam-problems", "0", "--group-size", "2", "--batch-size", "4", "--data", data,
		"--with", "rules.keep_equal=true", "--with", "learn.entropy=0.1", "--with", "policy.sampling.max_tokens=4", "--steps", "1",
	}
	moved, out := filepath.Join(t.TempDir(), "moved.gguf"), filepath.Join(t.TempDir(), "out")
	for _, step := range []struct {
		why    string
		args   []string
		status int
		want   string // on standard error
	}{
		{"a run", append(short, "--weights", model), exitOK, ""},
		{"a question", []string{"ask", "chain_sum:0", "--data", data, "--index", "7"}, exitOK, "before the training"},
		{"the untrained model", []string{"ask", "chain_sum:0", "--weights", model, "--index", "7"}, exitOK, "weights of mini of " + model},
		{"an export", []string{"export", "model", out, "--data", data}, exitOK, "has the weights of version 1"},
		{"the exported model", []string{"ask", "chain_sum:0", "--weights", out, "--index", "7"}, exitOK, "weights of out of " + out},
		{"a file that moved", short, exitFailed, "has adapters of mini, which is not at " + model + " any more: put it back, or go on with the run by --weights"},
		{"its new path", append(short, "--weights", moved), exitOK, "mini (F32, "},
	} {
		if step.why == "a file that moved" {
			if err := os.Rename(model, moved); err != nil {
				t.Fatal(err)
			}
		}
		p := start(step.args...)
		if status := p.wait(t); status != step.status || !strings.Contains(p.stderr.String(), step.want) {
			t.Errorf("%s: status %d, want %d and %q\n%s", step.why, status, step.status, step.want, p.stderr.String())
		}
	}
	if _, err := os.Stat(filepath.Join(out, "adapter", "adapter_model.safetensors")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(data, datadir.Checkpoint)); err != nil {
		t.Error(err)
	}
}
