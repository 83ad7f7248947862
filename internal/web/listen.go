package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// A Door is a port that is listened on, and the keys that open it.
type Door struct {
	net.Listener
	Keys []Key // none: it is open
}

// Listen reads the key file of s and listens on its port. The file may give keys the
// given roles, and [Admin]. Without keys, s must name a host that only this machine
// can reach.
func Listen(ctx context.Context, s Settings, roles ...Role) (*Door, error) {
	s = s.withDefaults()
	if err := s.Check(); err != nil {
		return nil, err
	}
	keys, err := ReadKeys(s.KeyFile, roles...)
	if err != nil {
		return nil, fmt.Errorf("key_file: %w", err)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d of %s is in use; choose another with --port, or any with --port 0", s.Port, s.Host)
	}
	if err != nil {
		return nil, err
	}
	return &Door{l, keys}, nil
}
