package watch

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on the group shown on the page of the run.
const (
	playingTried  = 16              // newest groups that are read to find one
	playingEvery  = 2 * time.Second // it changes at most so often
	playingEnds   = 2               // best and worst replies, each
	playingPrompt = 1000            // characters of the question
	playingReply  = 400             // characters of a reply
)

// A playing is a group just played: its question, and its best and worst replies.
type playing struct {
	At       string
	Task     string
	Label    string // the task and its level
	Unit     string // of what is sampled: tokens or bytes
	Version  int
	Time     time.Time
	Question excerpt
	Replies  []playedReply
	Episodes int
	Equal    bool // all scores are
}

// A playedReply is a reply that some episodes have in common.
type playedReply struct {
	Text   excerpt
	Empty  bool
	Score  float64
	Right  bool
	Times  int
	Why    string
	Before int // different replies left out before it
}

// A lastPlayed finds the group to show. Many goroutines may use it at once.
type lastPlayed struct {
	mu    sync.Mutex
	asked time.Time
	shown *playing
}

// now is the newest group whose scores differ, or else the newest with scores; nil: there is
// none.
func (l *lastPlayed) now(t *liveTrace) *playing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown != nil && time.Since(l.asked) < playingEvery {
		return l.shown
	}
	l.asked = time.Now()
	l.shown = newest(t, trace.Query{Drop: trace.Kept, Newest: true, Limit: playingTried})
	if l.shown == nil {
		l.shown = newest(t, trace.Query{Newest: true, Limit: playingTried})
	}
	return l.shown
}

// newest is the first of the matches whose scores differ, or else the first with scores.
func newest(t *liveTrace, q trace.Query) (found *playing) {
	for _, e := range t.find(q) {
		if e.Score == nil {
			continue
		}
		r, err := t.now().Read(e.Ref)
		if err != nil {
			continue // just removed, or damaged
		}
		one := newPlaying(r, e)
		if !one.Equal {
			return one
		}
		if found == nil {
			found = one
		}
	}
	return found
}

// newPlaying lays out a group with scores.
func newPlaying(r *trace.Record, e trace.Entry) *playing {
	at := e.Ref.Text()
	p := &playing{
		At: at, Task: plain(r.Problem.Task), Label: labelOf(r.Problem.Task, e.Level), Unit: unitOf(r), Version: r.Version, Time: r.Time, Episodes: len(r.Episodes),
		Equal: slices.Min(r.Scores) == slices.Max(r.Scores),
	}
	w := &pen{at: at, room: playingPrompt}
	p.Question = w.write(question(r), "part=prompt")
	var all []playedReply
	by := map[string]int{} // index by text and score
	for i := range r.Episodes[:min(len(r.Episodes), len(r.Scores))] {
		turns := r.Episodes[i].Turns
		if len(turns) == 0 {
			continue
		}
		end := r.Episodes[i].Last()
		last := &turns[end]
		key := strconv.FormatFloat(r.Scores[i], 'g', -1, 64) + "\n" + last.Reply
		if k, twice := by[key]; twice {
			all[k].Times++
			continue
		}
		by[key] = len(all)
		w := &pen{at: at, room: playingReply}
		text := w.write(last.Reply, "part=reply&episode="+strconv.Itoa(i)+"&turn="+strconv.Itoa(end))
		all = append(all, playedReply{Text: text, Empty: last.Reply == "", Score: r.Scores[i], Right: r.Episodes[i].Solved(), Times: 1, Why: plain(last.Why)})
	}
	slices.SortStableFunc(all, func(a, b playedReply) int { return cmp.Compare(b.Score, a.Score) })
	if left := len(all) - 2*playingEnds; left > 0 {
		all = slices.Delete(all, playingEnds, playingEnds+left)
		all[playingEnds].Before = left
	}
	p.Replies = all
	return p
}

// question is the last message of the user before the first reply, or else the prompt.
func question(r *trace.Record) string {
	text := r.Problem.Prompt
	if len(r.Episodes) == 0 || len(r.Episodes[0].Turns) == 0 {
		return text
	}
	for _, m := range r.Episodes[0].Turns[0].Observed {
		if m.Role == quintain.RoleUser {
			text = m.Text()
		}
	}
	return text
}

// unitOf is what the counts of a group count: a server that tells no tokens gives bytes.
func unitOf(r *trace.Record) string {
	if len(r.Episodes) > 0 && r.Episodes[0].Vocabulary == quintain.UTF8 {
		return "bytes"
	}
	return "tokens"
}
