package run_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
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
		generator, err := engines.NewSGLang(remote.Config{URL: "http://fake", Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		c := config(t, open(t, queue.NewMemory()))
		c.Settings.GroupSize, c.Settings.BatchSize, c.Settings.MaxLag, c.Settings.Steps = 8, 64, maxLag, 40
		c.Settings.Parallel, c.Settings.StepTime, c.Rules.KeepEqual, c.Sampling.MaxTokens = parallel, time.Second, true, 1024
		c.Rules.MinTrainable = 0
		c.Policy = exact.New(generator, exact.Bytes{})
		c.Trainer.Consumer = run.Train(&loader{client: &http.Client{Transport: transport}})
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
	if said(seen, "groups withheld: one group in a hundred") != 1 || said(seen, "groups that were withheld have episodes") != 1 || said(seen, "as stale") != 0 {
		t.Errorf("it says %q", of[run.Said](seen))
	}
}
