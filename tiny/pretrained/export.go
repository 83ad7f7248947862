package pretrained

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/safetensors"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// adapted lists the adapted matrices of a layer: their names, that of the first matrix of their adapter, and which part of its
// columns is theirs.
var adapted = []struct {
	name, first string
	part        int
}{{"q", "qkv.a", 0}, {"k", "qkv.a", 1}, {"v", "qkv.a", 2}, {"out", "out.a", 0}, {"gate", "gateup.a", 0}, {"up", "gateup.a", 1}, {"down", "down.a", 0}}

// An adapter is that of one matrix, in the layout of PEFT.
type adapter struct {
	a, b     []float32 // rank rows of in columns, and out rows of rank columns
	in, out  int
	inFolder string // name of the matrix, without .weight
}

// adapters returns those of m's model, by the matrix in [transformer.Config.Frozen].
func adapters(of *transformer.Model) map[string]adapter {
	rank, tensors, all := of.Config().Rank, map[string]transformer.Tensor{}, map[string]adapter{}
	for _, t := range of.Tensors() {
		tensors[t.Name] = t
	}
	for layer := range of.Config().Layers {
		for _, one := range adapted {
			prefix := fmt.Sprintf("layers.%d.", layer)
			first, second := tensors[prefix+one.first], tensors[prefix+one.name+".b"]
			_, name := spelling(prefix + one.name)
			all[prefix+one.name] = adapter{
				transposed(first, one.part*rank, rank), transposed(second, 0, second.Cols), first.Rows, second.Cols, strings.TrimSuffix(name, ".weight"),
			}
		}
	}
	return all
}

// transposed returns so many columns of t, from one on, as rows.
func transposed(t transformer.Tensor, from, count int) []float32 {
	to := make([]float32, 0, count*t.Rows)
	for c := range count {
		for r := range t.Rows {
			to = append(to, t.Data[r*t.Cols+from+c])
		}
	}
	return to
}

// array returns an array of a file.
func array(name string, data []float32, shape ...int) safetensors.Array {
	return safetensors.Array{Name: name, Type: safetensors.Float32, Shape: shape, Append: func(b []byte) []byte { return appendFloats(b, data) }}
}

