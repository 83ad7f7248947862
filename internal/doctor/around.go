package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// sandbox examines what confines programs that nobody trusts.
func sandbox(ctx context.Context, s backend.Settings, needed bool) Finding {
	level, name := Warn, cmp.Or(s.Where, "native")
	if needed {
		level = Fail
	}
	bad := func(err error) Finding {
		return ok("sandbox", "%s: %v", name, err).as(level, "tasks and scenarios that run programs refuse to start, all others work: see docs/sandbox.md, or let another machine run the programs, by --sandbox http://HOST:PORT")
	}
	box, err := backend.New(s)
	if err != nil {
		return bad(err)
	}
	strength, err := box.Probe(ctx)
	if err = errors.Join(err, box.Close()); err == nil {
		err = strength.Err()
	}
	if err != nil {
		return bad(err)
	}
	var holds, lacks []string
	for _, layer := range strength.Layers {
		if layer.Holds {
			holds = append(holds, layer.Name)
		} else {
			lacks = append(lacks, layer.Name)
		}
	}
	f := ok("sandbox", "%s holds: %s", name, cmp.Or(strings.Join(holds, "; "), "nothing"))
	if len(lacks) > 0 {
		f.Found += "; it does without " + strings.Join(lacks, "; ")
	}
	return f
}

// inference examines an inference server.
func inference(ctx context.Context, s Settings, url string) Finding {
	from := engines.OpenAISettings{Timeout: s.Timeout, KeyFile: s.KeyFile}
	config, err := from.Config()
	if err != nil {
		return Finding{Check: "server", Level: Fail, Found: err.Error(), Remedy: "name a file with the key in policy.key_file"}
	}
	config.Server.URL = url
	began := time.Now()
	r, err := engines.Probe(ctx, config.Server, s.Model, "")
	if err != nil {
		return Finding{Check: "server", Level: Fail, Found: err.Error(), Remedy: "start it, or name its address, with or without /v1; docs/servers.md lists the servers"}
	}
	return judgeServer(r, time.Since(began))
}

func judgeServer(r *engines.Report, took time.Duration) Finding {
	f := ok("server", "%s: %s, model %s, examined in %v", r.URL, strings.TrimSpace(string(r.Server)+" "+r.Version), r.Model, short(took))
	switch {
	case r.Fault != nil && r.Text == nil:
		f.Found += ": " + strings.Join(r.Notes, "; ")
		return f.as(Fail, "it samples nothing: see docs/servers.md")
	case !r.Can.LogProbs:
		f.Found += "; it reports no log-probabilities"
		return f.as(Warn, "a trainer that corrects for stale replies needs them: docs/servers.md says how each server reports them")
	case !r.Can.TokensOut:
		f.Found += "; it reports no tokens"
		return f.as(Warn, "a trainer then tokenizes the text anew, which may give other tokens: docs/servers.md says how each server reports them")
	case len(r.Notes) > 0:
		f.Found += ": " + strings.Join(r.Notes, "; ")
		return f.as(Warn, "see docs/servers.md")
	}
	return f
}

// natsServer examines a NATS server.
func natsServer(ctx context.Context, s Settings) Finding {
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	r, err := nats.Probe(ctx, s.NATS, nats.Options{Creds: s.Creds})
	if err != nil {
		return Finding{Check: "NATS", Level: Fail, Found: err.Error(), Remedy: "start one with JetStream (nats-server -js), or name its address in --nats-url and its credentials in store.nats_creds"}
	}
	return judgeNATS(r)
}

func judgeNATS(r nats.Report) Finding {
	const sync = "set sync_interval: always in its jetstream settings, or keep three copies (store.nats_replicas 3)"
	f := ok("NATS", "version %s with JetStream, which answers in %v", r.Version, short(r.Took))
	switch {
	case !recent(r.Version):
		return f.as(Fail, "a queue needs version 2.12 or later")
	case !r.Tells:
		f.Found += "; it does not tell whether it syncs each write to its disk"
		return f.as(Warn, "if not, a power cut loses acknowledged groups: "+sync)
	case !r.SyncsAlways:
		f.Found += "; it does not sync each write to its disk"
		return f.as(Warn, "a power cut loses acknowledged groups: "+sync)
	}
	return f
}

// recent reports whether a NATS server has atomic batches.
func recent(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err == nil && (major > 2 || major == 2 && minor >= 12)
}

// listen examines whether a port is free.
func listen(ctx context.Context, port string) Finding {
	address := port
	if _, err := strconv.ParseUint(port, 10, 16); err == nil {
		address = "127.0.0.1:" + port
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return Finding{Check: "port", Level: Fail, Found: err.Error(), Remedy: "end the program that listens there, or choose another port with --port"}
	}
	return ok("port", "%s is free", address)
}
