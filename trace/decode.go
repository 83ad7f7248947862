package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An unpacked is a decoded block.
type unpacked struct {
	json     []byte // of all records
	tokens   column
	logProbs column
	shares   []share
}

var errBlock = fmt.Errorf("%w: a block is incomplete", ErrDamaged)

// unpack reads an inflated payload.
func unpack(payload []byte) (u *unpacked, err error) {
	if len(payload) < 4 {
		return nil, errBlock
	}
	n, rest := int(binary.LittleEndian.Uint32(payload)), payload[4:]
	if n > len(rest)/shareSize {
		return nil, errBlock
	}
	u = &unpacked{shares: make([]share, n)}
	all := share{}
	for i := range u.shares {
		number := func(k int) int { return int(binary.LittleEndian.Uint32(rest[i*shareSize+4*k:])) }
		s := share{number(0), number(1), number(2)}
		u.shares[i] = s
		all = share{all.json + s.json, all.tokens + s.tokens, all.logProbs + s.logProbs}
	}
	rest = rest[n*shareSize:]
	if all.json > len(rest) {
		return nil, errBlock
	}
	u.json, rest = rest[:all.json], rest[all.json:]
	if u.tokens, rest, err = readColumn(rest, all.tokens); err != nil {
		return nil, err
	}
	if u.logProbs, rest, err = readColumn(rest, all.logProbs); err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, errBlock
	}
	return u, nil
}

// record reads record i.
func (u *unpacked) record(i int) (*Record, error) {
	if i < 0 || i >= len(u.shares) {
		return nil, fmt.Errorf("record %d is not in a block of %d records", i, len(u.shares))
	}
	from := share{}
	for _, s := range u.shares[:i] {
		from = share{from.json + s.json, from.tokens + s.tokens, from.logProbs + s.logProbs}
	}
	is := u.shares[i]
	d := decoder{share: is, tokens: make([]quintain.Token, is.tokens), logProbs: make([]float32, is.logProbs)}
	for k := range d.tokens {
		d.tokens[k] = quintain.Token(u.tokens.at(from.tokens + k))
	}
	for k := range d.logProbs {
		d.logProbs[k] = math.Float32frombits(uint32(u.logProbs.at(from.logProbs + k)))
	}
	return d.decode(u.json[from.json:][:is.json])
}

// The JSON of a record; see [Record].
type recordJSON struct {
	Problem    quintain.Problem `json:"problem"`
	Time       int64            `json:"time"`
	Version    int              `json:"version"`
	Drop       string           `json:"drop"`
	Worker     string           `json:"worker"`
	Model      string           `json:"model"`
	Scores     []float64        `json:"scores"`
	Advantages [][]float64      `json:"advantages"` // runs
	Sequences  []int32          `json:"sequences"`
	Episodes   []episodeJSON    `json:"episodes"`
}

type episodeJSON struct {
	ID         *string          `json:"id"` // nil: see episodeID
	Outcome    quintain.Outcome `json:"outcome"`
	End        quintain.End     `json:"end"`
	Error      string           `json:"error"`
	Output     string           `json:"output"`
	Tools      json.RawMessage  `json:"tools"`
	Match      *quintain.Match  `json:"match"`
	Helpers    []quintain.Talk  `json:"helpers"`
	Replays    int              `json:"replays"`
	Vocabulary string           `json:"vocabulary"`
	Started    *int64           `json:"started"` // nanoseconds after the record's time; nil: unknown
	Took       time.Duration    `json:"took"`
	Turns      []turnJSON       `json:"turns"`
}

type turnJSON struct {
	Opening   bool                `json:"opening"` // observed and read are the record's first turn's
	Observed  []quintain.Message  `json:"observed"`
	Read      *int                `json:"read"` // number of tokens in the column; nil: no list
	Reply     string              `json:"reply"`
	Reasoning string              `json:"reasoning"`
	ToolCalls []quintain.ToolCall `json:"tool_calls"`
	CallFault string              `json:"call_fault"`
	Wrote     *int                `json:"wrote"`
	LogProbs  *int                `json:"logprobs"`
	Versions  []int32             `json:"versions"` // runs
	Finish    quintain.Finish     `json:"finish"`
	Fork      bool                `json:"fork"`
	Realigned bool                `json:"realigned"`
	Tools     json.RawMessage     `json:"tools"`
	Call      *quintain.Call      `json:"call"`
	Answer    string              `json:"answer"`
	Reward    float64             `json:"reward"`
	Right     bool                `json:"right"`
	Malformed bool                `json:"malformed"`
	Illegal   bool                `json:"illegal"`
	Value     *float64            `json:"value"`
	Why       string              `json:"why"`
	Metrics   map[string]float64  `json:"metrics"`
	Record    json.RawMessage     `json:"record"`
}

