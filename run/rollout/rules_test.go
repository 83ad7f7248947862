package rollout

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/quintain-rl/quintain"
)

// played makes a trajectory with a turn for each reward. Each turn reads 2 tokens and
// writes n.
func played(n int, rewards ...float64) quintain.Trajectory {
	tr := quintain.Trajectory{Outcome: quintain.Scored, Vocabulary: quintain.UTF8}
	for i, reward := range rewards {
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: "user", Content: "q"}}, Reply: "r",
			Read: []quintain.Token{1, 2}, Finish: quintain.Stop, Reward: reward,
		}
		for k := range n {
			turn.Wrote = append(turn.Wrote, quintain.Token(10+k))
			turn.LogProbs = append(turn.LogProbs, -0.25)
			turn.Versions = append(turn.Versions, int32(5+i))
		}
		tr.Turns = append(tr.Turns, turn)
	}
	return tr
}

func result(trajectories ...quintain.Trajectory) Result {
	return Result{Job: Job{Problem: quintain.Problem{Task: "a", Seed: 3, Index: 9}}, Trajectories: trajectories}
}

func TestGroupOfSeveralTurns(t *testing.T) {
	r := Rules{Estimator: DrGRPO, TurnDiscount: 0.5}
	j, err := r.Judge(result(played(2, -1, 1), played(2, 1)))
	g, scores, drop := j.Group, j.Scores, j.Drop
	if err != nil || drop != "" {
		t.Fatalf("drop %q, error %v", drop, err)
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	for _, test := range []struct{ what, got, want string }{
		{"tokens", fmt.Sprint(g.Tokens), "[[1 2 10 11 1 2 10 11] [1 2 10 11]]"},
		{"masks", fmt.Sprint(g.Masks), "[[-100 -100 10 11 -100 -100 10 11] [-100 -100 10 11]]"},
		{"log-probabilities", fmt.Sprint(g.LogProbs), "[[1 1 -0.25 -0.25 1 1 -0.25 -0.25] [1 1 -0.25 -0.25]]"},
		{"versions", fmt.Sprint(g.Versions), "[[-1 -1 5 5 -1 -1 6 6] [-1 -1 5 5]]"},
		{"scores", fmt.Sprint(scores), "[-0.5 1]"},
		{"advantages of returns -0.5, 1 and 1 around 0.25", fmt.Sprint(g.Advantages), "[[0 0 -0.75 -0.75 0 0 0.75 0.75] [0 0 0.75 0.75]]"},
		{"oldest", fmt.Sprint(g.Oldest()), "5"},
		{"ID", g.ID, "a.v0.s3.l0.9"},
		{"overrides", string(g.Overrides[0]), "{}"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.what, test.got, test.want)
		}
	}
	var talks [][]quintain.Message
	if err := json.Unmarshal(g.Messages, &talks); err != nil || len(talks) != 2 || len(talks[0]) != 4 {
		t.Errorf("messages %s, error %v", g.Messages, err)
	}
	r.NoMessages = true
	if bare, err := r.Judge(result(played(2, -1, 1), played(2, 1))); err != nil || bare.Group.Messages != nil || len(bare.Group.Tokens) != 2 {
		t.Errorf("without messages: %+v, error %v", bare, err)
	}
}

