package groupform_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// arrays reads a group as arrays: their numbers, and the texts.
func arrays(t rapid.TB, b []byte) (numbers map[string][]float64, texts map[string]string) {
	size := binary.LittleEndian.Uint64(b)
	head, values := b[8:8+size], b[8+size:]
	if size%8 != 0 {
		t.Errorf("the head has %d bytes, so the values are not aligned", size)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(head, &entries); err != nil {
		t.Fatal(err)
	}
	numbers, end := map[string][]float64{}, 0
	for name, raw := range entries {
		if name == "__metadata__" {
			if err := json.Unmarshal(raw, &texts); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var e struct {
			Type    string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		numbers[name] = read(e.Type, values[e.Offsets[0]:e.Offsets[1]])
		if len(e.Shape) != 1 || e.Shape[0] != len(numbers[name]) {
			t.Errorf("%s has the shape %v, and %d values", name, e.Shape, len(numbers[name]))
		}
		end = max(end, e.Offsets[1])
	}
	if end != len(values) {
		t.Errorf("%d bytes of values, of which %d are named", len(values), end)
	}
	return numbers, texts
}

// read reads the values of one array.
func read(kind string, b []byte) (values []float64) {
	for len(b) > 0 {
		switch kind {
		case "F64":
			values, b = append(values, math.Float64frombits(binary.LittleEndian.Uint64(b))), b[8:]
		case "F32":
			values, b = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), b[4:]
		case "BOOL":
			values, b = append(values, float64(b[0])), b[1:]
		default:
			values, b = append(values, float64(int32(binary.LittleEndian.Uint32(b)))), b[4:]
		}
	}
	return values
}

// flat is the rows of a field, joined as arrays are.
func flat[Row ~[]E, E quintain.Token | int32 | float64](g *quintain.Group, rows []Row, short bool) []float64 {
	var all []float64
	for i, row := range rows {
		for j := range g.Tokens[i] {
			v := math.NaN()
			switch {
			case len(row) == len(g.Tokens[i]):
				v = float64(row[j])
			case len(row) == 1:
				v = float64(row[0])
			}
			if short {
				v = float64(float32(v))
			}
			all = append(all, v)
		}
	}
	return all
}

// A group's arrays have all its numbers; absent fields are absent.
func TestArraysHaveEveryNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := queuetest.Groups().Draw(t, "group")
		got, texts := arrays(t, groupform.AppendArrays(nil, g))
		want := map[string][]float64{"scores": g.Scores, "tokens": flat(g, g.Tokens, false), "trained": nil, "lengths": nil}
		plain := true
		for i, row := range g.Masks {
			for j, mask := range row {
				if mask == quintain.Untrained {
					want["trained"] = append(want["trained"], 0)
				} else {
					want["trained"], plain = append(want["trained"], 1), plain && mask == int32(g.Tokens[i][j])
				}
			}
		}
		if !plain {
			want["masks"] = flat(g, g.Masks, false)
		}
		for _, row := range g.Tokens {
			want["lengths"] = append(want["lengths"], float64(len(row)))
		}
		if g.Versions != nil {
			want["versions"] = flat(g, g.Versions, false)
		}
		if g.Episodes != nil {
			want["episodes"] = nil
			for _, e := range g.Episodes {
				want["episodes"] = append(want["episodes"], float64(e))
			}
		}
		for name, rows := range map[string][][]float64{"inference_logprobs": g.LogProbs, "ref_logprobs": g.RefLogProbs, "advantages": g.Advantages} {
			if rows != nil {
				want[name] = flat(g, rows, true)
			}
		}
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want { // NaN equals NaN as text
			t.Errorf("arrays %s, want %s", got, want)
		}
		if _, has := texts["env_id"]; has != (g.EnvID != nil) {
			t.Errorf("texts %v of a group with the environment %v", texts, g.EnvID)
		}
		if raw, has := texts["messages"]; has != (len(g.Messages) > 0) || raw != string(g.Messages) {
			t.Errorf("messages %q, want %q", raw, g.Messages)
		}
	})
}

func BenchmarkAppendArrays(b *testing.B) {
	for name, g := range queuetest.Shapes() {
		b.Run(name, func(b *testing.B) {
			var out []byte
			for b.Loop() {
				out = groupform.AppendArrays(out[:0], g)
			}
			report(b, g, len(out))
		})
	}
}
