//go:build ignore

// Scores tokens with a model of others: for each line of the standard input, a list of ids, it
// writes a list with the log-probability of each but the first, after those before. The arguments are the model's GGUF file
// or folder and, with -tensor, the name of a tensor: it writes the sum of that and its first values instead.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func main() {
	tensor := flag.String("tensor", "", "name of a tensor of transformer.Config.Frozen")
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
	for lines.Scan() {
		var ids []int32
		check(strictjson.Unmarshal(lines.Bytes(), &ids))
		scores, err := pass.Forward([][]int32{ids}, nil)
		check(err)
		check(out.Encode(scores.LogProbs[0][1:]))
	}
	check(lines.Err())
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
