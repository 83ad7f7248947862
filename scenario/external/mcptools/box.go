package mcptools

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// pauses are those before a session is begun again.
var pauses = pause.Backoff{First: 100 * time.Millisecond, Most: 10 * time.Second}

// A config is what all boxes share.
type config struct {
	how    Settings
	keys   []string // names of variables that servers get
	client *httpclient.Client
	log    *slog.Logger
}

// A box is a server's sessions. Many goroutines may use it at once.
type box struct {
	of config
	at guest.Address

	name   string // of its tools on a clash
	about  About
	tools  []Tool
	digest string
	ctx    context.Context //nolint:containedctx // ends with the box
	stop   context.CancelFunc
	work   sync.WaitGroup
	turns  chan struct{} // filled for each session that begins

	mu       sync.Mutex   // guards the fields below
	open     int          // episodes
	queue    []chan begun // episodes that wait for a session
	starting int          // sessions that begin
	ahead    []*session   // that no episode has
	shared   []*session   // with episodes, or with room for some
	faults   int          // consecutive failures to begin a session
}

// A begun is a session, or why it could not begin.
type begun struct {
	session *session
	err     error
}

// newBox returns the box of a server, which no session has reached yet.
func newBox(of config, at guest.Address) *box {
	b := &box{of: of, at: at, turns: make(chan struct{}, max(2, runtime.NumCPU()))}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// connect begins a session.
func (b *box) connect(ctx context.Context) (*session, error) {
	ctx, cancel := httpclient.Within(ctx, b.of.how.StartTime)
	defer cancel()
	s := &session{log: b.of.log, waiting: map[int64]chan *incoming{}, refused: map[string]int{}}
	if b.at.Remote() {
		s.wire = newPost(b.at.Name, b.of.client, s.hear)
	} else {
		p, err := startProcess(b.at.Name, b.of.keys, b.of.log, s.hear)
		if err != nil {
			return nil, err
		}
		s.wire = p
	}
	if err := s.begin(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// first begins the first session, which says what the server is.
func (b *box) first(ctx context.Context) error {
	s, err := b.connect(ctx)
	if err != nil {
		return err
	}
	b.about, b.tools, b.digest = s.about, s.tools, s.digest
	b.name = strings.Trim(foreign().ReplaceAllString(fmt.Sprintf("%.40s", s.about.Name), "_"), "_")
	b.ahead = append(b.ahead, s)
	return nil
}

// same reports why a session is not as the first one; nil: it is.
func (b *box) same(s *session) error {
	if s.about == b.about && s.digest == b.digest {
		return nil
	}
	return fmt.Errorf("%w: MCP server %s is another than at the start of the run: its version or its tools differ; begin the run again", quintain.ErrStop, b.about.Name)
}

// take returns a session for an episode. The error is [quintain.ErrLost]; after too many failures,
// [quintain.ErrStop].
func (b *box) take(ctx context.Context) (*session, error) {
	b.mu.Lock()
	b.open++
	if s := b.ready(); s != nil {
		b.fill()
		b.mu.Unlock()
		return s, nil
	}
	mine := make(chan begun, 1)
	b.queue = append(b.queue, mine)
	b.fill()
	b.mu.Unlock()
	select {
	case one := <-mine:
		return one.session, one.err
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = slices.DeleteFunc(b.queue, func(c chan begun) bool { return c == mine })
	select {
	case one := <-mine: // in the same moment
		return one.session, one.err
	default:
		return nil, context.Cause(ctx)
	}
}

// ready returns a living session with room, if there is one. b.mu is held.
func (b *box) ready() *session {
	for _, s := range b.shared {
		if s.users < b.of.how.Share && alive(s) {
			s.users++
			return s
		}
	}
	for len(b.ahead) > 0 {
		s := b.ahead[0]
		b.ahead = b.ahead[1:]
		if !alive(s) {
			b.work.Go(s.close)
			continue
		}
		b.lend(s)
		return s
	}
	return nil
}

// lend notes the first episode of a session. b.mu is held.
func (b *box) lend(s *session) {
	s.users++
	if b.of.how.Share > 1 {
		b.shared = append(b.shared, s)
	}
}

// alive reports whether a session has not ended.
func alive(s *session) bool {
	p, piped := s.wire.(*process)
	return !piped || !pause.Closed(p.ended)
}

// fill begins as many sessions as there are episodes that wait for one and, of a command, as many more as
// there are open ones: they are for the next episodes. b.mu is held.
func (b *box) fill() {
	want := (len(b.queue) + b.of.how.Share - 1) / b.of.how.Share
	if !b.at.Remote() && b.of.how.Share == 1 {
		want += b.open - len(b.ahead)
	}
	for b.starting < want && b.ctx.Err() == nil {
		b.starting++
		b.work.Go(b.begin)
	}
}

// begin begins a session, in its turn, and hands it to an episode that waits, or keeps it ahead.
func (b *box) begin() {
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-b.ctx.Done():
		return
	}
	b.mu.Lock()
	faults := b.faults
	b.mu.Unlock()
	var one begun
	if faults > 0 && !pause.For(b.ctx, pauses.After(faults)) {
		return
	}
	if one.session, one.err = b.connect(b.ctx); one.err == nil {
		if one.err = b.same(one.session); one.err != nil {
			b.work.Go(one.session.close)
			one.session = nil
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting--
	b.hand(one)
}

// hand hands over a session, or why it could not begin. b.mu is held.
func (b *box) hand(one begun) {
	if one.err == nil {
		b.faults = 0
		b.ahead = append(b.ahead, one.session)
	} else {
		b.faults++
		one.err = b.blame(one.err)
		b.of.log.Warn("a session of an MCP server cannot begin", "server", b.about.Name, "fault", one.err)
	}
	for len(b.queue) > 0 {
		if one.err == nil {
			if one.session = b.ready(); one.session == nil {
				return
			}
		}
		b.queue[0] <- one
		b.queue = b.queue[1:]
		if one.err != nil {
			return
		}
	}
}

// blame returns the error of an episode that gets no session.
func (b *box) blame(err error) error {
	err = fmt.Errorf("MCP server %s: %w", b.about.Name, err)
	if b.faults > b.of.how.Restarts {
		return fmt.Errorf("%w: it failed %s in a row: %w", quintain.ErrStop, stats.Count(b.faults, "time"), err)
	}
	return external.Lost(err)
}

// give takes back the session of an episode, nil: it got none. One that is shared goes on, unless it has
// failed.
func (b *box) give(s *session, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	if s == nil {
		return
	}
	s.users--
	at := slices.Index(b.shared, s)
	if at >= 0 && failed {
		b.shared = slices.Delete(b.shared, at, at+1)
	}
	if s.users == 0 && (at < 0 || failed) {
		b.work.Go(s.close)
	}
}

// close ends all sessions. No episode may be open.
func (b *box) close() {
	b.stop()
	b.mu.Lock()
	rest := slices.Concat(b.ahead, b.shared)
	b.mu.Unlock()
	for _, s := range rest {
		b.work.Go(s.close)
	}
	b.work.Wait()
}
