package areal

import (
	"encoding/json"
	"slices"
)

// The keys of a SequenceSample.
const (
	keyTokens   = "packed_input_ids"
	keyMask     = "prompt_mask"
	keyLogProbs = "packed_logprobs"
	keyNoEOS    = "seq_no_eos_mask"
	keyRewards  = "rewards"
	keyStart    = "version_start"
	keyEnd      = "version_end"
	keyPrompts  = "packed_prompts"
	keyBirth    = "birth_time"
	keyTask     = "task_ids"
)

// A Sample is a SequenceSample: records with their values packed, one after another.
type Sample []*Record

// A packed is a tensor of a sample.
type packed struct {
	Tensor
	lengths [][]int // of the sequences of each record
}

// begin begins the lengths of another record.
func (p *packed) begin() { p.lengths = append(p.lengths, nil) }

// ints adds a sequence to the last record.
func (p *packed) ints(values ...int64) {
	p.Ints = append(p.Ints, values...)
	p.count(len(values))
}

// floats adds a sequence to the last record.
func (p *packed) floats(values ...float32) {
	p.Floats = append(p.Floats, values...)
	p.count(len(values))
}

func (p *packed) count(n int) {
	last := len(p.lengths) - 1
	p.lengths[last] = append(p.lengths[last], n)
	p.Shape[0] += n
}

// pack packs the records.
func (s Sample) pack() []packed {
	all := []packed{}
	add := func(key string, t Type) int {
		all = append(all, packed{Tensor: Tensor{Name: key, Type: t, Shape: []int{0}, Ints: []int64{}, Floats: []float32{}}, lengths: [][]int{}})
		return len(all) - 1
	}
	tokens, mask, probs := add(keyTokens, Int64), add(keyMask, Bool), add(keyLogProbs, Float32)
	noEOS, rewards, start, end := add(keyNoEOS, Bool), add(keyRewards, Float32), add(keyStart, Int32), add(keyEnd, Int32)
	prompts, birth, task := add(keyPrompts, Int64), add(keyBirth, Int64), add(keyTask, Int64)
	for _, r := range s {
		for i := range all {
			all[i].begin()
		}
		for _, q := range r.Sequences {
			all[tokens].ints(wide(q.Tokens)...)
			all[mask].ints(slices.Concat(slices.Repeat([]int64{1}, q.Read), make([]int64, len(q.Tokens)-q.Read))...)
			all[probs].floats(q.LogProbs...)
			all[noEOS].ints(bit(q.Cut))
			all[rewards].floats(q.Reward)
			all[start].ints(int64(q.Start))
			all[end].ints(int64(q.End))
		}
		all[prompts].ints(wide(r.Prompt)...)
		all[birth].ints(r.Born)
		all[task].ints(r.Task)
	}
	return all
}

// wide converts numbers to 64 bits.
func wide[T ~int32](values []T) []int64 {
	all := make([]int64, len(values))
	for i, v := range values {
		all[i] = int64(v)
	}
	return all
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// sampleForm is a SequenceSample in JSON.
type sampleForm struct {
	IDs      []string           `json:"ids"`
	Keys     []string           `json:"keys"`
	Lengths  map[string][][]int `json:"seqlens"`
	Types    map[string]string  `json:"dtypes"`
	Shapes   map[string][]int   `json:"trailing_shapes"`
	Data     map[string]any     `json:"data"`
	Metadata map[string][]any   `json:"metadata"`
}

// form returns the form of s without its data, as AReaL passes it around, and the data.
func (s Sample) form() (sampleForm, []packed) {
	form := sampleForm{
		IDs: []string{}, Lengths: map[string][][]int{}, Types: map[string]string{}, Shapes: map[string][]int{},
	}
	rows := make([]map[string]any, len(s))
	for i, r := range s {
		form.IDs, rows[i] = append(form.IDs, r.ID), r.Meta
	}
	form.Metadata = listed(rows)
	all := s.pack()
	for i := range all {
		key := all[i].Name
		form.Keys = append(form.Keys, key)
		form.Lengths[key], form.Types[key], form.Shapes[key] = all[i].lengths, "torch."+string(all[i].Type), []int{}
	}
	return form, all
}

// listed returns the values of all rows by key; nil where a row has none.
func listed(rows []map[string]any) map[string][]any {
	all := map[string][]any{}
	for i, row := range rows {
		for key, v := range row {
			if all[key] == nil {
				all[key] = make([]any, len(rows))
			}
			all[key][i] = v
		}
	}
	return all
}

// MarshalJSON implements [json.Marshaler]: the dict that SequenceSample reads and writes.
func (s Sample) MarshalJSON() ([]byte, error) {
	form, all := s.form()
	form.Data = map[string]any{}
	for i := range all {
		form.Data[all[i].Name] = all[i].values()
	}
	return json.Marshal(form)
}

// values returns the values of t for JSON.
func (t *Tensor) values() any {
	switch t.Type {
	case Float32:
		return t.Floats
	case Bool:
		set := make([]bool, len(t.Ints))
		for i, v := range t.Ints {
			set[i] = v != 0
		}
		return set
	}
	return t.Ints
}

// File returns s as a file of tensors. Its text is the JSON of the sample without data.
func (s Sample) File() (File, error) {
	form, all := s.form()
	text, err := json.Marshal(form)
	f := File{Text: text}
	for i := range all {
		f.Tensors = append(f.Tensors, all[i].Tensor)
	}
	return f, err
}
