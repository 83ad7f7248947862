package nats_test

import (
	"net"
	"sync"
	"testing"
)

// A proxy is the network between a client and a server.
type proxy struct {
	listener net.Listener
	to       string
	work     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	cut   bool // nothing gets through
	deaf  bool // the server's answers get lost
}

// newProxy starts a proxy to an address for the test.
func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, conns: make(map[net.Conn]struct{})}
	p.work.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.cutOff()
		p.work.Wait()
	})
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil || !p.admit(client, server) {
			client.Close()
			if err == nil {
				server.Close()
			}
			continue
		}
		p.work.Go(func() { p.pass(server, client, false) })
		p.work.Go(func() { p.pass(client, server, true) })
	}
}

// admit registers connections, unless the network is cut.
func (p *proxy) admit(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if !p.cut {
			p.conns[c] = struct{}{}
		}
	}
	return !p.cut
}

// pass copies until one of the two is closed, and closes the other.
func (p *proxy) pass(to, from net.Conn, reply bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		lose := reply && p.deaf
		p.mu.Unlock()
		if !lose && n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// deafen loses the server's answers until cutOff.
func (p *proxy) deafen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = true
}

// cutOff breaks all connections and refuses new ones until mend.
func (p *proxy) cutOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// mend admits connections again.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.deaf = false, false
}
