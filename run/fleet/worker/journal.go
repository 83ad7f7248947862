package worker

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A journal tells the coordinator of the turns of a lease, with which another worker can go on.
type journal struct {
	*rollout.Journal
	session *session
	lease   *lease
	marks   map[int]rollout.Mark // what the coordinator has; one goroutine at a time uses it
	ended   bool                 // the coordinator takes no more
}

// journal returns that of a lease, with the turns that other workers played; nil: there is none.
func (s *session) journal(l *lease, of quintain.Scenario) *journal {
	if !of.Info().Replayable || s.config.Settings.Journal == 0 && !l.Begun {
		return nil
	}
	var begun []rollout.Begun
	if l.Begun {
		begun = s.begun(l)
	}
	for _, b := range begun {
		s.counts.resumed.Add(int64(len(b.Episode.Turns)))
	}
	return &journal{Journal: rollout.NewJournal(begun), session: s, lease: l}
}

// begun asks for the turns of a lease that other workers played.
func (s *session) begun(l *lease) []rollout.Begun {
	var all fleet.Turns
	err := s.config.Client.persist(l.life, call{
		method: http.MethodGet, path: l.path(fleet.PathTurns), query: url.Values{"instance": {s.instance}},
		file: func(text []byte) (err error) {
			all, err = fleet.ReadTurns(text)
			return err
		},
	}, s.lost)
	if status(err) == http.StatusGone {
		l.die(errGone)
	}
	if err != nil && l.life.Err() == nil {
		s.config.Say("lease %d: the turns that another worker played are not to be had, and it is played anew: %v", l.Number, err)
	}
	return all.Episodes
}

// path returns a path of the lease.
func (l *lease) path(form string) string {
	return strings.Replace(form, "{number}", strconv.FormatUint(l.Number, 10), 1)
}

// keep tells the coordinator of turns, now and then, until the caller calls end. Turns that are
// not played to their end it then tells at once.
func (j *journal) keep(ctx context.Context) (end func(whole bool)) {
	if j == nil || j.session.config.Settings.Journal == 0 {
		return func(bool) {}
	}
	every := j.session.config.Settings.Journal
	running, stop := context.WithCancel(ctx)
	told := false // for a lease that is done sooner, nobody hears of its turns
	var teller sync.WaitGroup
	teller.Go(func() {
		for pause.For(running, every+pauses.After(1)) {
			told = true
			j.tell(running)
		}
	})
	return func(whole bool) {
		stop()
		teller.Wait()
		if told && !whole {
			j.tell(ctx)
		}
		for _, why := range j.Refused() {
			j.session.config.Say("lease %d: what another worker played is not as it says, and is played anew: %v", j.lease.Number, why)
		}
	}
}

// tell tells the coordinator what is new. If it was started anew, it has nothing, and is told all.
func (j *journal) tell(ctx context.Context) {
	for range 2 {
		news := j.Since(j.marks)
		if len(news) == 0 || j.ended || !j.send(ctx, news) {
			return
		}
	}
}

// send sends news. It reports whether the coordinator answered.
func (j *journal) send(ctx context.Context, news []rollout.Begun) bool {
	s, l := j.session, j.lease
	frame, err := fleet.AppendTurns(nil, &fleet.Turns{Instance: s.instance, Episodes: news})
	if err != nil {
		s.config.Say("lease %d: its turns cannot be written: %v", l.Number, err)
		j.ended = true
		return false
	}
	var kept fleet.Kept
	err = s.config.Client.do(ctx, call{method: http.MethodPost, path: l.path(fleet.PathTurns), body: frame, kind: fleet.Frame, into: &kept})
	f, failed := errors.AsType[*httpclient.Error](err)
	switch {
	case err == nil:
		j.marks = kept.Episodes
		return true
	case !failed: // ctx ended
	case f.Status == http.StatusGone:
		l.die(errGone)
	case f.Status == http.StatusInsufficientStorage:
		j.ended = true
	case !f.Temporary():
		s.config.Say("lease %d: the coordinator does not take its turns: %v", l.Number, err)
		j.ended = true
	}
	return false
}