// A sequence ends with its last sampled token: a conversation that left no room for a reply
// was read further than a trainer can read it.
func TestSequencesEndWithASampledToken(t *testing.T) {
	full := played(2, 0, 0, 0)
	full.Turns[2].Wrote, full.Turns[2].LogProbs, full.Turns[2].Versions = nil, nil, nil
	full.Turns[2].Finish = quintain.Length
	j, err := Rules{Estimator: DrGRPO, TurnDiscount: 1, MaxSequence: 9}.Judge(result(full, played(2, 0, 1)))
	g, scores, drop := j.Group, j.Scores, j.Drop
	if err != nil || drop != "" || fmt.Sprint(scores) != "[0 1]" {
		t.Fatalf("scores %v, drop %q, error %v", scores, drop, err)
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(g.Tokens); got != "[[1 2 10 11 1 2 10 11] [1 2 10 11 1 2 10 11]]" {
		t.Errorf("tokens %s", got)
	}
	var talks [][]quintain.Message
	if err := json.Unmarshal(g.Messages, &talks); err != nil || len(talks[0]) != 4 {
		t.Errorf("messages %s, error %v", g.Messages, err)
	}
}

// forked has three turns; the third does not continue the second.
func forked() quintain.Trajectory {
	tr := played(2, -1, -1, 1)
	tr.Turns[2].Fork = true
	tr.Turns[2].Read = []quintain.Token{1, 2, 3, 4}
	return tr
}

func TestSequencesOfAForkedEpisode(t *testing.T) {
	for _, test := range []struct {
		why                                            string
		how                                            Sequences
		tokens, masks, versions, scores, episodes, adv string
	}{
		{
			"an episode that forks gives two sequences", WholeEpisodes,
			"[[1 2 10 11 1 2 10 11] [1 2 3 4 10 11] [1 2 10 11]]",
			"[[-100 -100 10 11 -100 -100 10 11] [-100 -100 -100 -100 10 11] [-100 -100 10 11]]",
			"[[-1 -1 5 5 -1 -1 6 6] [-1 -1 -1 -1 7 7] [-1 -1 5 5]]",
			"[-1 1 1]", "[0 0 1]",
			"[[0 0 -1 -1 0 0 0 0] [0 0 0 0 1 1] [0 0 1 1]]",
		},
		{
			"each turn gives a sequence, with everything before it as its prompt", EachTurn,
			"[[1 2 10 11] [1 2 10 11 1 2 10 11] [1 2 3 4 10 11] [1 2 10 11]]",
			"[[-100 -100 10 11] [-100 -100 -100 -100 -100 -100 10 11] [-100 -100 -100 -100 10 11] [-100 -100 10 11]]",
			"[[-1 -1 5 5] [-1 -1 -1 -1 -1 -1 6 6] [-1 -1 -1 -1 7 7] [-1 -1 5 5]]",
			"[-1 0 1 1]", "[0 0 0 1]",
			"[[0 0 -1 -1] [0 0 0 0 0 0 0 0] [0 0 0 0 1 1] [0 0 1 1]]",
		},
	} {
		j, err := Rules{Estimator: DrGRPO, TurnDiscount: 1, Sequences: test.how}.Judge(result(forked(), played(2, 1)))
		g, scores, drop := j.Group, j.Scores, j.Drop
		if err != nil || drop != "" {
			t.Fatalf("%s: drop %q, error %v", test.why, drop, err)
		}
		if err := g.Check(); err != nil {
			t.Errorf("%s: %v", test.why, err)
		}
		if fmt.Sprint(scores) != "[-1 1]" || g.EpisodeCount() != 2 {
			t.Errorf("%s: scores %v of %d episodes", test.why, scores, g.EpisodeCount())
		}
		for _, row := range []struct{ what, got, want string }{
			{"tokens", fmt.Sprint(g.Tokens), test.tokens}, {"masks", fmt.Sprint(g.Masks), test.masks},
			{"versions", fmt.Sprint(g.Versions), test.versions}, {"scores", fmt.Sprint(g.Scores), test.scores},
			{"episodes", fmt.Sprint(g.Episodes), test.episodes}, {"advantages", fmt.Sprint(g.Advantages), test.adv},
		} {
			if row.got != row.want {
				t.Errorf("%s: %s %s, want %s", test.why, row.what, row.got, row.want)
			}
		}
		var talks [][]quintain.Message
		if err := json.Unmarshal(g.Messages, &talks); err != nil || len(talks) != len(g.Tokens) || len(talks[0]) == len(talks[len(talks)-2]) {
			t.Errorf("%s: messages %s, error %v", test.why, g.Messages, err)
		}
	}
}

// A turn that left no room for a reply begins no sequence: there is nothing to train on.
func TestNoSequenceWithoutASampledToken(t *testing.T) {
	for _, how := range []Sequences{WholeEpisodes, EachTurn} {
		tr := forked()
		tr.Turns[2].Wrote, tr.Turns[2].LogProbs, tr.Turns[2].Versions = nil, nil, nil
		j, err := Rules{Estimator: DrGRPO, TurnDiscount: 1, Sequences: how}.Judge(result(tr, played(2, 1)))
		g, drop := j.Group, j.Drop
		if want := map[Sequences]int{WholeEpisodes: 2, EachTurn: 3}[how]; err != nil || drop != "" || len(g.Tokens) != want {
			t.Errorf("%s: %v, drop %q, error %v, want %d sequences", how, g, drop, err, want)
		}
	}
}

// Every sampled token is trained on in exactly one sequence.
func TestEachSampledTokenIsTrainedOnOnce(t *testing.T) {
	for _, how := range []Sequences{"", WholeEpisodes, EachTurn} {
		trained := map[quintain.Token]int{}
		tr := forked()
		next := quintain.Token(100)
		for k := range tr.Turns {
			for i := range tr.Turns[k].Wrote {
				tr.Turns[k].Wrote[i] = next
				next++
			}
		}
		j, err := Rules{Estimator: None, Sequences: how}.Judge(result(tr, played(2, 1)))
		g, drop := j.Group, j.Drop
		if err != nil || drop != "" {
			t.Fatalf("drop %q, error %v", drop, err)
		}
		for i := range g.Tokens {
			for k, mask := range g.Masks[i] {
				if mask != quintain.Untrained && mask >= 100 {
					trained[g.Tokens[i][k]]++
				}
			}
		}
		for token := quintain.Token(100); token < next; token++ {
			if trained[token] != 1 {
				t.Errorf("%q: token %d is trained on %d times, want once", how, token, trained[token])
			}
		}
	}
}

func TestEstimatorsFollowTheirFormulas(t *testing.T) {
	scores := []float64{0, 0, 1, 1, 1}
	for _, test := range []struct {
		e         Estimator
		low, high float64
	}{
		{GRPO, -0.6 / math.Sqrt(0.24), 0.4 / math.Sqrt(0.24)},
		{DrGRPO, -0.6, 0.4},
		{RLOO, -0.75, 0.5},
	} {
		a, b, err := test.e.line(scores)
		if err != nil {
			t.Fatal(err)
		}
		if low, high := b, a+b; math.Abs(low-test.low) > 1e-12 || math.Abs(high-test.high) > 1e-12 {
			t.Errorf("%s: %v and %v, want %v and %v", test.e, low, high, test.low, test.high)
		}
	}
	if _, _, err := Estimator("gae").line(scores); err == nil {
		t.Error("an unknown estimator is accepted")
	}
}

func TestReasonsToDropAGroup(t *testing.T) {
	failed := func(o quintain.Outcome) quintain.Trajectory {
		tr := played(20, 1)
		tr.Outcome = o
		return tr
	}
	cut := played(20, 0)
	cut.Turns[0].Finish = quintain.Length
	other := played(20, 0)
	other.Vocabulary = "tiny"
	solved := func(score float64) quintain.Trajectory {
		tr := played(20, score)
		tr.Turns[0].Right = score == 1
		return tr
	}
	for _, test := range []struct {
		why    string
		rules  Rules
		result Result
		want   Drop
	}{
		{"kept", Rules{MinTrainable: 10}, result(played(20, 1), played(20, 0)), ""},
		{"all solved", Rules{}, result(played(20, 1), played(20, 1)), DropEqual},
		{"scores that only rounding parts", Rules{}, result(played(20, 0.1+0.2), played(20, 0.3)), DropEqual},
		{"scores that differ by little", Rules{}, result(played(20, 1), played(20, 1+1e-6)), ""},
		{"all right, but kept on request", Rules{KeepEqual: true}, result(played(20, 1), played(20, 1)), ""},
		{"a short reply", Rules{MinTrainable: 10}, result(played(20, 1), played(9, 0)), DropFewTokens},
		{"a short reply after a fork", Rules{MinTrainable: 6}, result(forked(), played(6, 1)), ""},
		{"a short reply of each turn", Rules{MinTrainable: 6, Sequences: EachTurn}, result(forked(), played(6, 1)), ""},
		{"an episode with too few in all turns", Rules{MinTrainable: 7, Sequences: EachTurn}, result(forked(), played(7, 1)), DropFewTokens},
		{"a long sequence", Rules{MaxSequence: 22}, result(played(20, 1), played(9, 0)), DropTooLong},
		{"just short enough", Rules{MaxSequence: 23}, result(played(20, 1), played(9, 0)), ""},
		{"a cancelled episode", Rules{}, result(played(20, 1), failed(quintain.Cancelled), failed(quintain.InfraFailed)), DropCancelled},
		{"a server that failed", Rules{}, result(played(20, 1), failed(quintain.InfraFailed)), DropInfra},
		{"an environment that failed", Rules{}, result(failed(quintain.InfraFailed), failed(quintain.EnvFailed)), DropEnvFailed},
		{"a prompt that is too long for one of the servers", Rules{}, result(failed(quintain.InfraFailed), failed(quintain.PromptTooLong)), DropPrompt},
		{"cut by the length limit", Rules{MaskTooLong: true}, result(played(20, 1), played(20, 0), cut), ""},
		{"all scores but one of what is cut", Rules{MaskTooLong: true}, result(played(20, 1), cut, played(20, 1)), DropEqual},
		{"two vocabularies", Rules{}, result(played(20, 1), other), DropMixedVocab},
		{"too few are right", Rules{SuccessRateLB: 0.6}, result(solved(1), solved(0)), DropRate},
		{"too many are right", Rules{SuccessRateUB: 0.4}, result(solved(1), solved(0)), DropRate},
		{"as few as may be, and as many", Rules{SuccessRateLB: 0.5, SuccessRateUB: 0.5}, result(solved(1), solved(0)), ""},
		{"a failure of the model, which is judged", Rules{}, result(played(20, 1), func() quintain.Trajectory { tr := played(20, 0); tr.Outcome = quintain.ModelFailed; return tr }()), ""},
	} {
		test.rules.Estimator = GRPO
		j, err := test.rules.Judge(test.result)
		g, scores, drop := j.Group, j.Scores, j.Drop
		if err != nil || drop != test.want || (g == nil) != (drop != "") {
			t.Errorf("%s: dropped as %q, want %q (error %v)", test.why, drop, test.want, err)
		}
		if rewarded := drop != DropCancelled && drop != DropInfra && drop != DropEnvFailed && drop != DropPrompt; (scores != nil) != rewarded {
			t.Errorf("%s: scores %v", test.why, scores)
		}
	}
}

func TestMaskedSequencesHaveNoAdvantage(t *testing.T) {
	cut := played(2, 0)
	cut.Turns[0].Finish = quintain.Length
	short := played(2, 1) // its replies are whole
	short.End = quintain.Truncated
	j, err := Rules{Estimator: GRPO, MaskTooLong: true}.Judge(result(short, cut, played(2, 0)))
	g := j.Group
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Advantages, string(g.Overrides[0]), string(g.Overrides[1])); got != `[[0 0 1 1] [0 0 0 0] [0 0 -1 -1]]{}{"set_advantage_to_zero":true}` {
		t.Errorf("got %s", got)
	}
}

