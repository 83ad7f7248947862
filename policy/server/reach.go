package server

import "context"

// Reach connects like [Server.Connect], but leaves a server that is not up yet to Run,
// which waits for it. It returns no error once ctx has ended.
func (s *Server) Reach(ctx context.Context) error {
	err := s.Connect(ctx)
	if Temporary(err) {
		s.say("the server cannot be used yet, and is waited for: %v", err)
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
