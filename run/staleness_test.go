package run_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/sglang"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
)

// A network connects within the process, as synctest bubbles require.
type network struct {
	conns chan net.Conn
	done  chan struct{}
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error   { close(n.done); return nil }
func (n *network) Addr() net.Addr { return &net.TCPAddr{} }

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A loader is a learner that loads each version into a server.
type loader struct {
	learner
	client *http.Client
}

func (l *loader) Publish() error {
	if err := l.learner.Publish(); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"weight_version":"%d"}`, l.published)
	reply, err := l.client.Post("http://fake/update_weights_from_disk", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", reply.StatusCode)
	}
	return nil
}

// outrun runs 40 steps over a server whose replies have lognormal lengths, 40 tokens in
// the median, 5 a second. A group of eight takes half a minute on average.
func outrun(t *testing.T, maxLag, parallel int, stale run.Stale) (report run.Report, seen *events) {
	seen = &events{}
	synctest.Test(t, func(t *testing.T) {
		s := fake.Defaults()
		s.Length, s.Rate, s.Interval = "lognormal:40,0.8", 5, 10
		server, err := fake.New(fake.Config{Server: s})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		n := &network{make(chan net.Conn), make(chan struct{})}
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := server.Run(ctx, n); err != nil {
				t.Error(err)
			}
		})
		transport := &http.Transport{DialContext: n.dial}
		generator, err := sglang.New(remote.Config{URL: "http://fake", Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		c := config(t, open(t, queue.NewMemory()))
		c.Settings.GroupSize, c.Settings.BatchSize, c.Settings.MaxLag, c.Settings.Steps = 8, 64, maxLag, 40
		c.Settings.Parallel, c.Settings.StepTime, c.Rules.KeepEqual, c.Sampling.MaxTokens = parallel, time.Second, true, 1024
		c.Rules.MinTrainable = 0
		c.Policy = exact.New(generator, exact.Bytes{})
		c.Consumer = run.Train(&loader{client: &http.Client{Transport: transport}})
		c.Settings.Stale, c.Sinks = stale, []run.Sink{seen}
		_, report = finish(t, c)
		transport.CloseIdleConnections()
		stop()
		serving.Wait()
	})
	return report, seen
}

// said counts the messages with a text.
func said(seen *events, text string) (n int) {
	for _, s := range of[run.Said](seen) {
		if strings.Contains(s.Text, text) {
			n++
		}
	}
	return n
}

// The test prints the table of docs/benchmarks-learning.md.
func TestStalenessSelectsByLength(t *testing.T) {
	for _, test := range []struct {
		maxLag, parallel int
		least, most      float64 // share of stale groups
		why              string
	}{
		{2, 4096, 0.1, 1, "long groups outlast two steps"},
		{8, 4096, 0.1, 1, "more episodes run at once, so steps are as much shorter"},
		{2, 192, 0.1, 1, "as many episodes run at once as without the limit"},
		{4, 192, 0.05, 0.14, "steps stay as long, and fewer groups outlast four"},
		{8, 192, 0, 0.04, "hardly any outlasts eight"},
		{10, 192, 0, 0.01, "the advice of the run with four"},
	} {
		r, seen := outrun(t, test.maxLag, test.parallel, run.StaleDrop)
		all := run.Cost{
			Groups: r.Kept.Groups + r.Stale.Groups, Episodes: r.Kept.Episodes + r.Stale.Episodes,
			Tokens: r.Kept.Tokens + r.Stale.Tokens, Seconds: r.Kept.Seconds + r.Stale.Seconds,
		}
		share := float64(r.Stale.Groups) / float64(all.Groups)
		t.Logf("| %d | %d | %.0f s | %.0f | %.0f | %.1f %% | %.0f and %.1f s | %.0f and %.1f s | %+.1f %% |", test.maxLag, test.parallel, r.PlaySeconds/float64(r.Steps), r.Rate(),
			all.Length(), 100*share, r.Stale.Length(), r.Stale.Duration(), r.Kept.Length(), r.Kept.Duration(), 100*(r.Kept.Length()/all.Length()-1))
		if r.Stale.Groups != r.GroupsDropped[rollout.DropStale] || all.Groups != r.GroupsMade || all.Episodes != 8*all.Groups {
			t.Errorf("max_lag %d: costs of %d and %d groups, and the report has %d, %d of them stale",
				test.maxLag, r.Kept.Groups, r.Stale.Groups, r.GroupsMade, r.GroupsDropped[rollout.DropStale])
		}
		if share < test.least || share > test.most {
			t.Errorf("max_lag %d: %.3f of the groups are stale, want %v to %v: %s", test.maxLag, share, test.least, test.most, test.why)
		}
		if r.Stale.Groups > 10 && (r.Stale.Duration() < r.Kept.Duration() || r.Stale.Length() < r.Kept.Length()) {
			t.Errorf("max_lag %d: the stale groups %+v are not longer than the kept %+v", test.maxLag, r.Stale, r.Kept)
		}
		if told := strings.Contains(fmt.Sprint(r.Advice), "--max-lag"); told != (share > 0.05) {
			t.Errorf("max_lag %d: %.3f of the groups are stale, and the advice is %q", test.maxLag, share, r.Advice)
		}
		if r.Trained.Groups != 40*8 || r.Trained.Episodes != 40*64 || r.Trained.Tokens > r.Kept.Tokens {
			t.Errorf("max_lag %d: 40 steps of 8 groups were trained on, and the report has %+v", test.maxLag, r.Trained)
		}
		if need := int(math.Ceil(1 + r.GroupP99/r.StepSeconds)); r.MaxLagNeeded != need || need <= test.maxLag && share > 0.01 {
			t.Errorf("max_lag %d: it takes %d, want %d: 1 + %.1f s / %.1f s", test.maxLag, r.MaxLagNeeded, need, r.GroupP99, r.StepSeconds)
		}
		for _, about := range []string{"raise --max-lag from", "staleness selects by length"} {
			if n := said(seen, about); n > 1 || (n == 1) != (r.Stale.Groups >= 20) {
				t.Errorf("max_lag %d: %q is said %d times, and %d groups are stale", test.maxLag, about, n, r.Stale.Groups)
			}
		}
	}
}

// Groups that are withheld have that name wherever they are counted, and most of them, too old when
// they ended, in the trace.
func TestLateGroupsAreWithheld(t *testing.T) {
	r, seen := outrun(t, 2, 4096, run.StaleWithhold)
	late, later := 0, 0
	for _, p := range of[run.Played](seen) {
		record := p.Record(time.Time{})
		if record.Drop == "" {
			continue
		}
		if record.Drop != string(rollout.DropWithheld) && record.Drop != string(rollout.DropCancelled) {
			t.Errorf("a group is %s", record.Drop)
		}
		if record.Drop == string(rollout.DropWithheld) {
			if late++; p.Group != nil || len(record.Scores) != 8 || len(record.Episodes) != 8 {
				t.Errorf("the record of a withheld group has %d scores of %d episodes, its group is %v", len(record.Scores), len(record.Episodes), p.Group)
			}
		}
	}
	for _, d := range of[run.Dropped](seen) {
		if later += len(d.Groups); d.Why != rollout.DropWithheld {
			t.Errorf("%d groups are dropped later as %s", len(d.Groups), d.Why)
		}
	}
	t.Logf("%d groups are too old when they end, %d when their turn comes", late, later)
	if late < 4*later || late < 20 || r.GroupsDropped[rollout.DropWithheld] != late+later || r.Stale.Groups != late+later || r.Stale.Episodes != 8*(late+later) {
		t.Errorf("%d groups are withheld at their end, %d later; the report has %d, %+v", late, later, r.GroupsDropped[rollout.DropWithheld], r.Stale)
	}
	if r.Trained.Groups != 40*8 || r.Stale.Longer(r.Trained) < 0.1 {
		t.Errorf("trained on %+v, withheld %+v", r.Trained, r.Stale)
	}
	if said(seen, "groups were withheld: one group in a hundred") != 1 || said(seen, "groups that were withheld have episodes") != 1 || said(seen, "as stale") != 0 {
		t.Errorf("it says %q", of[run.Said](seen))
	}
}