// A decoder makes a record. It takes tokens and log-probabilities from the front.
type decoder struct {
	share    share
	tokens   []quintain.Token
	logProbs []float32
	runs     int            // numbers from runs
	first    *quintain.Turn // of the record
	err      error
}

// decode reads the JSON of a record.
func (d *decoder) decode(text []byte) (*Record, error) {
	var in recordJSON
	if err := strictjson.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	r := &Record{
		Problem: in.Problem, Time: time.Unix(0, in.Time).UTC(), Version: in.Version, Drop: in.Drop, Worker: in.Worker, Model: in.Model,
		Scores: in.Scores, Sequences: in.Sequences,
	}
	if in.Advantages != nil {
		r.Advantages = make([][]float64, len(in.Advantages))
	}
	for i, row := range in.Advantages {
		r.Advantages[i] = expand(d, row)
	}
	if in.Episodes != nil {
		r.Episodes = make([]quintain.Trajectory, len(in.Episodes))
	}
	group := r.Group()
	for i := range in.Episodes {
		r.Episodes[i] = d.episode(&in.Episodes[i], r)
		if in.Episodes[i].ID == nil {
			r.Episodes[i].ID = episodeID(group, i)
		}
	}
	if d.err == nil && len(d.tokens)+len(d.logProbs) > 0 {
		d.err = fmt.Errorf("%s and %s belong to no turn", stats.Count(len(d.tokens), "token"), stats.Count(len(d.logProbs), "log-probability"))
	}
	return r, d.err
}

// episode makes an episode of r, and sets its ID if the JSON has one.
func (d *decoder) episode(in *episodeJSON, r *Record) quintain.Trajectory {
	t := quintain.Trajectory{
		Problem: r.Problem, Vocabulary: in.Vocabulary, End: in.End, Outcome: in.Outcome, Error: in.Error, Output: in.Output, Tools: in.Tools, Match: in.Match, Helpers: in.Helpers, Replays: in.Replays, Took: in.Took,
	}
	if in.ID != nil {
		t.ID = *in.ID
	}
	if in.Started != nil {
		t.Started = time.Unix(0, r.Time.UnixNano()+*in.Started).UTC()
	}
	if in.Turns != nil {
		t.Turns = make([]quintain.Turn, len(in.Turns))
	}
	for k := range in.Turns {
		t.Turns[k] = d.turn(&in.Turns[k])
		if call := in.Turns[k].Call; call != nil {
			if err := checkParent(call, k); err != nil {
				d.fail("%w", err)
			}
		}
		if d.first == nil {
			d.first = &t.Turns[k]
		}
	}
	return t
}

// turn makes a turn.
func (d *decoder) turn(in *turnJSON) quintain.Turn {
	t := quintain.Turn{
		Observed: in.Observed, Reply: in.Reply, Reasoning: in.Reasoning, ToolCalls: in.ToolCalls, CallFault: in.CallFault, Finish: in.Finish, Fork: in.Fork,
		Realigned: in.Realigned, Tools: in.Tools, Call: in.Call, Answer: in.Answer, Reward: in.Reward, Right: in.Right, Malformed: in.Malformed, Why: in.Why,
		Illegal: in.Illegal, Value: in.Value, Metrics: in.Metrics, Record: in.Record,
	}
	switch {
	case !in.Opening:
		t.Read = take(d, &d.tokens, in.Read)
	case d.first != nil:
		t.Observed, t.Read = d.first.Observed, d.first.Read
	default:
		d.fail("the first turn refers to itself")
	}
	t.Wrote = take(d, &d.tokens, in.Wrote)
	t.LogProbs = take(d, &d.logProbs, in.LogProbs)
	t.Versions = expand(d, in.Versions)
	return t
}

// fail records the first error.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// take takes n numbers from the front of a column; nil if n is nil.
func take[T any](d *decoder, column *[]T, n *int) []T {
	if n == nil {
		return nil
	}
	if *n < 0 || *n > len(*column) {
		d.fail("a turn has %s or log-probabilities, but only %d are left", stats.Count(*n, "token"), len(*column))
		return nil
	}
	list := (*column)[:*n:*n]
	*column = (*column)[*n:]
	return list
}

// expand returns the numbers of runs: count, value, count, value, ….
func expand[T int32 | float64](d *decoder, runs []T) []T {
	if runs == nil {
		return nil
	}
	list := []T{}
	for i := 0; i+1 < len(runs) && d.err == nil; i += 2 {
		if n := runs[i]; n < 1 || n > maxPayload {
			d.fail("a run has length %v", n)
			continue
		}
		n := int(runs[i])
		d.runs += n
		if err := d.share.fits(d.runs); err != nil {
			d.fail("%w", err)
			continue
		}
		list = slices.Grow(list, n)
		for range n {
			list = append(list, runs[i+1])
		}
	}
	if len(runs)%2 != 0 {
		d.fail("a run has no value")
	}
	return list
}
