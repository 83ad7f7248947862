package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Begun is an episode that is under way, or a part of it.
type Begun struct {
	Number  int           `json:"number"`  // in its group
	From    int           `json:"from"`    // index of the first of its turns here
	Replies time.Duration `json:"replies"` // server time of all replies until now

	// Episode has turns, vocabulary, replays, and the time that it took until now. An outcome it has
	// only if it timed out, which no other process may change. If it ended otherwise, its
	// last turn says so.
	Episode quintain.Trajectory `json:"episode"`
}

// A Mark says how far an episode is.
type Mark struct {
	Replays int  `json:"replays,omitempty"` // see [quintain.Trajectory]
	Turns   int  `json:"turns"`
	Over    bool `json:"over,omitempty"` // it timed out
}

// Mark returns how far the episode is at the end of b.
func (b *Begun) Mark() Mark {
	return Mark{b.Episode.Replays, b.From + len(b.Episode.Turns), b.Episode.Outcome != ""}
}

// A Journal has the turns of a group's episodes, which another process may replay and go on
// with. Its scenario must be replayable; see [quintain.ScenarioInfo]. Many goroutines may use it.
type Journal struct {
	begun map[int]Begun // elsewhere, whole, by number; nobody changes it

	mu       sync.Mutex
	episodes map[int]Begun // as they are now, whole, by number
	refused  []error       // episodes of begun that were not as replayed
}

// NewJournal returns the journal of a group of which another process began to play some
// episodes. They are whole, and nobody changes them any more.
func NewJournal(begun []Begun) *Journal {
	j := &Journal{begun: map[int]Begun{}, episodes: map[int]Begun{}}
	for _, b := range begun {
		if len(b.Episode.Turns) > 0 || b.Episode.Outcome != "" {
			j.begun[b.Number] = b
		}
	}
	return j
}

// Since returns what is new since marks, by number; an episode without one is new. The caller must not
// change it.
func (j *Journal) Since(marks map[int]Mark) (news []Begun) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for n, b := range j.episodes {
		at := marks[n]
		if at == b.Mark() {
			continue
		}
		if at.Replays == b.Episode.Replays && at.Turns <= len(b.Episode.Turns) {
			b.From, b.Episode.Turns = at.Turns, b.Episode.Turns[at.Turns:]
		}
		news = append(news, b)
	}
	slices.SortFunc(news, func(a, b Begun) int { return a.Number - b.Number })
	return news
}

// Refused returns why episodes were played anew: what another process said of them is not what
// their environment says.
func (j *Journal) Refused() []error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.refused)
}

// replays is the highest number of replays of the episodes that were begun elsewhere.
func (j *Journal) replays() (most int) {
	if j == nil {
		return 0
	}
	for _, b := range j.begun {
		most = max(most, b.Episode.Replays)
	}
	return most
}

// note takes an episode's last turn, if it is new, or the end of an episode that timed out.
func (j *Journal) note(ep *episode) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.episodes[ep.number]
	if b.Episode.Replays != ep.record.Replays {
		b = Begun{}
	}
	b.Number, b.Replies = ep.number, ep.replies
	b.Episode.Replays, b.Episode.Vocabulary, b.Episode.Took = ep.record.Replays, ep.record.Vocabulary, time.Since(ep.record.Started)
	if have := len(b.Episode.Turns); have < ep.judged {
		b.Episode.Turns = append(b.Episode.Turns, ep.record.Turns[have:ep.judged]...)
	}
	if ep.record.Outcome == quintain.TimedOut {
		b.Episode.Outcome, b.Episode.Error = ep.record.Outcome, ep.record.Error
	}
	j.episodes[ep.number] = b
}

// forget drops an episode, which is played anew.
func (j *Journal) forget(number int, why error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.episodes, number)
	j.refused = append(j.refused, fmt.Errorf("episode %d: %w", number, why))
}

// resume returns episode i of a job as far as another process played it, or anew if that is not
// as its environment says.
func resume(ctx context.Context, job Job, i int) *episode {
	if job.Journal == nil {
		return newEpisode(ctx, job, i, 0)
	}
	b, ok := job.Journal.begun[i]
	if !ok {
		return newEpisode(ctx, job, i, 0)
	}
	ep := newEpisode(ctx, job, i, b.Episode.Replays)
	ep.record.Started = ep.record.Started.Add(-b.Episode.Took)
	if err := ep.replay(ctx, &b); err != nil && ctx.Err() == nil {
		ep.close()
		job.Journal.forget(i, err)
		return newEpisode(ctx, job, i, 0)
	}
	return ep
}

// replay steps the environment with the replies that another process sampled. The error says
// what the environment does otherwise.
func (ep *episode) replay(ctx context.Context, b *Begun) error {
	journal := ep.journal
	ep.journal = nil // it gets the turns when all are as they were
	defer func() { ep.journal = journal }()
	for k := range b.Episode.Turns {
		turn := &b.Episode.Turns[k]
		if ep.over() {
			return fmt.Errorf("turn %d: the episode is over (%s %s)", k, ep.record.Outcome, ep.record.Error)
		}
		ep.take(ctx, sampled(turn, b.Episode.Vocabulary), nil)
		ep.record.Turns[k].Times = turn.Times // when it was played
		own, err := json.Marshal(ep.record.Turns[k])
		if err != nil {
			return err
		}
		if ep.judged != k+1 {
			return fmt.Errorf("turn %d fails: %s", k, ep.record.Error)
		}
		if other, err := json.Marshal(turn); err != nil || string(own) != string(other) {
			return fmt.Errorf("turn %d is otherwise when replayed", k)
		}
	}
	ep.replies = b.Replies
	if b.Episode.Outcome == quintain.TimedOut && !ep.over() {
		ep.record.Outcome, ep.record.Error, ep.record.Took = quintain.TimedOut, b.Episode.Error, b.Episode.Took
	}
	journal.note(ep)
	return nil
}

// sampled returns the sample that a turn was made of.
func sampled(t *quintain.Turn, vocabulary string) quintain.Sample {
	return quintain.Sample{
		Text: t.Reply, Reasoning: t.Reasoning, ToolCalls: t.ToolCalls, CallFault: t.CallFault, Read: t.Read, Wrote: t.Wrote, LogProbs: t.LogProbs, Versions: t.Versions,
		Finish: t.Finish, Fork: t.Fork, Realigned: t.Realigned, Vocabulary: vocabulary,
	}
}
