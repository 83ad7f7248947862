package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/policy"
)

// A program is a policy that runs a command line for each sample: it reads a request as JSON on
// its standard input, and writes the reply on its standard output.
type program struct {
	line  string
	limit time.Duration
}

// request is the JSON form of a request.
type request struct {
	Key      string             `json:"key"`
	Messages []quintain.Message `json:"messages"`
	Sampling quintain.Sampling  `json:"sampling"`
	Code     string             `json:"code"` // which the verdict must have
}

// Sample implements [quintain.Policy].
func (p program) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := policy.Check(r); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	in, err := json.Marshal(request{r.Key, r.Messages, r.Sampling, Code(r.Messages)})
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	samples := make([]quintain.Sample, r.N)
	for k := range samples {
		text, err := p.run(ctx, in)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("command: %w", err)
		}
		wrote := policy.Encode(text)
		samples[k] = quintain.Sample{
			Text: text, Read: policy.Read(r), Wrote: wrote, Versions: make([]int32, len(wrote)), Finish: quintain.Stop, Vocabulary: quintain.UTF8,
		}
	}
	return samples, nil
}

// run runs the program once.
func (p program) run(ctx context.Context, in []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	out, err := command.Ask(ctx, p.line, in)
	return string(out), err
}
