package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/web"
)

// Apart are routes on a port of their own, such as those that sandboxes must reach.
type Apart struct {
	Name   string // of the setting of the port, for errors
	Host   string // to listen on; empty: that of the other port
	Port   int    // 0: there are none
	Routes []web.Route
}

// has reports whether there is a port apart.
func (a *Apart) has() bool { return a.Port != 0 && len(a.Routes) > 0 }

// share leaves each of two ports half of the files that their connections may take.
func (a *Apart) share(s *web.Settings) {
	if a.has() {
		s.Calls += (web.FilesForConnections() - s.Calls) / 2
	}
}

// A port serves routes apart.
type port struct {
	listener *web.Listener // nil: there is none
	server   *web.Server
	front    *front // nil: none
}

// openApart opens the port of the routes apart. Its keys and limits are those of the other one.
func (h *Host) openApart(ctx context.Context, c Config) (err error) {
	if !c.Apart.has() {
		return nil
	}
	s := c.Server
	s.Host, s.Port = cmp.Or(c.Apart.Host, s.Host), c.Apart.Port
	h.apart.listener, err = web.Listen(ctx, s, hub.Roles(c.Roles...)...)
	if used, ok := errors.AsType[*web.InUseError](err); ok {
		return fmt.Errorf("%s: port %d of %s is in use; choose another", c.Apart.Name, used.Port, used.Host)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Apart.Name, err)
	}
	h.apart.server, err = web.New(web.Config{Settings: s, Name: "apart", Routes: c.Apart.Routes, Keys: h.apart.listener.Keys, Log: c.Log})
	return err
}

// Apart is the address of the routes apart; nil: there is none.
func (h *Host) Apart() net.Addr {
	if h.apart.listener == nil {
		return nil
	}
	return h.apart.listener.Addr()
}

// run serves until ctx ends.
func (p *port) run(ctx context.Context) error {
	if p.listener == nil {
		<-ctx.Done()
		return nil
	}
	if p.front != nil {
		p.front.server.HandOver(p.server)
		return p.front.run(ctx)
	}
	return p.server.Run(ctx, p.listener.Listener)
}

// closeListener closes a port that Run may have closed.
func closeListener(l *web.Listener) error {
	if l == nil {
		return nil
	}
	if err := l.Listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
