// Package nats keeps a queue in two streams of a NATS server or cluster, version 2.12
// or later, with JetStream. What an answer of such a queue promises is what the
// settings of the server promise. The streams are described in docs/formats/stream.md.
package nats

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/settings"
)

// Settings are what people may set of the server that keeps groups.
type Settings struct {
	URL      string // of one server or several, with commas; empty: none is used
	Replicas int    // copies of the streams that a cluster keeps
	Creds    string // file of NATS credentials; empty: none
}

// Default returns the settings that hold unless something else is said.
func Default() Settings { return Settings{Replicas: 1} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.URL, "url", "NATS server or cluster that keeps the groups, in place of the data folder; several servers with commas").Flag("nats-url")
	d.Int(&s.Replicas, "replicas", "copies that the cluster keeps; 3 survives the loss of a node").Between(1, 5).Flag("nats-replicas")
	d.Text(&s.Creds, "creds", "file of NATS credentials").Flag("nats-creds")
}

// Options are the settings of one store; the zero value has the defaults.
type Options struct {
	Name     string        // of the streams, with 1 to 64 letters of a-z, A-Z, 0-9, '-' and '_'; default "quintain"
	Replicas int           // copies of the streams that a cluster keeps, if they are made now; default 1
	Creds    string        // file of NATS credentials; default none
	Timeout  time.Duration // how long to wait for an answer of the server; default 30 s
	Log      *slog.Logger  // default: none
}

// withDefaults returns o with its zeros filled in.
func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "quintain"
	}
	o.Replicas = max(1, o.Replicas)
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Open opens the store on the server or cluster at url, which may list several
// servers, with commas. One process at a time may use the streams of a name: others
// get [queue.ErrInUse], as far as the server can tell.
func Open(ctx context.Context, url string, o Options) (queue.Store, error) {
	s, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, url string, o Options) (*store, error) {
	s := &store{o: o.withDefaults(), url: url, batches: make(chan struct{}, maxBatches)}
	if err := queue.CheckName(s.o.Name); err != nil {
		return nil, fmt.Errorf("name of the streams %w", err)
	}
	var err error
	if s.nc, err = s.dial(); err != nil {
		return nil, err
	}
	if err := s.attach(ctx); err != nil {
		s.nc.Close()
		return nil, err
	}
	return s, nil
}

// where names the server to people, without passwords.
func (s *store) where() string {
	list := strings.Split(s.url, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}