func TestMaskedEpisodesAreNotCompared(t *testing.T) {
	cut := func(score float64) quintain.Trajectory {
		tr := played(2, score)
		tr.Turns[0].Finish = quintain.Length
		return tr
	}
	right, half, wrong := played(2, 1), played(2, 0.5), played(2, 0)
	for _, test := range []struct {
		why    string
		rules  Rules
		played []quintain.Trajectory
		want   string // the advantage of each episode, or the reason to drop the group
	}{
		{"all others are equally right", Rules{Estimator: GRPO}, []quintain.Trajectory{right, right, cut(0)}, "equal_scores"},
		{"for a trainer that compares", Rules{Estimator: None}, []quintain.Trajectory{right, right, cut(0)}, "equal_scores"},
		{"all are cut", Rules{Estimator: GRPO}, []quintain.Trajectory{cut(1), cut(0)}, "equal_scores"},
		{"one is left", Rules{Estimator: RLOO}, []quintain.Trajectory{cut(1), right, cut(0)}, "equal_scores"},
		{"all are cut, and kept", Rules{Estimator: GRPO, KeepEqual: true}, []quintain.Trajectory{cut(1), cut(0)}, "[0 0]"},
		{"equal ones are kept", Rules{Estimator: GRPO, KeepEqual: true}, []quintain.Trajectory{right, cut(0), right}, "[0 0 0]"},
		{"mean and deviation", Rules{Estimator: GRPO}, []quintain.Trajectory{right, wrong, cut(0), cut(0), cut(1)}, "[1 -1 0 0 0]"},
		{"mean", Rules{Estimator: DrGRPO}, []quintain.Trajectory{right, cut(0), half}, "[0.25 0 -0.25]"},
		{"mean of the others", Rules{Estimator: RLOO}, []quintain.Trajectory{right, cut(0), half, wrong}, "[0.75 0 0 -0.75]"},
		{"the seat's mean, of its first group", Rules{Estimator: GRPO, Baseline: BaselineSeat}, []quintain.Trajectory{right, cut(0), half}, "[0.25 0 -0.25]"},
		{"as in Atropos", Rules{Estimator: DrGRPO, CompareAll: true}, []quintain.Trajectory{right, right, cut(0), cut(0)}, "[0.5 0.5 0 0]"},
	} {
		test.rules.MaskTooLong = true
		j, err := test.rules.Judge(result(test.played...))
		g, drop := j.Group, j.Drop
		got := string(drop)
		if g != nil {
			var each []float64
			for _, row := range g.Advantages {
				each = append(each, row[len(row)-1])
			}
			got = fmt.Sprint(each)
		}
		if got != test.want || err != nil {
			t.Errorf("%s: %s, want %s (error %v)", test.why, got, test.want, err)
		}
	}
}

