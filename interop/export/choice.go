package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// Formats lists the formats of a [Choice].
func Formats() []string { return []string{"records", "groups", "parquet", "sft", "dpo", "areal"} }

// A Choice says which data set to make.
type Choice struct {
	Format    string            // one of Formats
	Sequences rollout.Sequences // how the run cut episodes into sequences
	MinScore  float64           // least score of an episode, or of the chosen one of a pair
	MaxScore  float64           // largest such score; 0: any
	Gap       float64           // least difference of scores, from chosen to rejected, or with sft from best to worst
	Best      int               // most episodes or pairs of a group; 0: any number
	Atropos   bool              // pairs in the form of atropos-dpo-gen
	Mode      Mode              // of AReaL
	Form      Form              // of AReaL
	Discount  float64           // on a turn's reward in the reward of the turn before, 0 to 1; RunDiscount: of the run
}

// RunDiscount is the turn discount of the run, which its trace tells.
const RunDiscount = -1

// DefaultChoice returns the default data set of a format to be named.
func DefaultChoice() Choice {
	return Choice{Sequences: rollout.WholeEpisodes, MinScore: 0.7, Gap: 0.1, Mode: Legacy, Form: JSON, Discount: RunDiscount}
}

// Check reports the first field that is invalid, by the name of its flag.
func (c *Choice) Check() error {
	switch {
	case c.Sequences != rollout.WholeEpisodes && c.Sequences != rollout.EachTurn:
		return fmt.Errorf("sequences is %q, want episode or turn", c.Sequences)
	case !slices.Contains(Modes, c.Mode):
		return fmt.Errorf("mode is %q, want one of %v", c.Mode, Modes)
	case !slices.Contains(Forms, c.Form):
		return fmt.Errorf("form is %q, want one of %v", c.Form, Forms)
	case c.Discount != RunDiscount && !(c.Discount >= 0 && c.Discount <= 1):
		return fmt.Errorf("turn-discount is %v, want 0 to 1, or -1 for that of the run", c.Discount)
	}
	return nil
}

// Sink returns the sink of the data set. [CopyWhole] closes it.
func (c *Choice) Sink(out io.Writer) Sink {
	how := Shaping{Rules: rollout.DefaultRules()}
	how.Rules.Sequences = c.Sequences
	if c.Discount != RunDiscount {
		how.Discount = &c.Discount
	}
	switch c.Format {
	case "groups":
		return &Groups{Out: out, Shaping: how}
	case "parquet":
		return NewParquet(out, how)
	case "sft":
		return &SFT{Out: out, MinScore: c.MinScore, MaxScore: c.MaxScore, Gap: c.Gap, Best: c.Best, Shaping: how}
	case "dpo":
		return &DPO{Out: out, MinScore: c.MinScore, MaxScore: c.MaxScore, Gap: c.Gap, Pairs: c.Best, Atropos: c.Atropos, Shaping: how}
	case "areal":
		return &Areal{Out: out, Mode: c.Mode, Form: c.Form, Shaping: how}
	}
	return recordLines{out}
}

// recordLines prints records as they are, a line each.
type recordLines struct{ out io.Writer }

// Write implements [Sink].
func (r recordLines) Write(record *trace.Record) error { return json.NewEncoder(r.out).Encode(record) }

// CopyWhole is Copy, and then closes the sink if it is an [io.Closer].
func CopyWhole(ctx context.Context, to Sink, from *trace.Reader, q trace.Query) (n int, err error) {
	if n, err = Copy(ctx, to, from, q); err != nil {
		return n, err
	}
	if end, has := to.(io.Closer); has {
		return n, end.Close()
	}
	return n, nil
}

// Flags gives f the flags that set the choice.
func (c *Choice) Flags(f *pflag.FlagSet) {
	f.StringVar((*string)(&c.Sequences), "sequences", string(c.Sequences), "how the run cut episodes into sequences: episode or turn")
	f.Float64Var(&c.MinScore, "min-score", c.MinScore, "least score of an episode, or of the chosen one of a pair")
	f.Float64Var(&c.MaxScore, "max-score", c.MaxScore, "largest such score; 0: any")
	f.Float64Var(&c.Gap, "gap", c.Gap, "minimum score gap, chosen to rejected (sft: best to worst, default 0)")
	f.IntVar(&c.Best, "best", c.Best, "most episodes, or pairs, of a group; 0: any number")
	f.BoolVar(&c.Atropos, "atropos", c.Atropos, "pairs in the form of atropos-dpo-gen: {\"pos\", \"score\", \"neg\"}")
	f.StringVar((*string)(&c.Mode), "mode", string(c.Mode), "AReaL's form of episodes: legacy, a sequence for each turn; single, a record for each group; or modern, tensors")
	f.StringVar((*string)(&c.Form), "form", string(c.Form), "file format: json, one episode a line, or npz or safetensors, one file for all")
	f.Float64Var(&c.Discount, "turn-discount", c.Discount, "factor on a turn's reward in that of the turn before, for areal, groups and parquet; -1: that of the run")
}
