package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// newGroup returns a typical group: a prompt shared by the sequences, mostly frequent
// tokens, log-probabilities in single precision as of servers, and conversations.
func newGroup(seed uint64, sequences, length int) *quintain.Group {
	r := rand.New(rand.NewPCG(seed, 1))
	token := func() quintain.Token {
		return quintain.Token(min(151000, math.Pow(1-r.Float64(), -1/0.45)+float64(r.IntN(40))))
	}
	prompt := make([]quintain.Token, max(1, length/5))
	for i := range prompt {
		prompt[i] = token()
	}
	g := &quintain.Group{EnvID: new(int32)}
	var messages []string
	for i := range sequences {
		row, masks, logps := append([]quintain.Token{}, prompt...), make([]int32, 0, length), make([]float64, 0, length)
		for range prompt {
			masks, logps = append(masks, quintain.Untrained), append(logps, 1)
		}
		for len(row) < length {
			row = append(row, token())
			masks = append(masks, int32(row[len(row)-1]))
			mean := 0.4
			if r.Float64() >= 0.6 {
				mean = 0.0025
			}
			logps = append(logps, float64(float32(-r.ExpFloat64()*mean)))
		}
		g.Tokens, g.Masks, g.LogProbs = append(g.Tokens, row), append(g.Masks, masks), append(g.LogProbs, logps)
		g.Scores = append(g.Scores, float64(i%2))
		text := newText(r, length*4/6)
		messages = append(messages, fmt.Sprintf(`[{"role": "system", "content": "Answer inside <answer></answer> tags."}, `+
			`{"role": "user", "content": %q}, {"role": "assistant", "content": %q}]`, text[:len(text)/5], text[len(text)/5:]))
	}
	g.Messages = []byte("[" + strings.Join(messages, ", ") + "]")
	return g
}

// newText returns a text of n words, at least 4.
func newText(r *rand.Rand, n int) string {
	words := strings.Fields("so we need the sum of first find each then take value because this gives let us check again number equals total " +
		"therefore answer is which means that when there are two more than left right side multiply divide step by think about question")
	text := make([]string, max(4, n))
	for i := range text {
		text[i] = words[r.IntN(len(words))]
	}
	return strings.Join(text, " ")
}

// bodiesOf returns request bodies of per groups each in the load's form, and the size of
// their JSON.
func bodiesOf(load HubLoad, per int) (bodies [][]byte, plain int, err error) {
	codec := groupform.NewCodec(0)
	for seed := range uint64(4) {
		var text, binary []byte
		for k := range per {
			g := newGroup(4*uint64(k)+seed, load.Sequences, load.Length)
			body, err := codec.Encode(g)
			if err != nil {
				return nil, 0, err
			}
			binary = groupform.AppendFrame(binary, 0, body)
			if k > 0 {
				text = append(text, ", "...)
			}
			text = append(text, spaced(atropos.AppendGroup(nil, g))...)
		}
		if per > 1 {
			text = append(append([]byte("["), text...), ']')
		}
		plain += len(text) / 4
		switch load.Form {
		case "gzip":
			if text, err = zipped(text); err != nil {
				return nil, 0, err
			}
		case "binary":
			text = binary
		}
		bodies = append(bodies, text)
	}
	return bodies, plain, nil
}

// spaced adds a space after every comma and colon outside strings, as Python's json does.
func spaced(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	quoted := false
	for i, c := range text {
		out = append(out, c)
		if c == '"' && (i == 0 || text[i-1] != '\\') {
			quoted = !quoted
		}
		if !quoted && (c == ',' || c == ':') && text[i+1] != ' ' {
			out = append(out, ' ')
		}
	}
	return out
}

// zipped is text in gzip, compressed as by Python.
func zipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
