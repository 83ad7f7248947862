package external

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/task/rng"
)

// Seed31 returns the seed of a problem of an endless split, in 31 bits, since some systems refuse more: of
// the SHA-256 of "SEED/LEVEL/INDEX", in decimal, the first 31.
func Seed31(p *quintain.Problem) int32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", p.Seed, p.Level, p.Index))
	return int32(binary.BigEndian.Uint32(sum[:]) >> 1)
}

// owns reports whether the program has problems of its own.
func (h *Hello) owns() bool { return h.Levels != nil || h.Splits != nil }

// levels returns the parameters of the levels of its own problems. Those of a split are its name.
func (h *Hello) levels() []json.RawMessage {
	if h.Splits == nil {
		return h.Levels
	}
	all := make([]json.RawMessage, len(h.Splits))
	for i, s := range h.Splits {
		name, err := json.Marshal(s.Name)
		if err != nil {
			panic(err) // a text can be written
		}
		all[i] = fmt.Appendf(nil, `{"split":%s}`, name)
	}
	return all
}

// heldOutNames are those of splits that are held out though they do not say so.
func heldOutNames() []string { return []string{"test", "validation", "eval"} }

// Limits of splits.
const (
	mostSplitName = 100     // bytes
	mostRows      = 1 << 27 // of a split: their order is kept in memory
)

// checkSecond checks the fields of protocol 2, and marks the splits that are held out by their name.
func (h *Hello) checkSecond() error {
	switch second := h.Splits != nil || h.MaxTurns != 0 || h.RewardRange != nil || h.RightAt != nil || h.Source != nil || h.Grades; {
	case !second:
		return nil
	case h.Protocol < 2:
		return errors.New("splits, max_turns, reward_range, right_at, source and grades are of protocol 2")
	case h.Splits != nil && h.Levels != nil:
		return errors.New("it has levels and splits: want one of them")
	case h.Splits != nil && len(h.Splits) == 0 || len(h.Splits) > mostLevels:
		return fmt.Errorf("it has %s, want 1 to %d", stats.Count(len(h.Splits), "split"), mostLevels)
	case h.MaxTurns < 0:
		return fmt.Errorf("max_turns is %d, want 1 or more", h.MaxTurns)
	case h.RewardRange != nil && !(h.RewardRange[0] <= h.RewardRange[1]):
		return fmt.Errorf("reward_range is %v, want the lowest and the highest reward", *h.RewardRange)
	case h.RightAt != nil && quintain.CheckReward(*h.RightAt) != nil:
		return fmt.Errorf("right_at is %v, want a reward", *h.RightAt)
	}
	names := map[string]bool{}
	for i := range h.Splits {
		s := &h.Splits[i]
		if s.Name == "" || len(s.Name) > mostSplitName || names[s.Name] || s.Size < 0 || s.Size > mostRows {
			return fmt.Errorf("split %d is %q of the size %d, want a name of its own of at most %d bytes, and a size of 0 to %d", i, clip(s.Name), s.Size, mostSplitName, mostRows)
		}
		names[s.Name] = true
		s.HeldOut = s.HeldOut || slices.Contains(heldOutNames(), s.Name)
	}
	return nil
}

// key returns the key of a problem of a split, on the side that the program's splits say; if they say
// nothing, by hash.
func (p *Program) key(of quintain.Problem) (quintain.Key, error) {
	if of.Level < 0 || of.Level >= len(p.hello.Splits) {
		return quintain.Key{}, fmt.Errorf("problem %s is of none of the splits", of.ID())
	}
	split, number := p.hello.Splits[of.Level], int(Seed31(&of))
	if split.Size > 0 {
		number = p.row(&of)
	}
	text := fmt.Sprintf("%s/%s.%d", p.hello.id(), split.Name, number)
	if !slices.ContainsFunc(p.hello.Splits, func(s Split) bool { return s.HeldOut }) {
		return quintain.NewKey(text), nil
	}
	for n := 0; ; n++ { // a tenth of all keys are held out
		if k := quintain.NewKey(text + "#" + strconv.Itoa(n)); k.HeldOut() == split.HeldOut {
			return k, nil
		}
	}
}

// row returns the row of a problem of a split of known size: in passes, each in an order of its own; a
// split that is held out in its own order.
func (p *Program) row(of *quintain.Problem) int {
	split := p.hello.Splits[of.Level]
	if split.HeldOut {
		return of.Index % split.Size
	}
	return p.passes[of.Level].Row(of.Seed, of.Index)
}

// orders returns the orders of the rows of splits.
func (h *Hello) orders() []rng.Epochs {
	all := make([]rng.Epochs, len(h.Splits))
	for i := range all {
		all[i].Rows, all[i].Path = h.Splits[i].Size, []string{"split", h.Splits[i].Name}
	}
	return all
}

// asked returns a problem as the program gets it: that of a split of known size has its row as its index.
func (p *Program) asked(of quintain.Problem) *quintain.Problem {
	if all := p.hello.Splits; of.Level >= 0 && of.Level < len(all) && all[of.Level].Size > 0 {
		of.Index = p.row(&of)
	}
	return &of
}

// Limits of what a program says beside the reward of a reply.
const (
	mostMetrics    = 64
	mostMetricName = 100      // bytes
	mostRecord     = 64 << 10 // bytes
	mostAfter      = 600      // seconds
)

// beside checks the metrics and the record.
func (a *Answer) beside() error {
	if len(a.Metrics) > mostMetrics {
		return fmt.Errorf("it gives %d metrics, want at most %d", len(a.Metrics), mostMetrics)
	}
	for name, value := range a.Metrics {
		if len(name) > mostMetricName || math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("the metric %q is %v, want a finite number with a name of at most %d bytes", clip(name), value, mostMetricName)
		}
	}
	switch {
	case len(a.Record) > mostRecord:
		return fmt.Errorf("the record has %d bytes, want at most %d", len(a.Record), mostRecord)
	case a.Record != nil && string(a.Record) != "null" && a.Record[0] != '{':
		return fmt.Errorf("the record is %s, want an object", clip(string(a.Record)))
	case string(a.Record) == "null":
		a.Record = nil
	}
	return nil
}
