//go:build ignore

// Scores tokens with a model of others: for each line of the standard input, a list of ids, it
// writes a list with the log-probability of each but the first, after those before. The argument is the model's GGUF file
// or folder. With -tensor, the name of a tensor, it writes the sum of that and its first values instead. With -adapters, a folder, it
// gives the model random adapters, which it writes there as PEFT loads them, and reads batches: of each it writes the
// log-probabilities and, into a folder with its number, the gradients of the adapters in the same layout.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func main() {
	tensor := flag.String("tensor", "", "name of a tensor of transformer.Config.Frozen")
	folder := flag.String("adapters", "", "folder for random adapters and their gradients")
	flag.Parse()
	m, err := pretrained.Open(flag.Arg(0))
	check(err)
	out := json.NewEncoder(os.Stdout)
	c := m.Config
	c.Rank, c.Alpha, c.Context = 16, 32, min(c.Context, 4096)
	if *tensor != "" {
		check(out.Encode(sum(m, c, *tensor)))
		return
	}
	model, err := transformer.Adapt(c, 1, m.Read)
	check(err)
	pass := transformer.NewPass(model)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	if *folder != "" {
		chance := rand.New(rand.NewPCG(1, 2))
		for i := range model.Params() {
			model.Params()[i] += float32(0.02 * chance.NormFloat64())
		}
		check(m.WriteAdapter(*folder, model))
	}
	for n := 0; lines.Scan(); n++ {
		if *folder != "" {
			check(out.Encode(gradients(pass, lines.Bytes())))
			of := model.Clone()
			copy(of.Params(), pass.Grads())
			check(m.WriteAdapter(filepath.Join(*folder, strconv.Itoa(n)), of))
			clear(pass.Grads())
			continue
		}
		var ids []int32
		check(strictjson.Unmarshal(lines.Bytes(), &ids))
		scores, err := pass.Forward([][]int32{ids}, nil)
		check(err)
		check(out.Encode(scores.LogProbs[0][1:]))
	}
	check(lines.Err())
}

// gradients takes a batch through the model, forward and back, and returns the log-probabilities.
func gradients(pass *transformer.Pass, line []byte) [][]float32 {
	var batch struct {
		IDs       [][]int32   `json:"ids"`
		Fixed     []int       `json:"fixed"`     // tokens of the prompt, which is constant
		LogProbs  [][]float32 `json:"logprobs"`  // derivatives of the loss by the log-probability of each token
		Entropies [][]float32 `json:"entropies"` // and by the entropy
	}
	check(strictjson.Unmarshal(line, &batch))
	scores, err := pass.Forward(batch.IDs, batch.Fixed)
	check(err)
	check(pass.Backward(batch.LogProbs, batch.Entropies))
	return scores.LogProbs
}

// sum returns the sum of a tensor and its first values.
func sum(m *pretrained.Model, c transformer.Config, name string) []float64 {
	for _, t := range c.Frozen() {
		if t.Name != name {
			continue
		}
		t.Data = make([]float32, t.Rows*t.Cols)
		check(m.Read(t))
		all := make([]float64, 5)
		for i, x := range t.Data {
			all[0] += float64(x)
			if i < 4 {
				all[1+i] = float64(x)
			}
		}
		return all
	}
	log.Fatalf("there is no tensor %s", name)
	return nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