func TestLongRepliesOfASolvedGroupScoreLess(t *testing.T) {
	r := Rules{Estimator: GRPO, LengthBudget: 40}
	for _, test := range []struct {
		trajectories []quintain.Trajectory
		want         string
	}{
		{[]quintain.Trajectory{played(28, 1), played(33, 1), played(38, 1)}, "[1 0.5 0]"},
		{[]quintain.Trajectory{played(33, 1), played(10, 0)}, "[1 0]"},
		{[]quintain.Trajectory{played(100, 1), played(10, 1)}, "[0 1]"},
		{[]quintain.Trajectory{played(28, 0.5), played(29, 0.5)}, "[0.5 0.45]"},
		{[]quintain.Trajectory{played(38, 0.49), played(10, 1)}, "[0.49 1]"},
	} {
		if j, err := r.Judge(result(test.trajectories...)); err != nil || fmt.Sprint(j.Scores) != test.want {
			t.Errorf("scores %v, want %s (error %v)", j.Scores, test.want, err)
		}
	}
}

func TestShapedScores(t *testing.T) {
	partly, none := played(2, 0.4), played(2, 0)
	none.Turns[0].Malformed = true
	right := played(2, 1)
	right.Turns[0].Right = true
	again := played(2, 0, 1)
	again.Turns[0].Malformed, again.Turns[1].Right = true, true
	for _, test := range []struct {
		why   string
		rules Rules
		want  string
	}{
		{"the rewards", Rules{}, "[1 0.4 0 1]"},
		{"no part credit", Rules{RightOnly: true}, "[1 0 0 1]"},
		{"a penalty if the last reply has no answer", Rules{MalformedPenalty: 0.25}, "[1 0.4 -0.25 1]"},
		{"both", Rules{RightOnly: true, MalformedPenalty: 0.25}, "[1 0 -0.25 1]"},
	} {
		test.rules.Estimator, test.rules.TurnDiscount = None, 1
		j, err := test.rules.Judge(result(right, partly, none, again))
		g, scores := j.Group, j.Scores
		if err != nil || fmt.Sprint(scores) != test.want || fmt.Sprint(g.Scores) != test.want {
			t.Errorf("%s: scores %v, of the group %v, want %s (error %v)", test.why, scores, g.Scores, test.want, err)
		}
	}
}

// Log-probabilities that a server does not report are missing only from that sequence.
func TestUnknownLogProbsAreAbsent(t *testing.T) {
	blind := func() quintain.Trajectory {
		b := played(4, 0)
		b.Turns[0].LogProbs = nil
		return b
	}
	for _, test := range []struct {
		played []quintain.Trajectory
		want   string
	}{
		{[]quintain.Trajectory{played(2, 1), blind(), played(2, 0)}, "[[1 1 -0.25 -0.25] [] [1 1 -0.25 -0.25]]"},
		{[]quintain.Trajectory{blind(), blind()}, "[]"},
	} {
		j, err := Rules{Estimator: None, KeepEqual: true}.Judge(result(test.played...))
		g := j.Group
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(g.LogProbs) != test.want || g.Advantages != nil || g.Check() != nil {
			t.Errorf("log-probabilities %v, advantages %v, error %v; want %s", g.LogProbs, g.Advantages, g.Check(), test.want)
		}
	}
}
