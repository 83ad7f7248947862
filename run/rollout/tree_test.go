package rollout

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// calls makes a trajectory of calls from a text: for each its parent, then u if it is unused, f if it
// is a fork, and its reward after a colon. Call k reads the token 100+k and writes 10k and 10k+1.
func calls(text string) quintain.Trajectory {
	t := quintain.Trajectory{Outcome: quintain.Scored, Vocabulary: quintain.UTF8}
	for k, field := range strings.Fields(text) {
		c := &quintain.Call{ID: fmt.Sprint("c", k)}
		var reward float64
		_, _ = fmt.Sscan(field[strings.IndexByte(field, ':')+1:], &reward)
		_, _ = fmt.Sscan(strings.TrimRight(strings.Split(field, ":")[0], "uf"), &c.Parent)
		turn := quintain.Turn{
			Call: c, Read: []quintain.Token{quintain.Token(100 + k)}, Wrote: []quintain.Token{quintain.Token(10 * k), quintain.Token(10*k + 1)},
			LogProbs: []float32{-0.5, -0.25}, Versions: []int32{1, 2}, Finish: quintain.Stop, Fork: strings.Contains(field, "f"),
			Observed: []quintain.Message{{Role: quintain.RoleUser, Content: fmt.Sprint("q", k)}}, Reply: fmt.Sprint("r", k),
		}
		if strings.Contains(field, ":") {
			turn.Reward = reward
		}
		if strings.Contains(field, "u") {
			c.Unused = "not delivered"
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

func TestSequencesOfATree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, calls   string
		how          Sequences
		tokens       string
		trained      string // tokens
		scores, says string // scores of the sequences; contents of the messages
	}{
		{"a line", "-1 0 1:1", WholeEpisodes, "[[100 0 1 101 10 11 102 20 21]]", "[[0 1 10 11 20 21]]", "[1]", "q0 r0 q1 r1 q2 r2"},
		{"two branches: the last call's is first", "-1 0 1 0:1", WholeEpisodes,
			"[[100 0 1 103 30 31] [100 0 1 101 10 11 102 20 21]]", "[[0 1 30 31] [10 11 20 21]]", "[1 1]", "q0 r0 q3 r3|q0 r0 q1 r1 q2 r2"},
		{"the others in the order of their ends", "-1 0 0 1 -1:1", WholeEpisodes,
			"[[104 40 41] [100 0 1 102 20 21] [100 0 1 101 10 11 103 30 31]]", "[[40 41] [0 1 20 21] [10 11 30 31]]", "[1 1 1]", "q4 r4|q0 r0 q2 r2|q0 r0 q1 r1 q3 r3"},
		{"an unused end makes no sequence", "-1 0:1 0u", WholeEpisodes, "[[100 0 1 101 10 11]]", "[[0 1 10 11]]", "[1]", "q0 r0 q1 r1"},
		{"nor does a whole unused branch", "-1 0:1 0u 2u", WholeEpisodes, "[[100 0 1 101 10 11]]", "[[0 1 10 11]]", "[1]", "q0 r0 q1 r1"},
		{"an unused reply that was continued is context", "-1 0u 1:1", WholeEpisodes, "[[100 0 1 101 10 11 102 20 21]]", "[[0 1 20 21]]", "[1]", "q0 r0 q1 r1 q2 r2"},
		{"unused at the start", "-1u 0:1", WholeEpisodes, "[[100 0 1 101 10 11]]", "[[10 11]]", "[1]", "q0 r0 q1 r1"},
		{"a fork begins the tokens anew", "-1 0 1f:1 1", WholeEpisodes,
			"[[100 0 1 101 10 11 103 30 31] [102 20 21]]", "[[0 1 10 11 30 31] [20 21]]", "[0 1]", "q0 r0 q1 r1 q3 r3|q0 r0 q1 r1 q2 r2"},
		{"rewards of calls count along their branch, that of the last call in all", "-1 0:0.25 0:1", WholeEpisodes,
			"[[100 0 1 102 20 21] [100 0 1 101 10 11]]", "[[0 1 20 21] [10 11]]", "[1 1.25]", "q0 r0 q2 r2|q0 r0 q1 r1"},
		{"each turn", "-1 0 0u 2:1", EachTurn, "[[100 0 1] [100 0 1 102 20 21 103 30 31] [100 0 1 101 10 11]]", "[[0 1] [30 31] [10 11]]", "[1 1 1]",
			"q0 r0|q0 r0 q2 r2 q3 r3|q0 r0 q1 r1"},
		{"all unused", "-1u 0u:1", WholeEpisodes, "[[100 0 1 101 10 11]]", "[[]]", "[1]", "q0 r0 q1 r1"},
	} {
		j, err := Rules{Estimator: DrGRPO, TurnDiscount: 1, Sequences: test.how, KeepEqual: true}.Judge(result(calls(test.calls)))
		g, drop := j.Group, j.Drop
		if err != nil || drop != "" {
			t.Fatalf("%s: drop %q, error %v", test.why, drop, err)
		}
		if err := g.Check(); err != nil {
			t.Errorf("%s: %v", test.why, err)
		}
		var talks [][]quintain.Message
		if err := json.Unmarshal(g.Messages, &talks); err != nil {
			t.Fatal(err)
		}
		var says []string
		for _, talk := range talks {
			var one []string
			for _, m := range talk {
				one = append(one, m.Content)
			}
			says = append(says, strings.Join(one, " "))
		}
		for _, row := range []struct{ what, got, want string }{
			{"tokens", fmt.Sprint(g.Tokens), test.tokens}, {"trained", fmt.Sprint(trainedOf(g)), test.trained},
			{"scores", fmt.Sprint(g.Scores), test.scores}, {"messages", strings.Join(says, "|"), test.says},
		} {
			if row.got != row.want {
				t.Errorf("%s: %s %s, want %s", test.why, row.what, row.got, row.want)
			}
		}
	}
}

// trainedOf returns the trained tokens of each sequence.
func trainedOf(g *quintain.Group) [][]int32 {
	all := make([][]int32, len(g.Masks))
	for i, row := range g.Masks {
		for _, token := range row {
			if token != quintain.Untrained {
				all[i] = append(all[i], token)
			}
		}
	}
	return all
}

// A discounted reward runs along the branch, not over the order of the calls.
func TestReturnsOfATree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, calls, want, earned string }{
		{"a line", "-1:1 0:2 1:4", "[3 4 4]", "3"},
		{"calls of another branch between", "-1 0 0 1:4", "[1 2 4 4]", "1"},
		{"a reward of a call", "-1 0 0:8 1:4", "[1 2 12 4]", "1"},
		{"a conversation that began anew", "-1 0 -1 2:4", "[2 4 2 4]", "2"},
		{"an unused call has none of the episode's reward", "-1 0u 0:4 1u", "[2 0 4 0]", "2"},
		{"all unused", "-1u 0u:4", "[2 4]", "2"},
	} {
		tree := calls(test.calls)
		r := Rules{TurnDiscount: 0.5}
		if got, earned := fmt.Sprint(r.returns(&tree)), fmt.Sprint(r.earned(&tree, r.returns(&tree)[start(&tree)])); got != test.want || earned != test.earned {
			t.Errorf("%s: %s, earned %s, want %s and %s", test.why, got, earned, test.want, test.earned)
		}
	}
}

