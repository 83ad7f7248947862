package server

import "context"

// Reach connects like [Server.Connect], but leaves a server that is not up yet to Run,
// which waits for it. It returns no error once ctx has ended.
func (s *Server) Reach(ctx context.Context) error {
	err := s.Connect(ctx)
	if Temporary(err) {
		s.say("waiting for the server, which cannot be used yet: %v", err)
		return nil
	}
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the end of ctx is no fault of the server
	}
	return err
}
