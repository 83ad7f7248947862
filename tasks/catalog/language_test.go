package catalog_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// A rung is what many draws of a level show.
type rung struct {
	trained, heldOut int     // different questions
	constant         string  // the answer that is right for most of them
	share            float64 // of which it is right, or of the draws if that is more
	longest          int     // bytes of an answer
}

// measured draws from the one level of a task.
func measured(t *testing.T, of quintain.Task, draws int) (r rung) {
	t.Helper()
	seen, answers, drawn := map[quintain.Key]bool{}, map[string]int{}, map[string]int{}
	for index := range draws {
		p, err := of.Problem(quintain.Draw{Seed: 1, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		key, err := quintain.KeyOf(of, p)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := of.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		drawn[answer]++
		if seen[key] {
			continue
		}
		seen[key] = true
		answers[answer]++
		r.longest = max(r.longest, len(answer))
		if key.HeldOut() {
			r.heldOut++
		} else {
			r.trained++
		}
	}
	for answer, n := range drawn {
		share := max(float64(n)/float64(draws), float64(answers[answer])/float64(len(seen)))
		if share > r.share || share == r.share && answer < r.constant {
			r.constant, r.share = answer, share
		}
	}
	return r
}

// What a model learns on the ladder is no constant, and not by heart: each level has many questions, some of them held out, and
// no answer to a tenth of them, nor does the answer to the most similar known question serve.
func TestLanguageTasks(t *testing.T) {
	t.Parallel()
	set, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	for _, choice := range catalog.LanguageTasks("reasoning_gym") {
		of, err := choice.Task(set)
		if err != nil {
			t.Fatal(err)
		}
		r := measured(t, of, 8_000)
		similar, err := task.LearnedRate(of, 0, task.Lessons{Learned: 400, Asked: 200, Apart: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: %d trained, %d held out; %q is right for %.3f, %s for %.3f; the longest answer has %d bytes",
			choice.Name, choice.Params, r.trained, r.heldOut, r.constant, r.share, similar.Guesser, similar.Rate, r.longest)
		if r.trained < 1000 || r.heldOut < 64 || r.share > 0.10 || similar.Rate > 0.10 || r.longest > 48 {
			t.Errorf("%s %s: want 1,000 trained and 64 held out or more, answers of up to 48 bytes, and no guess that earns more than 0.10", choice.Name, choice.Params)
		}
	}
}
