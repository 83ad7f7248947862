package web

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Announce writes the address of the listener to the file of its settings, completely or not at
// all, so that clients read there where the server is. Without such a file it does nothing.
func (l *Listener) Announce(ctx context.Context) error {
	if l.settings.Announce == "" {
		return nil
	}
	at, err := l.Reachable(ctx)
	if err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	if err := datadir.WriteFile(l.settings.Announce, []byte("http://"+at+"\n")); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	return nil
}

// Reachable is the host and port by which other machines reach the server: of any address, those of this machine.
func (l *Listener) Reachable(ctx context.Context) (string, error) {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", err
	}
	host := l.settings.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		m, err := thisMachine(ctx)
		if err != nil {
			return "", err
		}
		host = m.reachable()
	}
	return net.JoinHostPort(host, port), nil
}

// checkAnnounce makes sure that there is a folder for the file, before the server begins.
func checkAnnounce(file string) error {
	if file == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	return nil
}

// A machine is what others may know one by.
type machine struct {
	name  string
	known bool // the name has an address
	addrs []net.Addr
}

// thisMachine returns the machine of this process.
func thisMachine(ctx context.Context) (m machine, err error) {
	if m.name, err = os.Hostname(); err != nil {
		return m, err
	}
	_, unknown := net.DefaultResolver.LookupHost(ctx, m.name)
	m.known = unknown == nil
	m.addrs, err = net.InterfaceAddrs()
	return m, err
}

// reachable is the name of the machine or, if it has no address, the first address that other
// machines may reach, of IPv4 before IPv6. A machine that has neither has its name.
func (m machine) reachable() string {
	if m.known {
		return m.name
	}
	found := ""
	for _, a := range m.addrs {
		n, ok := a.(*net.IPNet)
		switch {
		case !ok || !n.IP.IsGlobalUnicast():
		case n.IP.To4() != nil:
			return n.IP.String()
		case found == "":
			found = n.IP.String()
		}
	}
	if found == "" {
		return m.name
	}
	return found
}
