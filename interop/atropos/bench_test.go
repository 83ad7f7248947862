package atropos

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// sample returns the JSON of a group as a Python client sends it: n sequences of length
// tokens, of which the first fifth is the prompt.
func sample(n, length int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var tokens, masks, logProbs, messages []byte
	open := func(b *[]byte, i int) {
		if i > 0 {
			*b = append(*b, ", "...)
		}
	}
	for i := range n {
		for _, b := range []*[]byte{&tokens, &masks, &logProbs, &messages} {
			open(b, i)
			*b = append(*b, '[')
		}
		for j := range length {
			token := int(math.Exp(r.Float64() * 12))
			open(&tokens, j)
			open(&masks, j)
			open(&logProbs, j)
			tokens = appendNumber(tokens, token)
			if j < length/5 {
				masks = append(masks, "-100"...)
				logProbs = append(logProbs, "1.0"...)
				continue
			}
			masks = appendNumber(masks, token)
			logProbs = AppendFloat(logProbs, float64(float32(-r.ExpFloat64()/2.5)))
		}
		messages = append(messages, `{"role": "user", "content": "`...)
		for range length * 2 / 3 {
			messages = append(messages, "words "...)
		}
		messages = append(messages, `"}]`...)
		for _, b := range []*[]byte{&tokens, &masks, &logProbs} {
			*b = append(*b, ']')
		}
	}
	out := []byte(`{"env_id": 0, "tokens": [`)
	out = append(append(out, tokens...), `], "masks": [`...)
	out = append(append(out, masks...), `], "scores": [`...)
	for i := range n {
		open(&out, i)
		out = AppendFloat(out, float64(i%2))
	}
	out = append(append(append(out, `], "inference_logprobs": [`...), logProbs...), `], "messages": [`...)
	return append(append(out, messages...), `], "ref_logprobs": null, "overrides": null}`...)
}

func appendNumber(b []byte, v int) []byte { return strconv.AppendInt(b, int64(v), 10) }

func BenchmarkDecodeGroup(b *testing.B) {
	data := sample(8, 2048)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeGroup(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendGroup(b *testing.B) {
	g, err := DecodeGroup(sample(8, 2048))
	if err != nil {
		b.Fatal(err)
	}
	out := AppendGroup(nil, g)
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		out = AppendGroup(out[:0], g)
	}
}
