package export

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// tree returns a group of two episodes of four calls: the second ends a branch, the third was not
// used, and the fourth ends the main branch.
func tree() *trace.Record {
	r := group(1, "", 1, 0)
	for i := range r.Episodes {
		e := &r.Episodes[i]
		e.Turns = nil
		for k, parent := range []int{-1, 0, 0, 0} {
			turn := quintain.Turn{
				Call:     &quintain.Call{ID: fmt.Sprint("c", k), Parent: parent},
				Observed: []quintain.Message{{Role: "user", Content: fmt.Sprint("q", k)}}, Reply: fmt.Sprintf("r%d%d", k, i),
				Read: []quintain.Token{quintain.Token(100 + k)}, Wrote: []quintain.Token{quintain.Token(k)},
				LogProbs: []float32{-1}, Versions: []int32{3}, Finish: quintain.Stop,
			}
			if k == 2 {
				turn.Call.Unused = "not delivered"
			}
			e.Turns = append(e.Turns, turn)
		}
		e.Turns[3].Reward = r.Scores[i]
	}
	return r
}

// Conversations are those of branches: all of them, or the main one where an episode has one
// place.
func TestExportsOfATree(t *testing.T) {
	t.Parallel()
	shaping := Shaping{Rules: rollout.Rules{TurnDiscount: 1}}
	for _, test := range []struct {
		why  string
		sink func(out *bytes.Buffer) Sink
		want string // what messages and tokens say, in order
	}{
		{"each branch is a conversation", func(out *bytes.Buffer) Sink { return &SFT{Out: out, MinScore: 1} }, "q0 r00 q3 r30|q0 r00 q1 r10"},
		{"the main branches are a pair", func(out *bytes.Buffer) Sink { return &DPO{Out: out} }, "q0 r00 q3 r30 r01 q3 r31"},
		{"each branch is a sequence", func(out *bytes.Buffer) Sink { return &Groups{Out: out, Shaping: shaping} }, "q0 r00 q3 r30 q0 r00 q1 r10 q0 r01 q3 r31 q0 r01 q1 r11"},
	} {
		var out bytes.Buffer
		if _, err := Copy(t.Context(), test.sink(&out), folder(t, tree()), trace.Query{}); err != nil {
			t.Fatal(err)
		}
		var said []string
		for line := range strings.Lines(out.String()) {
			var words []string
			for _, part := range strings.Split(line, `"content":"`)[1:] {
				words = append(words, part[:strings.IndexByte(part, '"')])
			}
			said = append(said, strings.Join(words, " "))
		}
		if got := strings.Join(said, "|"); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// AReaL gets a sequence for each call that the agent used, with all before it as its prompt, or a
// row for each branch.
func TestArealOfATree(t *testing.T) {
	t.Parallel()
	shaping := Shaping{Rules: rollout.Rules{TurnDiscount: 1}}
	sample, _, err := (&Areal{Mode: Legacy, Shaping: shaping}).convert(tree())
	if err != nil || len(sample) != 2 {
		t.Fatalf("%d records, error %v", len(sample), err)
	}
	var got []string
	for _, s := range sample[0].Sequences {
		got = append(got, fmt.Sprint(s.Tokens, s.Read, s.Reward))
	}
	if want := "[100 0] 1 1|[100 0 103 3] 3 1|[100 0 101 1] 3 1"; strings.Join(got, "|") != want {
		t.Errorf("the first record has %s, want %s", strings.Join(got, "|"), want)
	}
	_, batch, err := (&Areal{Mode: Modern, Shaping: shaping}).convert(tree())
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, row := range batch {
		got = append(got, fmt.Sprint(row.Tokens, row.Trained, row.Reward))
	}
	if want := "[100 0 103 3] [false true false true] 1|[100 0 101 1] [false false false true] 1|[100 0 103 3] [false true false true] 0|[100 0 101 1] [false false false true] 0"; strings.Join(got, "|") != want {
		t.Errorf("the rows are %s, want %s", strings.Join(got, "|"), want)
	}
}