// A reply that was cut masks an episode only if the agent used it.
func TestUnusedRepliesMaskNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		calls string
		want  string
	}{{"-1 0 0u:1", "false"}, {"-1 0 0:1", "true"}} {
		tree := calls(test.calls)
		tree.Turns[2].Finish = quintain.Length
		if got := fmt.Sprint(Rules{MaskTooLong: true}.Masked(&tree)); got != test.want {
			t.Errorf("%s: %s, want %s", test.calls, got, test.want)
		}
	}
}

// Each sampled token that the agent used is trained exactly once, after exactly the tokens before
// it, and no other token is.
func TestEachUsedTokenOfATreeIsTrainedOnOnce(t *testing.T) {
	t.Parallel()
	next := quintain.Token(0)
	fresh := func(n int) (tokens []quintain.Token) {
		for range n {
			next++
			tokens = append(tokens, next)
		}
		return tokens
	}
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		tree := quintain.Trajectory{Outcome: quintain.Scored, Vocabulary: "m"}
		contexts := make([][]quintain.Token, 0) // the tokens before each reply
		for k := range 1 + rnd.IntN(14) {
			c := &quintain.Call{Parent: max(-1, k-1-rnd.IntN(4))}
			if rnd.IntN(4) == 0 {
				c.Unused = "dropped"
			}
			turn := quintain.Turn{Call: c, Read: fresh(1 + rnd.IntN(3)), Wrote: fresh(rnd.IntN(4)), Fork: rnd.IntN(6) == 0, Finish: quintain.Stop}
			for i := range turn.Wrote {
				turn.LogProbs, turn.Versions = append(turn.LogProbs, -float32(turn.Wrote[i])), append(turn.Versions, int32(k))
			}
			context := turn.Read
			if c.Parent >= 0 && !turn.Fork {
				context = slices.Concat(contexts[c.Parent], tree.Turns[c.Parent].Wrote, turn.Read)
			}
			tree.Turns, contexts = append(tree.Turns, turn), append(contexts, context)
		}
		for _, how := range []Sequences{WholeEpisodes, EachTurn} {
			j, err := Rules{Estimator: None, Sequences: how, KeepEqual: true}.Judge(result(tree, tree))
			g, drop := j.Group, j.Drop
			if err != nil || drop != "" || g.Check() != nil || g.EpisodeCount() != 2 {
				t.Fatalf("seed %d, %s: drop %q, error %v, %v, %d episodes", seed, how, drop, err, g.Check(), g.EpisodeCount())
			}
			checkTrained(t, fmt.Sprintf("seed %d, %s", seed, how), &tree, g, contexts)
			rows := 0
			for one := range how.Tokens(&tree) {
				if !slices.Equal(one.Tokens, g.Tokens[rows]) || !slices.Equal(one.Masks, g.Masks[rows]) {
					t.Fatalf("seed %d, %s: sequence %d of the episode alone is %v", seed, how, rows, one)
				}
				rows++
			}
			if 2*rows != len(g.Tokens) {
				t.Fatalf("seed %d, %s: an episode alone has %d sequences, two have %d", seed, how, rows, len(g.Tokens))
			}
		}
	}
}

