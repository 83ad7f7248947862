package watch

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run"
)

// Serve serves the pages alone, on a port of their own, until ctx ends. Ready is called with
// the address once the port is open. Any key of a hub opens the pages.
func (s *Server) Serve(ctx context.Context, at web.Settings, log *slog.Logger, ready func(net.Addr)) error {
	port, err := web.Listen(ctx, at, hub.Roles()...)
	if err != nil {
		return err
	}
	server, err := web.New(web.Config{Settings: at, Name: "view", Keys: port.Keys, Log: log, Routes: append(s.Routes(), Front())})
	if err != nil {
		return errors.Join(err, port.Close())
	}
	ready(port.Addr())
	return run.Together(ctx, func(ctx context.Context) error { return server.Run(ctx, port) }, s.Run)
}
