package queue

import "github.com/quintain-rl/quintain"

// EncodeFields is the part of Encode within the envelope.
func EncodeFields(g *quintain.Group) []byte {
	w := writer{}
	w.group(g)
	return w.b
}

// DecodeFields is the part of Decode within the envelope.
func DecodeFields(b []byte) (*quintain.Group, error) {
	r := reader{b: b}
	g := r.group()
	return g, r.err
}

// StopServer stops the server in this process, as if it had failed.
func (q *Queue) StopServer() {
	h := q.store.(*jetStream).host
	h.server.Shutdown()
	h.server.WaitForShutdown()
}

// FailWrites has the server in this process believe that it can write no more.
func (q *Queue) FailWrites() {
	l := &natsLog{log: q.log, health: q.store.(*jetStream).host.health}
	l.Errorf("Critical write error: %v", "no space left on device")
}

// StoreOf is where q has its store.
func (q *Queue) StoreOf() *Store { return &q.store }