// checkTrained compares the trained tokens of a group of two equal episodes with those that the
// agent used. All tokens differ.
func checkTrained(t *testing.T, why string, tree *quintain.Trajectory, g *quintain.Group, contexts [][]quintain.Token) {
	t.Helper()
	want := map[quintain.Token][]quintain.Token{} // what stands before each trained token
	for k, turn := range tree.Turns {
		for i, token := range turn.Wrote {
			if turn.Used() {
				want[token] = slices.Concat(contexts[k], turn.Wrote[:i])
			}
		}
	}
	got := map[quintain.Token]int{}
	for i, row := range g.Tokens {
		for j, token := range row {
			trained := g.Masks[i][j] != quintain.Untrained
			before, used := want[token]
			if trained && (!used || !slices.Equal(row[:j], before) || g.Masks[i][j] != int32(token) || g.LogProbs != nil && g.LogProbs[i][j] != -float64(token)) {
				t.Fatalf("%s: token %d is trained after %v, want after %v", why, token, row[:j], before)
			}
			if !trained && (g.LogProbs != nil && len(g.LogProbs[i]) > 0 && g.LogProbs[i][j] != 1 || g.Versions[i][j] != -1) {
				t.Fatalf("%s: token %d is not trained, but has a log-probability or a version", why, token)
			}
			if trained {
				got[token]++
			}
		}
	}
	for token := range want {
		if got[token] != 2 {
			t.Fatalf("%s: token %d is trained %d times in two episodes", why, token, got[token])
		}
	}
}