func appendFloats(b []byte, data []float32) []byte {
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// WriteAdapter writes the adapters of a model whose base m is into a folder, as PEFT loads them.
func (m *Model) WriteAdapter(folder string, of *transformer.Model) error {
	c := of.Config()
	var arrays []safetensors.Array
	all := adapters(of)
	for _, t := range c.Frozen() {
		if x, has := all[t.Name]; has {
			arrays = append(arrays, array("base_model.model."+x.inFolder+".lora_A.weight", x.a, c.Rank, x.in), array("base_model.model."+x.inFolder+".lora_B.weight", x.b, x.out, c.Rank))
		}
	}
	how := map[string]any{
		"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": m.Name, "r": c.Rank, "lora_alpha": c.Alpha, "lora_dropout": 0,
		"bias": "none", "fan_in_fan_out": false, "inference_mode": true, "use_rslora": false,
		"target_modules": strings.Fields("q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"),
	}
	return writeFiles(folder, map[string]any{
		"adapter_model.safetensors": safetensors.Append(nil, map[string]string{"format": "pt"}, arrays), "adapter_config.json": how,
	})
}

// WriteMerged writes a folder of Hugging Face with m's weights, in float32, to which the adapters of a model are added. The
// files of configuration and tokenizer are m's; if m is a GGUF file, they are made of its keys.
func (m *Model) WriteMerged(folder string, of *transformer.Model) error {
	files, err := m.files()
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	c, all, fault, size := of.Config(), adapters(of), error(nil), 1<<20
	var arrays []safetensors.Array
	for _, t := range c.Frozen() {
		_, name := spelling(t.Name)
		shape := []int{t.Rows, t.Cols}
		if t.Rows == 1 {
			shape = shape[1:]
		}
		size += 4*t.Rows*t.Cols + 256
		arrays = append(arrays, safetensors.Array{Name: name, Type: safetensors.Float32, Shape: shape, Append: func(b []byte) []byte {
			t.Data = make([]float32, t.Rows*t.Cols)
			if err := m.Read(t); err != nil && fault == nil {
				fault = err
			}
			if x, has := all[t.Name]; has {
				x.add(t.Data, c)
			}
			return appendFloats(b, t.Data)
		}})
	}
	files["model.safetensors"] = safetensors.Append(make([]byte, 0, size), map[string]string{"format": "pt"}, arrays)
	if fault != nil {
		return fault
	}
	return writeFiles(folder, files)
}

// add adds the product of both matrices to w, as often as the adapters of c count.
func (x adapter) add(w []float32, c transformer.Config) {
	scale := float32(c.Alpha / float64(c.Rank))
	for o := range x.out {
		row := w[o*x.in:][:x.in]
		for r, b := range x.b[o*c.Rank:][:c.Rank] {
			for i, a := range x.a[r*x.in:][:x.in] {
				row[i] += scale * b * a
			}
		}
	}
}

// writeFiles writes files, of bytes or of JSON, into a folder that it makes.
func writeFiles(folder string, files map[string]any) error {
	if err := datadir.MakeFolder(folder); err != nil {
		return err
	}
	for name, content := range files {
		data, is := content.([]byte)
		if !is {
			var err error
			if data, err = json.MarshalIndent(content, "", "  "); err != nil {
				return err
			}
		}
		if err := datadir.WriteFile(filepath.Join(folder, name), data); err != nil {
			return err
		}
	}
	return nil
}

// files returns the files beside the weights of a folder of m.
func (m *Model) files() (map[string]any, error) {
	if gguf.Is(m.Path) {
		return m.filesOfGGUF()
	}
	files := map[string]any{}
	list, err := os.ReadDir(m.Path)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if name := f.Name(); strings.HasSuffix(name, ".json") && !strings.Contains(name, ".safetensors") || strings.HasSuffix(name, ".jinja") || strings.HasSuffix(name, ".txt") {
			if files[name], err = os.ReadFile(filepath.Join(m.Path, name)); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// filesOfGGUF makes them of the keys.
func (m *Model) filesOfGGUF() (map[string]any, error) {
	g, err := gguf.Open(m.Path)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	form, err := tokenizer.FormOfGGUF(g)
	if err != nil {
		return nil, err
	}
	template, err := chattemplate.FromGGUF(g)
	if err != nil {
		return nil, err
	}
	config := map[string]any{"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": m.Config.Context, "clean_up_tokenization_spaces": false}
	for name, of := range map[string]string{"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"} {
		if id, err := g.Int("tokenizer.ggml." + of + "_token_id"); err == nil {
			config[name], _ = m.Tokenizer.Token(int32(id))
		}
	}
	if i := slices.IndexFunc(template.Templates, func(t chattemplate.NamedTemplate) bool { return t.Name == "default" }); i >= 0 {
		config["chat_template"] = template.Templates[i].Source
	}
	return map[string]any{
		"tokenizer.json": form, "tokenizer_config.json": config,
		"config.json": m.form(), "generation_config.json": map[string]any{"eos_token_id": m.Ends},
	}, nil
}

// form returns the config.json of m.
func (m *Model) form() map[string]any {
	c := m.Config
	kind, class := "llama", "LlamaForCausalLM"
	switch {
	case c.QKNorm:
		kind, class = "qwen3", "Qwen3ForCausalLM"
	case c.Biases:
		kind, class = "qwen2", "Qwen2ForCausalLM"
	}
	form := map[string]any{
		"model_type": kind, "architectures": []string{class}, "torch_dtype": "float32", "hidden_act": "silu", "attention_bias": false,
		"vocab_size": c.Vocab, "hidden_size": c.Width, "intermediate_size": c.Hidden, "num_hidden_layers": c.Layers, "num_attention_heads": c.Heads,
		"num_key_value_heads": c.KVHeads, "head_dim": c.HeadWidth, "max_position_embeddings": c.Context, "rms_norm_eps": c.Epsilon,
		"rope_theta": c.RotaryBase, "tie_word_embeddings": c.Tied, "eos_token_id": m.Ends,
	}
	if s := c.Rotary; s != (transformer.Scaling{}) {
		form["rope_scaling"] = map[string]any{"rope_type": "llama3", "factor": s.Factor, "low_freq_factor": s.Low, "high_freq_factor": s.High, "original_max_position_embeddings": s.Context}
	}
	return form
}
