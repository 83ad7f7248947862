package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A narrator replies by the number of the episode and of the turn: episode i ends with turn 2+i. It
// counts its replies.
type narrator struct {
	replies atomic.Int64
	before  func(r *quintain.Request) error // a fault in place of a reply; nil: none
	took    time.Duration
}

func (p *narrator) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if p.before != nil {
		if err := p.before(&r); err != nil {
			return nil, err
		}
	}
	p.replies.Add(int64(r.N))
	turn, episode := len(r.Messages)/2, 0
	text := fmt.Sprint("turn ", turn)
	if at := strings.LastIndexByte(r.Key, '#'); at >= 0 {
		_, _ = fmt.Sscanf(r.Key[at:], "#%d", &episode)
		text = fmt.Sprintf("turn %d of %s", turn, r.Key)
		if turn == 2+episode {
			text = "end"
		}
	}
	all := says(text, r.N)
	for i := range all {
		all[i].Took = p.took
		for k := range all[i].Versions {
			all[i].Versions[k] = int32(turn)
		}
	}
	return all, nil
}

// with plays the first problem with a journal, and returns its episodes.
func with(t *testing.T, p quintain.Policy, j *Journal, change func(*Engine)) []quintain.Trajectory {
	t.Helper()
	var out sink
	next := jobs(numbered{name: "a"}, 1)
	e := &Engine{Size: 3, Parallel: 1, Done: out.done, Policy: p}
	e.Next = func(ctx context.Context) (Job, error) {
		job, err := next(ctx)
		job.Journal = j
		return job, err
	}
	if change != nil {
		change(e)
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.results[0].Trajectories
}

// timeless returns episodes as JSON, without their times.
func timeless(t *testing.T, all []quintain.Trajectory) (texts []string) {
	t.Helper()
	for _, tr := range all {
		tr.Started, tr.Took = time.Time{}, 0
		text, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// copied returns what another process reads.
func copied(t *testing.T, begun []Begun) (again []Begun) {
	t.Helper()
	text, err := json.Marshal(begun)
	if err == nil {
		err = strictjson.Unmarshal(text, &again)
	}
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// An episode that somebody traces goes on like any other, and its turns keep the times at which
// the other process played them.
func TestATracedEpisodeGoesOn(t *testing.T) {
	traced := func(e *Engine) {
		next := e.Next
		e.Next = func(ctx context.Context) (Job, error) {
			job, err := next(ctx)
			return job.Traced(1, "run"), err
		}
	}
	first := NewJournal(nil)
	with(t, &narrator{}, first, traced)
	var begun []Begun
	for _, b := range first.Since(nil) {
		b.Episode.Turns = b.Episode.Turns[:1]
		b.Episode.Turns[0].Times = quintain.Times{Asked: time.Second, Replied: 2 * time.Second, Judged: 3 * time.Second}
		begun = append(begun, b)
	}
	second := NewJournal(copied(t, begun))
	for i, tr := range with(t, &narrator{}, second, traced) {
		if got, want := tr.Turns[0].Times, begun[i].Episode.Turns[0].Times; got != want || tr.Turns[1].Times == (quintain.Times{}) {
			t.Errorf("episode %d: the first turn has the times %+v, want %+v; the next %+v", i, got, want, tr.Turns[1].Times)
		}
	}
	if refused := second.Refused(); len(refused) > 0 {
		t.Errorf("played anew: %v", refused)
	}
	for i, b := range second.Since(nil) {
		if got, want := b.Episode.Turns[0].Times, begun[i].Episode.Turns[0].Times; got != want {
			t.Errorf("episode %d: the journal has the times %+v, want %+v", i, got, want)
		}
	}
}

// turns counts those of episodes.
func turns(begun []Begun) (n int) {
	for _, b := range begun {
		n += len(b.Episode.Turns)
	}
	return n
}

// halfway plays a group, and returns its episodes, and beginnings of them, the whole at last.
func halfway(t *testing.T) (whole []quintain.Trajectory, begun [][]Begun) {
	t.Helper()
	j := NewJournal(nil)
	whole = with(t, &narrator{}, j, nil)
	for n := range 6 {
		var some []Begun
		for i, b := range j.Since(nil) {
			b.Episode.Turns = b.Episode.Turns[:min(len(b.Episode.Turns), max(0, n-i%2))]
			some = append(some, b)
		}
		begun = append(begun, some)
	}
	return whole, begun
}

// An episode that goes on from any prefix is what it would have become at once, and nothing is
// sampled twice.
func TestAnEpisodeGoesOnFromTheTurnsThatItHas(t *testing.T) {
	whole, prefixes := halfway(t)
	all := 0
	for _, tr := range whole {
		all += len(tr.Turns)
	}
	for _, begun := range prefixes {
		var p narrator
		j := NewJournal(copied(t, begun))
		got := with(t, &p, j, nil)
		if want := timeless(t, whole); !reflect.DeepEqual(timeless(t, got), want) {
			t.Errorf("from %+v came\n%s\nwant\n%s", begun, timeless(t, got), want)
		}
		if n, want := int(p.replies.Load()), all-turns(begun); n != want || len(j.Refused()) > 0 {
			t.Errorf("%d replies were sampled beyond %d turns, want %d; refused: %v", n, turns(begun), want, j.Refused())
		}
		if n := turns(j.Since(nil)); n != all {
			t.Errorf("the journal of the second process has %d turns, want %d", n, all)
		}
	}
}

// What another process says is taken only if the environment says the same.
func TestALyingJournalIsPlayedAnew(t *testing.T) {
	whole, prefixes := halfway(t)
	begun := prefixes[len(prefixes)-1]
	for why, lie := range map[string]func(*Begun){
		"a reward":            func(b *Begun) { b.Episode.Turns[1].Reward = 100 },
		"a right answer":      func(b *Begun) { b.Episode.Turns[0].Right = true },
		"another question":    func(b *Begun) { b.Episode.Turns[0].Observed[0].Content = "1 + 1" },
		"another observation": func(b *Begun) { b.Episode.Turns[1].Observed = nil },
		"a turn too many":     func(b *Begun) { b.Episode.Turns = append(b.Episode.Turns, b.Episode.Turns[0]) },
		"another reply":       func(b *Begun) { b.Episode.Turns[0].Reply = "end" },
		"no log-probability":  func(b *Begun) { b.Episode.Turns[0].LogProbs = b.Episode.Turns[0].LogProbs[:1] },
	} {
		var p narrator
		of := copied(t, begun)
		lie(&of[1])
		j := NewJournal(of)
		got := with(t, &p, j, nil)
		if want := timeless(t, whole); !reflect.DeepEqual(timeless(t, got), want) {
			t.Errorf("%s: it became %s, want %s", why, timeless(t, got), want)
		}
		if why := j.Refused(); len(why) != 1 || !strings.HasPrefix(why[0].Error(), "episode 1: turn ") {
			t.Errorf("refused: %v", why)
		}
		if n := int(p.replies.Load()); n != len(whole[1].Turns) {
			t.Errorf("%s: %d replies were sampled, want the %d of the episode", why, n, len(whole[1].Turns))
		}
	}
}

// An episode whose replies took too long stays so: another try would favour shorter ones.
func TestATimedOutEpisodeIsNotPlayedElsewhere(t *testing.T) {
	limit := func(e *Engine) { e.Limit = 3500 * time.Millisecond }
	j := NewJournal(nil)
	whole := with(t, &narrator{took: time.Second}, j, limit)
	if whole[2].Outcome != quintain.TimedOut || whole[1].Outcome != quintain.Scored {
		t.Fatalf("outcomes %s, %s", whole[1].Outcome, whole[2].Outcome)
	}
	begun := copied(t, j.Since(nil))
	var p narrator
	if got := with(t, &p, NewJournal(begun), limit); !reflect.DeepEqual(timeless(t, got), timeless(t, whole)) || p.replies.Load() > 0 {
		t.Errorf("%d replies more; it became\n%s\nwant\n%s", p.replies.Load(), timeless(t, got), timeless(t, whole))
	}
	begun[2].Episode.Outcome, begun[2].Episode.Error = "", "" // the process died just before
	if got := with(t, &p, NewJournal(begun), limit); got[2].Outcome != quintain.TimedOut || p.replies.Load() > 0 {
		t.Errorf("%d replies more; the outcome is %s", p.replies.Load(), got[2].Outcome)
	}
}

// What is new since each mark, one after the other, is the whole.
func TestAJournalTellsWhatIsNew(t *testing.T) {
	j, marks, seen := NewJournal(nil), map[int]Mark{}, map[int][]quintain.Turn{}
	failed := false
	look := func() {
		for _, b := range j.Since(marks) {
			if b.Mark() == marks[b.Number] {
				t.Errorf("episode %d: nothing is new since %+v", b.Number, b.Mark())
			}
			seen[b.Number] = append(seen[b.Number][:b.From:b.From], b.Episode.Turns...)
			marks[b.Number] = b.Mark()
		}
	}
	p := &narrator{before: func(r *quintain.Request) error {
		if r.N > 1 {
			return nil
		}
		if strings.HasSuffix(r.Key, "#2") && len(r.Messages) == 5 && !failed {
			failed = true
			return fmt.Errorf("the server is down")
		}
		return nil
	}}
	whole := with(t, p, j, func(e *Engine) {
		e.Replays = 1
		e.Policy = sampler(func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
			if strings.Contains(r.Key, "#2") {
				look() // in the goroutine of that episode alone
			}
			return p.Sample(ctx, r)
		})
	})
	look()
	if news := j.Since(marks); len(news) > 0 { // all episodes have ended
		t.Errorf("news after the news: %+v", news)
	}
	if whole[2].Replays != 1 || marks[2].Replays != 1 {
		t.Errorf("%d replays, and the journal has %d", whole[2].Replays, marks[2].Replays)
	}
	for i, tr := range whole {
		if !reflect.DeepEqual(seen[i], tr.Turns) {
			t.Errorf("episode %d: the news are %+v, want %+v", i, seen[i], tr.Turns)
		}
	}
	var keys []string
	begun := copied(t, j.Since(nil))
	begun[2].Episode.Turns = begun[2].Episode.Turns[:2]
	again := &narrator{before: func(r *quintain.Request) error {
		keys = append(keys, r.Key)
		if len(keys) == 1 {
			return fmt.Errorf("the server is down")
		}
		return nil
	}}
	if got := with(t, again, NewJournal(begun), func(e *Engine) { e.Replays = 1 }); got[2].Replays != 2 || !strings.HasSuffix(keys[0], "#2~1") || !strings.HasSuffix(keys[1], "~2") {
		t.Errorf("%d replays, with the keys %q: they must be others than those of the first process", got[2].Replays, keys)
	}
}
